/** Matches the start of a line that git writes into a file with a merge conflict. */
export const GIT_MARKER = /^(?:<{7}|\|{7}|={7}|>{7})(?= |\r?$)/;
