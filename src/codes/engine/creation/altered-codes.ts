/**
 * Finds codes that may be a row's although the service changed their values: it may truncate names, drop emoji or spaces, keep only ASCII
 * letters, or lower-case addresses. A search by the sent values alone would miss such a code, and the row would be created twice.
 */
import { groupBy } from '../../../base/collections/group-by.ts';
import { partitionPoint } from '../../../base/collections/partition-point.ts';
import type { NewCode, QrCode } from '../../../service/shapes.ts';
import { type Dated, dateOf, isForeign, type RowToFind, SECOND_MS } from './deal-out.ts';
import { restKey, valuesKey } from './same-values.ts';

/** A service that cuts names leaves so many characters at least. */
const LEAST_OF_A_NAME = 16;
/** Letters and digits in them, at least; a name that was not cut may have fewer. */
const LEAST_LETTERS = 8;

/** Candidates of one row; the shown ones are for the user to look at. */
const MOST_SHOWN = 20;

interface Lettered extends Dated {
  letters: string;
}

/**
 * O30: returns a function that finds the unassigned codes created in a row's time that may be altered forms of it. Their names have the
 * same letters and digits, or are truncated, and at least one of type and destination is the same; or both are, and the name lost its non-
 * ASCII characters; or they have the values of the code that the row has (`own`). Codes that existed before are ignored.
 */
export function createAlteredSearch(codes: readonly QrCode[]): (row: RowToFind, own?: QrCode) => readonly QrCode[] {
  const lettered = codes.map((code): Lettered => ({ ...dateOf(code), letters: lettersOf(code.name) }));
  // A code without a valid time cannot be dated to the time of a row.
  const dated = lettered.filter(({ firstMs }) => Number.isFinite(firstMs)).sort((a, b) => a.firstMs - b.firstMs);
  const byBeginning = groupBy(dated, ({ letters }) => letters.slice(0, LEAST_LETTERS));
  const byAscii = groupBy(dated, ({ code }) => asciiOf(code.name));
  // Only if a row has a code: this takes longer than the other two.
  let byValues: ReadonlyMap<string, Lettered[]> | undefined;
  return (row, own) => {
    const { code } = row;
    const letters = lettersOf(code.name);
    const found = new Set<QrCode>();
    const find = (alike: readonly Lettered[] | undefined, mayBe: (other: Lettered) => boolean) => {
      for (const other of inTimeOf(row, alike)) {
        if (mayBe(other)) found.add(other.code);
        if (found.size === MOST_SHOWN) return;
      }
    };
    find(byBeginning.get(letters.slice(0, LEAST_LETTERS)), (other) => isName(other, letters) && sharesMore(code, other.code));
    if (!isAscii(code.name)) {
      const rest = restKey(code);
      find(byAscii.get(asciiOf(code.name)), (other) => isMangled(other.code.name, code.name) && restKey(other.code) === rest);
    }
    if (own) {
      byValues ??= groupBy(dated, (other) => valuesKey(other.code));
      find(byValues.get(valuesKey(own)), () => true);
    }
    return [...found];
  };
}

/** Returns the codes, sorted by time, that were created in the time of a row and are not known to be another's. */
function* inTimeOf(row: RowToFind, dated: readonly Lettered[] = []): Generator<Lettered> {
  const { fromMs, toMs } = row.bounds;
  for (let at = partitionPoint(dated, ({ firstMs }) => firstMs < fromMs - SECOND_MS); ; at++) {
    const other = dated[at];
    if (!other || other.firstMs > toMs) return;
    if (other.lastMs >= fromMs && !isForeign(row, other)) yield other;
  }
}

const ENTITIES = /&(?:amp|lt|gt|quot|apos|#0*39|#x27);/gi;

/** Reduces a name to its letters and digits, which survive every change: in upper case, in which ß and SS are the same. */
function lettersOf(name: string): string {
  return name
    .replace(ENTITIES, '')
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

/**
 * Returns whether a name may be the altered form of one with these letters. They begin alike: a truncated name has at least
 * `LEAST_LETTERS`.
 */
function isName({ letters, code }: Lettered, sent: string): boolean {
  return letters === sent || (code.name.length >= LEAST_OF_A_NAME && sent.startsWith(letters));
}

/** Reduces a name to ASCII, with `?` for each other letter or with two letters of another code page. */
function asciiOf(name: string): string {
  return name.replace(ENTITIES, '').replace(/[^0-9A-Za-z]/g, '');
}

/**
 * Returns whether a name whose ASCII equals that of a sent one with more letters may be its altered form: it has only that one's letters,
 * or Latin ones.
 */
function isMangled(name: string, sent: string): boolean {
  const others = name.match(/[^\0-\u024f]/gu) ?? [];
  return others.every((char) => sent.includes(char) || !/[\p{L}\p{N}]/u.test(char));
}

function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text);
}

function sharesMore(sent: NewCode, found: QrCode): boolean {
  return (sent.type ?? 'url') === found.type || (sent.destination ?? '') === (found.destination ?? '');
}
