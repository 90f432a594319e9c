/** What a cell of a known column may hold. Each check returns the value, or adds a fault and returns undefined. */
import { CODE_STATUSES, CODE_TYPES } from '../service/shapes.ts';
import { type Fault, showValue } from './faults.ts';

export interface CellContext {
  line: number;
  column: string;
  faults: Fault[];
  warnings: Fault[];
}

const HALF_CHARACTER = /\p{Surrogate}/u;

/** Text, or undefined for an absent, null or empty cell. Numbers and the like are refused: 007 would come back as 7. */
export function readText(value: unknown, { line, column, faults }: CellContext): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') {
    faults.push({ line, column, message: `must be text in quotes, not ${showValue(value)}` });
    return undefined;
  }
  if (HALF_CHARACTER.test(value)) faults.push({ line, column, message: `${showValue(value)} holds half a character` });
  return value;
}

/** A name that is not only spaces; undefined where the cell is empty. */
export function readName(value: unknown, cell: CellContext): string | undefined {
  const name = readText(value, cell);
  if (name === undefined || name.trim() !== '') return name;
  cell.faults.push({ line: cell.line, column: cell.column, message: 'is only spaces' });
  return undefined;
}

/** One of the types of the specification. */
export function readType(value: unknown, cell: CellContext): string | undefined {
  return readWord(value, CODE_TYPES, cell);
}

/** One of the statuses of the specification. */
export function readStatus(value: unknown, cell: CellContext): string | undefined {
  return readWord(value, CODE_STATUSES, cell);
}

function readWord(value: unknown, words: readonly string[], cell: CellContext): string | undefined {
  const word = readText(value, cell)?.trim();
  if (word === undefined || word === '' || words.includes(word)) return word || undefined;
  cell.faults.push({ line: cell.line, column: cell.column, message: `${showValue(word)} is none of ${words.join(', ')}` });
  return undefined;
}

const SCHEME = /^\s*([a-z][a-z0-9+.-]*):/i;

/**
 * Where a url code points to: refused when no browser could go there, and only warned about when it is unusual, because the
 * service's own rules for destinations are not known.
 */
export function checkAddress(destination: string, { line, column, faults, warnings }: CellContext): void {
  const scheme = SCHEME.exec(destination)?.[1]?.toLowerCase();
  const shown = showValue(destination);
  if (scheme === undefined) {
    faults.push({ line, column, message: `${shown} is not an address: it must begin with https:// or another scheme` });
  } else if (/^https?$/.test(scheme)) {
    if (!/^\s*https?:\/\/[^/?#\s]/i.test(destination) || !URL.canParse(destination)) {
      faults.push({ line, column, message: `${shown} is not an address a browser can open` });
    } else if (/\s/.test(destination)) warnings.push({ line, column, message: `${shown} has a space in it` });
  } else if (/^[^:]*\.[^:]*:\d+(\/|$)/.test(destination.trim())) {
    faults.push({ line, column, message: `${shown} is not an address: it must begin with https:// or another scheme` });
  } else warnings.push({ line, column, message: `${shown} is not a web address; the service may refuse it` });
}
