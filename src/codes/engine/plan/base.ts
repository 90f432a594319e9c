/**
 * Fingerprints of the values that a row was saved with, in a column named `base`: an ETag per field. A spreadsheet takes such a cell for text,
 * never for a number, a date or a formula.
 */
import { createHash } from 'node:crypto';
import { type Base, FIELDS, type Field } from './model.ts';

/** 24 bits per field: an edit is taken for none once in 16 million. */
const DIGITS = 6;

const BASE = /^r([0-9a-f]{6})-([0-9a-f]{6})-([0-9a-f]{6})$/;

/** Fingerprint of a field whose value at saving is not known: no value has it, so the field counts as edited by both sides. */
const UNKNOWN = 'ffffff';

/**
 * Returns the fingerprint of a value. Values that no file or spreadsheet can hold apart have the same one: lone surrogates, NULs, and the
 * kinds of line ends.
 */
export function fingerprintOf(value: string): string {
  const digest = createHash('sha256').update(plainOf(value)).digest('hex').slice(0, DIGITS);
  return digest === UNKNOWN ? 'fffffe' : digest;
}

/** Returns a value as it is in files of every kind. */
export function plainOf(value: string): string {
  return value.toWellFormed().replace(/\r\n?/g, '\n').replaceAll('\0', '');
}

/** Returns the base of a code, or of what a row knows of it. */
export function baseOf(values: { readonly [F in Field]?: string | null | undefined }): Required<Base> {
  const of = (field: Field) => (values[field] === undefined ? UNKNOWN : fingerprintOf(values[field] ?? ''));
  return { name: of('name'), destination: of('destination'), status: of('status') };
}

/** Formats a base for its cell: `r3fa9c1-77b2e0-a1c4d9`. */
export function formatBase(base: Base): string {
  return `r${FIELDS.map((field) => base[field] ?? UNKNOWN).join('-')}`;
}

/** Parses a base cell; undefined if it is not one. */
export function parseBase(cell: string): Base | undefined {
  const [match, name, destination, status] = BASE.exec(cell.trim()) ?? [];
  if (match === undefined || name === undefined || destination === undefined || status === undefined)
    return undefined;
  return { name, destination, status };
}
