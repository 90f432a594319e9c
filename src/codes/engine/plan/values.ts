/**
 * E5: compares the values of rows and codes. They are equal up to what the service may make of them: it may trim and join blanks, compose
 * characters, and write an address as a URL parser does.
 */
import { restore } from '../../../base/text/defuse.ts';
import { parseUrl } from '../../../base/text/parse-url.ts';
import { addUtm } from '../../../base/text/utm.ts';
import { type NewCode, newCode, type QrCode } from '../../../service/shapes.ts';
import { isShortenedFrom } from '../../input/shortened-number.ts';
import { fingerprintOf, plainOf } from './base.ts';
import { FIELDS, type Field, type LedgerView, type Row, type Values } from './model.ts';

type Named = Pick<NewCode, 'name' | 'type'> & { readonly destination?: string | null };

/** Returns a text that is equal for equal values of a field. */
export function tidy(field: Field, value: string): string {
  if (field === 'status') return value;
  const text = value.normalize('NFC').trim();
  return field === 'name' ? text.replace(/\s+/gu, ' ') : (parseUrl(text)?.href ?? text);
}

/** Returns a text that is equal for codes with equal name, type and destination. */
export function valuesKey(code: Named): string {
  return JSON.stringify([nameKey(code), tidy('destination', code.destination ?? '')]);
}

/** Returns a text that is equal for codes with equal type and name. */
export function nameKey({ name, type }: Named): string {
  return JSON.stringify([type ?? 'url', tidy('name', name)]);
}

/** Returns a text that is equal for codes with equal type and destination; undefined without a destination, which tells nothing. */
export function placeKey({ type, destination }: Named): string | undefined {
  return destination ? JSON.stringify([type ?? 'url', tidy('destination', destination)]) : undefined;
}

/** Returns whether two codes have the same type, and the same name or destination. */
export function isAlike(one: Named, other: Named): boolean {
  const place = placeKey(one);
  return nameKey(one) === nameKey(other) || (place !== undefined && place === placeKey(other));
}

/** Returns the values of a row as a POST has them. */
export function rowValues({ wish: { name, destination }, type }: Row): NewCode {
  return newCode(name ?? '', type, destination || undefined);
}

/** Returns the fields of a code as text. */
export function fieldsOf({ name, destination, status }: QrCode): Values {
  return { name, destination: destination ?? '', status };
}

/** Returns what the service made of these values before, if it is known to change them. */
export function storedForm(code: NewCode, { storedOf }: Pick<LedgerView, 'storedOf'>): NewCode {
  const { name, type, destination } = code;
  const place = destination && (storedOf('destination', destination) ?? destination);
  return newCode(storedOf('name', name) ?? name, type, place);
}

/** Returns the value that a row wants for a field of its code; undefined to leave it. Throws RangeError for tags without a web address. */
export function wantedValue({ wish, utm }: Row, field: Field, code: QrCode): string | undefined {
  if (field === 'destination' && utm !== undefined && wish.destination === undefined)
    return addUtm(code.destination ?? '', utm);
  return wish[field];
}

/** Returns whether a cell has this value, although a spreadsheet may have saved it. */
export function isCellOf(cell: string, value: string, through: Row['through']): boolean {
  const [given, plain] = [plainOf(cell), plainOf(value)];
  if (given === plain) return true;
  if (through === 'csv') return isShortenedFrom(cell, value);
  return through === 'xlsx' && plainOf(restore(cell)) === plain;
}

/** Returns whether a cell has the value of a fingerprint. */
export function isCellOfPrint(cell: string, print: string, through: Row['through']): boolean {
  return fingerprintOf(cell) === print || (through === 'xlsx' && fingerprintOf(restore(cell)) === print);
}

/** Returns whether the cell of a field still has the value that its row was saved with. */
export function isUnedited(
  { wish, base, through }: Pick<Row, 'wish' | 'base' | 'through'>,
  field: Field,
): boolean {
  const [cell, print] = [wish[field], base?.[field]];
  return cell !== undefined && print !== undefined && isCellOfPrint(cell, print, through);
}

/** Returns the codes of a list by a key, in their order. A key that is undefined is left out. */
export function indexBy<T>(items: Iterable<T>, keyOf: (item: T) => string | undefined): Map<string, T[]> {
  const index = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === undefined) continue;
    const present = index.get(key);
    if (present) present.push(item);
    else index.set(key, [item]);
  }
  return index;
}

/** A service that cuts names leaves so many characters at least. */
const LEAST_OF_A_NAME = 16;
/** Number of letters by which altered names are looked up. */
const LOOKED_UP = 8;

const ENTITIES = /&(?:amp|lt|gt|quot|apos|#0*39|#x27);/gi;

/** Reduces a text to its letters and digits in upper case. */
export function lettersOf(text: string): string {
  return text
    .replace(ENTITIES, '')
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

/** Returns whether the service evidently made a name of another one: it kept the letters, or cut it. */
export function isAlteredName(sent: string, stored: string): boolean {
  const [letters, kept] = [lettersOf(sent), lettersOf(stored)];
  return kept === letters || (stored.length >= LEAST_OF_A_NAME && letters.startsWith(kept));
}

/**
 * Returns a function that finds the codes which the service evidently made of values by changing them: a name that was cut or kept its
 * letters, with the same type and destination; or an address that kept its letters, with the same type and name.
 */
export function createAlteredSearch(codes: Iterable<QrCode>): (values: NewCode) => QrCode[] {
  const cutKey = (code: Named) => JSON.stringify([placeKey(code), lettersOf(code.name).slice(0, LOOKED_UP)]);
  const addressKey = (code: Named) => JSON.stringify([nameKey(code), lettersOf(code.destination ?? '')]);
  let index: { byName: Map<string, QrCode[]>; byAddress: Map<string, QrCode[]> } | undefined;
  return (values) => {
    index ??= { byName: indexBy(codes, cutKey), byAddress: indexBy(codes, addressKey) };
    const named = (index.byName.get(cutKey(values)) ?? []).filter((code) =>
      isAlteredName(values.name, code.name),
    );
    return [...new Set([...named, ...(index.byAddress.get(addressKey(values)) ?? [])])];
  };
}

/** Returns whether two texts are equal values of a field. */
export function isSame(field: Field, one: string, other: string): boolean {
  return one === other || tidy(field, one) === tidy(field, other);
}

/** Returns whether there is a change to send. */
export function hasChanges(changes: { readonly [F in Field]?: string | undefined }): boolean {
  return FIELDS.some((field) => changes[field] !== undefined);
}
