/** Returns the text with a capital letter. */
export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A clause as a sentence of its own: with a capital letter, and a period unless it ends with one. */
export function asSentence(clause: string): string {
  return `${capitalize(clause)}${clause.endsWith('.') ? '' : '.'}`;
}
