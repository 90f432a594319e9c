/** Values that people write, and when two of them are the same. Written from the design, not from the rules under test. */
import { fingerprintOf } from '#codes/engine/plan/base';
import type { Field } from '#codes/engine/plan/model';
import type { QrCode } from '#service/shapes';
import type { Random } from './random.ts';

/** Number of characters that a service keeps of a name, if it shortens names. */
export const MOST_OF_NAME = 20;

/** Some differ by blanks or by their Unicode form only; the last ones have the same beginning of 20 characters. */
const NAMES = [
  ...['Menu', 'Flyer', 'Poster', 'Table 4', ' Table  4', 'Caf\u00e9', 'Cafe\u0301', 'Bar', 'Door', 'Van'],
  ...['Spring menu 2026 for table 12', 'Spring menu 2026 for table 13', 'Spring menu 2026 for the bar'],
];

const DESTINATIONS = [
  ...[
    'https://a.test',
    'https://a.test/',
    'https://b.test/x',
    'https://c.test/y?z=1',
    'https://d.test/d',
    'https://e.test/e',
  ],
  ...['https://f.test/f', 'https://g.test/g', 'https://h.test/h', 'https://i.test/i'],
];

/** Returns a name; few are in use, so that rows are often alike. */
export function someName(random: Random): string {
  return random.pick(NAMES);
}

export function someDestination(random: Random): string {
  return random.pick(DESTINATIONS);
}

export function someStatus(random: Random): string {
  return random.pick(['active', 'active', 'paused', 'expired']);
}

const canonical = {
  name: new Map<string, string>(),
  destination: new Map<string, string>(),
  status: new Map<string, string>(),
};

/** Returns the one spelling of all values that are the same up to the service's normalization. */
export function canon(field: Field, value: string): string {
  const known = canonical[field].get(value);
  if (known !== undefined) return known;
  const plain = value.normalize('NFC').trim().replace(/\s+/gu, ' ');
  const result = field === 'destination' && URL.canParse(plain) ? new URL(plain).href : plain;
  canonical[field].set(value, result);
  return result;
}

/** Tests whether two values of a field are the same. */
export function isSame(field: Field, one: string, other: string): boolean {
  return one === other || canon(field, one) === canon(field, other);
}

/** Returns a field of a code as text. */
export function fieldOf(code: QrCode, field: Field): string {
  return code[field] ?? '';
}

const prints = new Map<string, string>();

/** Returns a fingerprint; few values are in use, so each is hashed once. */
export function printOf(value: string): string {
  const known = prints.get(value);
  if (known !== undefined) return known;
  const print = fingerprintOf(value);
  prints.set(value, print);
  return print;
}

/** Values of a row or a code that identify it: `name`, `type` and `destination`. */
export interface Triple {
  readonly name: string;
  readonly type?: string | undefined;
  readonly destination?: string | null | undefined;
}

/** Tests whether two rows or codes have the same name, type and destination. */
export function isEqual(one: Triple, other: Triple): boolean {
  return sharesName(one, other) && sharesDestination(one, other);
}

export function sharesName(one: Triple, other: Triple): boolean {
  return typeOf(one) === typeOf(other) && isSame('name', one.name, other.name);
}

export function sharesDestination(one: Triple, other: Triple): boolean {
  return (
    typeOf(one) === typeOf(other) && isSame('destination', one.destination ?? '', other.destination ?? '')
  );
}

function typeOf({ type }: Triple): string {
  return type ?? 'url';
}
