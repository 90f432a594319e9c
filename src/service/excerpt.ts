/** Short, harmless pieces of what a service sent, for messages. */

const LONGEST_EXCERPT = 120;
/** Enough to find 120 characters of words in an HTML page, and little enough to search at once. */
const SEARCHED = 20_000;
/** The key is looked for beyond that, so that none is cut in two and its first half shown. */
const REDACTED = 2 * SEARCHED;

/** Takes the key out of a text that may repeat it. */
export type Redact = (text: string) => string;

/** Finds the key also where blanks or control characters were put into it. */
export function createRedact(apiKey: string): Redact {
  if (apiKey === '') return (text) => text;
  let spread: RegExp | undefined;
  return (text) => {
    spread ??= spreadOut(apiKey);
    return text.replaceAll(apiKey, '[key]').replace(spread, '[key]');
  };
}

/** Made only when a text needs it: few commands do, and it takes V8 longer than all else in a service. */
function spreadOut(apiKey: string): RegExp {
  const characters = [...apiKey].map((character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
  return new RegExp(characters.join('[\\p{Cc}\\p{Z}]*'), 'gu');
}

/** The words of an answer that is no JSON: tags and control characters gone, blanks drawn together, at most 120 characters. */
export function excerpt(text: string, redact: Redact): string {
  const words = redact(text.slice(0, REDACTED))
    .slice(0, SEARCHED)
    .replace(/<(script|style|head)\b[\s\S]*?(<\/\1\s*>|$)/gi, (head) => /<title[^<>]*>([^<]*)/i.exec(head)?.[1] ?? ' ')
    .replace(/<!--[\s\S]*?(-->|$)/g, ' ')
    .replace(/<[a-z/!?][^>]*(>|$)/gi, ' ');
  return oneLine(words, redact);
}

/**
 * A text of the service as one short line: the message in an Error body, a Location. Characters nobody sees (bidi marks, zero width)
 * and lone surrogates are taken out; control characters, line ends and blanks are drawn together into one blank.
 */
export function oneLine(text: string, redact: Redact): string {
  const visible = redact(text.slice(0, REDACTED).replace(/[\p{Cf}\p{Cs}]+/gu, '')).slice(0, SEARCHED);
  const clean = visible.replace(/[\p{Cc}\p{Z}]+/gu, ' ').trim();
  const characters = [...clean.slice(0, 2 * LONGEST_EXCERPT)];
  return characters.length <= LONGEST_EXCERPT ? clean : `${characters.slice(0, LONGEST_EXCERPT - 1).join('')}…`;
}
