/** E5: compares values, ignoring the service's normalization of spaces, characters and URLs. */
import { groupBy } from '#base/collections';
import { restore } from '#base/text/defuse';
import { parseUrl } from '#base/text/parse-url';
import { addUtm, carryUtm, isWeb } from '#base/text/utm';
import { isShortenedFrom } from '#codes/input/shortened-number';
import { type NewCode, newCode, type QrCode } from '#service/shapes';
import { fingerprintOf, plainOf } from './base.ts';
import { FIELDS, type Field, type LedgerView, type Row } from './model.ts';

type Named = Pick<NewCode, 'name' | 'type'> & { destination?: string | null };

export function tidy(field: Field, value: string): string {
  const text = value.normalize('NFC').trim();
  return field === 'name' ? text.replace(/\s+/gu, ' ') : (parseUrl(text)?.href ?? text);
}

export function valuesKey({ name, type, destination }: Named): string {
  return JSON.stringify([type ?? 'url', tidy('name', name), tidy('destination', destination ?? '')]);
}

export function nameKey({ name, type }: Named): string {
  return JSON.stringify([type ?? 'url', tidy('name', name)]);
}

export function placeKey({ type, destination }: Named): string | undefined {
  return destination ? JSON.stringify([type ?? 'url', tidy('destination', destination)]) : undefined;
}

export function isAlike(one: Named, other: Named): boolean {
  const place = placeKey(one);
  return nameKey(one) === nameKey(other) || (place !== undefined && place === placeKey(other));
}

export function rowValues({ wish: { name, destination }, type }: Row): NewCode {
  return newCode(name ?? '', type, destination || undefined);
}

export function fieldsOf({ name, destination, status }: QrCode) {
  return { name, destination: destination ?? '', status };
}

export function storedForm(code: NewCode, { storedOf }: Pick<LedgerView, 'storedOf'>): NewCode {
  const { name, type, destination } = code;
  const place = destination && (storedOf('destination', destination) ?? destination);
  return newCode(storedOf('name', name) ?? name, type, place);
}

/** Returns the value that a row requests. Throws RangeError if its UTM tags can't be added. */
export function wantedValue(row: Row, field: Field, code: QrCode): string | undefined {
  const { wish, utm, keepUtm } = row;
  const wanted = wish[field];
  if (field !== 'destination') return wanted;
  if (wanted === undefined)
    return lacksUtm(row, code) ? undefined : utm && addUtm(code.destination ?? '', utm);
  return keepUtm && !isUnedited(row, field) ? carryUtm(code.destination ?? '', wanted) : wanted;
}

export function lacksUtm({ utm, mayLackUtm }: Row, { destination }: QrCode): boolean {
  return utm !== undefined && mayLackUtm === true && !isWeb(destination ?? '');
}

export function isCellOf(cell: string, value: string, through: Row['through']): boolean {
  const [given, plain] = [plainOf(cell), plainOf(value)];
  if (given === plain) return true;
  if (through === 'csv') return isShortenedFrom(cell, value);
  return through === 'xlsx' && plainOf(restore(cell)) === plain;
}

export function isCellOfPrint(cell: string, print: string | undefined, through: Row['through']): boolean {
  return fingerprintOf(cell) === print || (through === 'xlsx' && fingerprintOf(restore(cell)) === print);
}

export function isUnedited(
  { wish, base, through }: Pick<Row, 'wish' | 'base' | 'through'>,
  field: Field,
): boolean {
  const cell = wish[field];
  return cell !== undefined && isCellOfPrint(cell, base?.[field], through);
}

export function indexBy<T>(items: Iterable<T>, keyOf: (item: T) => string | undefined): Map<string, T[]> {
  const index = groupBy(items, keyOf);
  index.delete(undefined);
  return index as Map<string, T[]>;
}

/** Minimum length of a stored name to count as a shortened one. */
const LEAST_OF_A_NAME = 16;
const LOOKED_UP = 8;

const ENTITIES = /&(?:amp|lt|gt|quot|apos|#0*39|#x27);/gi;

export function lettersOf(text: string): string {
  return text
    .replace(ENTITIES, '')
    .normalize('NFKC')
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

export function isAlteredName(sent: string, stored: string): boolean {
  const [letters, kept] = [lettersOf(sent), lettersOf(stored)];
  return kept === letters || (stored.length >= LEAST_OF_A_NAME && letters.startsWith(kept));
}

/** Returns a function that finds codes whose name or address may be an altered form of a given one. */
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

export function isSame(field: Field, one: string, other: string): boolean {
  return tidy(field, one) === tidy(field, other);
}

export function hasChanges(changes: { readonly [F in Field]?: string | undefined }): boolean {
  return FIELDS.some((field) => changes[field] !== undefined);
}
