/** Short, harmless pieces of what a service sent, for messages. */

const LONGEST_EXCERPT = 120;
/** Enough to find 120 characters of words in an HTML page, and little enough to search at once. */
const SEARCHED = 20_000;

/** Control, format (bidi marks, zero width) and separator characters, and lone surrogates. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu;

/** Takes the key out of a text that may repeat it. */
export type Redact = (text: string) => string;

export function createRedact(apiKey: string): Redact {
  return (text) => (apiKey === '' ? text : text.replaceAll(apiKey, '[key]'));
}

/** The words of an answer that is no JSON: tags and control characters gone, blanks drawn together, at most 120 characters. */
export function excerpt(text: string, redact: Redact): string {
  const words = redact(text)
    .slice(0, SEARCHED)
    .replace(/<(script|style|head)\b[\s\S]*?(<\/\1\s*>|$)/gi, (head) => /<title[^>]*>([^<]*)/i.exec(head)?.[1] ?? ' ')
    .replace(/<!--[\s\S]*?(-->|$)/g, ' ')
    .replace(/<[a-z/!?][^>]*(>|$)/gi, ' ');
  return oneLine(words, redact);
}

/** A text of the service as one short line: the message in an Error body, a Location. */
export function oneLine(text: string, redact: Redact): string {
  // Redacted before and after: control characters inside the echoed key would hide it until they are gone.
  const clean = redact(redact(text).replace(UNPRINTABLE, ' ').replace(/\s+/g, ' ').trim());
  const characters = [...clean.slice(0, 2 * LONGEST_EXCERPT)];
  return characters.length <= LONGEST_EXCERPT ? clean : `${characters.slice(0, LONGEST_EXCERPT - 1).join('')}…`;
}
