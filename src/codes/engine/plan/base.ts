/** Formats and parses `base` cells: a fingerprint of each saved field, like an ETag. */
import { hash } from 'node:crypto';
import { type Base, FIELDS, type Field } from './model.ts';

/** Number of hex digits per fingerprint. One edit in 16 million is missed. */
const DIGITS = 6;

const BASE = /^r(?<name>[0-9a-f]{6})-(?<destination>[0-9a-f]{6})-(?<status>[0-9a-f]{6})$/;

/** Fingerprint of an unknown value. No value has it, so both row and service count as edited. */
const UNKNOWN = 'ffffff';

/** Returns the fingerprint of a value, equal for values that spreadsheets can't distinguish. */
export function fingerprintOf(value: string): string {
  const digest = hash('sha256', plainOf(value)).slice(0, DIGITS);
  return digest === UNKNOWN ? 'fffffe' : digest;
}

export function plainOf(value: string): string {
  return value.toWellFormed().replace(/\r\n?/g, '\n').replaceAll('\0', '');
}

export function baseOf(values: { readonly [F in Field]?: string | null | undefined }): Required<Base> {
  const of = (field: Field) => (values[field] === undefined ? UNKNOWN : fingerprintOf(values[field] ?? ''));
  return { name: of('name'), destination: of('destination'), status: of('status') };
}

export const UNKNOWN_BASE = baseOf({});

export function formatBase(base: Base): string {
  return `r${FIELDS.map((field) => base[field] ?? UNKNOWN).join('-')}`;
}

export function parseBase(cell: string): Base | undefined {
  const found = BASE.exec(cell.trim())?.groups;
  // Copies the groups, because they use twice the memory of an ordinary object.
  return found && { name: found.name, destination: found.destination, status: found.status };
}
