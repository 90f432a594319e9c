/**
 * Checks the shape of each line of a journal: a line of another shape is damage, whatever its checksum is, and nothing is concluded from
 * it.
 */
import { isObject } from '../../../service/json.ts';
import type { JournalRecord } from './journal-records.ts';

type FieldKind = 'string' | 'number' | 'boolean' | 'strings' | 'numbers' | 'entries' | 'seen';

/** Required fields of a line, in addition to its time. */
const FIELDS: Readonly<Record<JournalRecord['is'], Readonly<Record<string, FieldKind>>>> = {
  rows: { hashes: 'strings' },
  entries: { first: 'number', seen: 'entries' },
  changing: { entry: 'number', seen: 'seen' },
  order: { runs: 'numbers' },
  session: {},
  clock: {},
  intent: { row: 'number' },
  created: { row: 'number', id: 'string', slug: 'string', at: 'string' },
  adopted: { row: 'number', id: 'string', slug: 'string' },
  exists: { row: 'number', id: 'string', slug: 'string' },
  rejected: { row: 'number', error: 'string' },
  refused: { row: 'number', error: 'string' },
  unknown: { row: 'number', error: 'string' },
  absent: { row: 'number', before: 'strings', word: 'boolean' },
  asked: { row: 'number', candidates: 'strings' },
};
const TIME_FIELDS: Readonly<Record<string, FieldKind>> = { t: 'number', w: 'number', b: 'number' };
/** Lines about a state, without a time. */
const TIMELESS: ReadonlySet<string> = new Set(['rows', 'entries', 'changing', 'order']);

/** Required fields by the kind of a line. */
const SHAPES: ReadonlyMap<string, readonly (readonly [string, FieldKind])[]> = new Map(
  Object.entries(FIELDS).map(([is, fields]) => [is, Object.entries({ ...fields, ...(!TIMELESS.has(is) && TIME_FIELDS) })]),
);

/** O15: returns a function that tests whether the next line after the first has a shape that a run writes, given the lines before it. */
export function createShapeCheck(): (record: JournalRecord) => boolean {
  let known = 0;
  const isRow = (row: unknown) => Number.isInteger(row) && Number(row) >= 1 && Number(row) <= known;
  return (record) => {
    const values: Readonly<Record<string, unknown>> = { ...record };
    const numbers = [values.row, values.entry, ...(Array.isArray(values.more) ? values.more : [])].filter(
      (row) => row !== undefined,
    );
    if (!SHAPES.get(record.is)?.every(([name, kind]) => isOf(kind, values[name])) || !numbers.every(isRow)) return false;
    // Entries are numbered without a gap.
    if (record.is === 'entries' && !(Number.isInteger(record.first) && record.first >= 1 && record.first <= known + 1))
      return false;
    known = Math.max(known, lastEntry(record, known));
    return true;
  };
}

/** Number of the last entry in a line, given the number of earlier ones. */
function lastEntry(record: JournalRecord, before: number): number {
  if (record.is === 'rows' && Array.isArray(record.hashes)) return before + record.hashes.length;
  return record.is === 'entries' && Array.isArray(record.seen) ? record.first - 1 + record.seen.length : 0;
}

function isOf(kind: FieldKind, value: unknown): boolean {
  switch (kind) {
    case 'strings':
      return Array.isArray(value) && value.every((text) => typeof text === 'string');
    case 'numbers':
      return Array.isArray(value) && value.every((number) => Number.isSafeInteger(number) && number >= 1);
    case 'entries':
      return Array.isArray(value) && value.every(isSeen);
    case 'seen':
      return isSeen(value);
    default:
      return typeof value === kind;
  }
}

const TEXTS = ['name', 'type', 'destination', 'own', 'id', 'slug', 'key'] as const;

function isSeen(value: unknown): boolean {
  if (!isObject(value) || typeof value.all !== 'string') return false;
  return (
    TEXTS.every((name) => value[name] === undefined || typeof value[name] === 'string') &&
    [undefined, true].includes(value.word as true)
  );
}
