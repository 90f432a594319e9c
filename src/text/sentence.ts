/** A clause as a sentence of its own: with a capital letter, and a period unless it ends with one. */
export function asSentence(clause: string): string {
  return `${clause.charAt(0).toUpperCase()}${clause.slice(1)}${clause.endsWith('.') ? '' : '.'}`;
}
