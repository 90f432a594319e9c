export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Formats a clause as a sentence, with a capital letter and a period. */
export function asSentence(clause: string): string {
  return `${capitalize(clause)}${clause.endsWith('.') ? '' : '.'}`;
}
