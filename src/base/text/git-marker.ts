export const GIT_MARKER = /^(?:<{7}|\|{7}|={7}|>{7})(?= |\r?$)/;
