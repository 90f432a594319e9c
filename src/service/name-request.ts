/** Appends the request to the message of its failure, in brackets. */
export function withRequest(message: string, name: string): string {
  return `${message} [${name}]`;
}

/** Removes what `withRequest` appended, to compare the failures of several codes. */
export function withoutRequest(message: string): string {
  return message.replace(/ \[[^\]]*\]$/, '');
}
