/**
 * Parses JSON with bounded memory, because values may take 100 times the memory of their text. Outside
 * src/build, no other module calls JSON.parse.
 */
import { MOST_VALUES } from '#base/bounds';
import { BACKSLASH, COMMA, QUOTE } from './ascii.ts';

/** Error whose message is a predicate, such as `has too many values`. */
export class ExcessiveJsonError extends SyntaxError {}

const SMALL = 1024 * 1024;

const MOST_DEPTH = 100;

/** Parses JSON, after `checkBounds` if it has more than 2^20 characters. Throws SyntaxError. */
export function parseBounded(text: string, mostValues = MOST_VALUES): unknown {
  if (text.length > SMALL) checkBounds(text, mostValues);
  return JSON.parse(text);
}

/** Throws ExcessiveJsonError for too many levels or values. Some kinds of values count several times. */
export function checkBounds(text: string, mostValues = MOST_VALUES): void {
  let values = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) {
      at = endOfString(text, at);
      values += 2;
    } else if (unit === COMMA) values += 1;
    else if (unit === COLON) values += 2;
    else if (opens(unit)) {
      values += 4;
      depth += 1;
      if (depth > MOST_DEPTH) throw new ExcessiveJsonError(`is nested more than ${MOST_DEPTH} levels deep`);
    } else if (closes(unit)) depth -= 1;
  }
  if (values > mostValues) throw new ExcessiveJsonError('has too many values');
}

const COLON = 0x3a;
const CURLY = 0x20;

export function opens(unit: number): boolean {
  return (unit | CURLY) === 0x7b;
}

export function closes(unit: number): boolean {
  return (unit | CURLY) === 0x7d;
}

export function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; ) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return text.length;
    let escapes = quote;
    while (text.charCodeAt(escapes - 1) === BACKSLASH) escapes--;
    if ((quote - escapes) % 2 === 0) return quote;
    at = quote + 1;
  }
}
