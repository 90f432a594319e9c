export function withRequest(message: string, name: string): string {
  return `${message} [${name}]`;
}

/** Reverses `withRequest`, to compare the failures of several codes. */
export function withoutRequest(message: string): string {
  return message.replace(/ \[[^\]]*\]$/, '');
}
