import { COMMA, LINE_FEED, QUOTE, RETURN } from './ascii.ts';
import { closes, endOfString, opens } from './bounded-json.ts';

export interface JsonElement {
  text: string;
  line: number;
}

/** Error whose message is a predicate, such as `is not valid JSON`, to print after a line number. */
export class BrokenJsonError extends SyntaxError {
  line: number;
  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

const SPACE = 0x20;
const TAB = 0x09;

/** Yields the elements of a JSON array, or the members of an object, as text. Throws BrokenJsonError. */
export function* elementsOf(text: string, opening: '[' | '{', line = 1): Generator<JsonElement> {
  let depth = 0;
  let count = 0;
  let found: { at: number; line: number } | undefined;
  let isClosed = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === LINE_FEED) line++;
    if (unit === LINE_FEED || unit === SPACE || unit === RETURN || unit === TAB) continue;
    if (isClosed) throw new BrokenJsonError('is not valid JSON: unexpected text after the end', line);
    if (depth === 0 && text[at] !== opening)
      throw new BrokenJsonError(`does not begin with ${opening}`, line);
    const isEnd = closes(unit);
    if (depth === 1 && (unit === COMMA || isEnd)) {
      if (found) yield { text: text.slice(found.at, at), line: found.line };
      else if (unit === COMMA || count > 0)
        throw new BrokenJsonError('is not valid JSON: unexpected comma', line);
      count++;
      found = undefined;
    } else if (depth === 1) found ??= { at, line };
    if (unit === QUOTE) at = endOfString(text, at);
    else if (opens(unit)) depth++;
    else if (isEnd) depth--;
    isClosed = depth === 0;
  }
  if (!isClosed) throw new BrokenJsonError('is not valid JSON: the end is missing', line);
}
