/** Choosing and ordering codes here, because the service does neither. */
import { CODE_FIELDS, type QrCode } from '../../service/shapes.ts';
import { parseInstant } from '../../time.ts';

export interface Filters {
  status?: readonly string[] | undefined;
  type?: readonly string[] | undefined;
  name?: readonly string[] | undefined;
}

/** Whether a code passes: any of the values of each flag that was given. Names match in part, in either case. */
export function createFilter({ status, type, name }: Filters): (code: QrCode) => boolean {
  const parts = name?.map(fold);
  return (code) =>
    (!status || status.includes(code.status)) &&
    (!type || type.includes(code.type)) &&
    (!parts || parts.some((part) => fold(code.name).includes(part)));
}

function fold(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

export interface Sort {
  field: (typeof CODE_FIELDS)[number];
  descending: boolean;
}

export const SORT_FORMS = `It takes one of ${CODE_FIELDS.join(', ')}, with :desc for the other way round.`;

/** `FIELD`, `FIELD:asc` or `FIELD:desc`, or undefined. */
export function parseSort(text: string): Sort | undefined {
  const [name, direction = 'asc', ...more] = text.split(':');
  const field = CODE_FIELDS.find((known) => known === name);
  if (!field || more.length || !['asc', 'desc'].includes(direction)) return undefined;
  return { field, descending: direction === 'desc' };
}

/** The same order on every machine, whatever its language. Codes without the field come first; equal ones stay as they were. */
export function sortCodes(codes: readonly QrCode[], { field, descending }: Sort): QrCode[] {
  const collator = new Intl.Collator('en', { numeric: true });
  const isTime = field === 'created_at' || field === 'updated_at';
  const compare = (a: QrCode, b: QrCode) => {
    if (isTime) return (parseInstant(a[field]) ?? 0) - (parseInstant(b[field]) ?? 0);
    return collator.compare(a[field] ?? '', b[field] ?? '');
  };
  return [...codes].sort(descending ? (a, b) => compare(b, a) : compare);
}
