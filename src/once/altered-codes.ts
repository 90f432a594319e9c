/**
 * Codes that may be a row's although their values are others than were sent: services cut names, drop emoji or spaces, write addresses in small
 * letters. A row that is looked for by its own values alone would not be found, and be created twice.
 */
import { groupBy } from '../group-by.ts';
import { partitionPoint } from '../partition-point.ts';
import type { NewCode, QrCode } from '../service/shapes.ts';
import { type Dated, dateOf, isForeign, type RowToFind, SECOND_MS } from './deal-out.ts';

/** A service that cuts names leaves so many characters at least. */
const LEAST_OF_A_NAME = 16;
/** Letters and digits in them, at least; a name that was not cut may have fewer. */
const LEAST_LETTERS = 8;

/** Of one row; what is shown is for a person to look at. */
const MOST_SHOWN = 20;

interface Lettered extends Dated {
  letters: string;
}

/**
 * O30: a function that gives the codes, of those that no row has, that were made in a row's time and may be what became of it: their names have
 * the same letters and digits, or are cut, and of type and destination one at least is the same. What was there before does not come into it.
 */
export function createAlteredSearch(codes: readonly QrCode[]): (row: RowToFind) => readonly QrCode[] {
  const lettered = codes.map((code): Lettered => ({ ...dateOf(code), letters: lettersOf(code.name) }));
  // Of a code without a time that can be read nothing says that it was made in the row's.
  const dated = lettered.filter(({ firstMs }) => Number.isFinite(firstMs)).sort((a, b) => a.firstMs - b.firstMs);
  const byBeginning = groupBy(dated, ({ letters }) => letters.slice(0, LEAST_LETTERS));
  return (row) => {
    const { code, bounds } = row;
    const letters = lettersOf(code.name);
    const alike = byBeginning.get(letters.slice(0, LEAST_LETTERS));
    if (!alike) return [];
    const found: QrCode[] = [];
    const start = partitionPoint(alike, ({ firstMs }) => firstMs < bounds.fromMs - SECOND_MS);
    for (let at = start; found.length < MOST_SHOWN; at++) {
      const other = alike[at];
      if (!other || other.firstMs > bounds.toMs) break;
      if (other.lastMs < bounds.fromMs || isForeign(row, other)) continue;
      if (isName(other, letters) && sharesMore(code, other.code)) found.push(other.code);
    }
    return found;
  };
}

const ENTITIES = /&(?:amp|lt|gt|quot|apos|#0*39|#x27);/gi;

/** What is left of a name whatever is done to it: its letters and digits, large, in which ß and SS are one. */
function lettersOf(name: string): string {
  return name
    .replace(ENTITIES, '')
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

/** Whether its name may be what became of one with these letters. They begin alike: what is cut has `LEAST_LETTERS` at least. */
function isName({ letters, code }: Lettered, sent: string): boolean {
  return letters === sent || (code.name.length >= LEAST_OF_A_NAME && sent.startsWith(letters));
}

function sharesMore(sent: NewCode, found: QrCode): boolean {
  return (sent.type ?? 'url') === found.type || (sent.destination ?? '') === (found.destination ?? '');
}
