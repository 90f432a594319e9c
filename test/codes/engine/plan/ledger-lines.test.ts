/** Validation of ledger lines: a line of the wrong shape is refused before the engine uses it. */
import { expect, it } from 'vitest';
import { isLedgerLine } from '#codes/engine/plan/ledger-lines';

const POST = { is: 'post', run: 'r1', n: 1, values: { name: 'Menu' } };
const PATCH = { is: 'patch', run: 'r1', n: 2, id: 'a', set: { name: 'New' }, before: { name: 'Menu' } };

it.each([
  ['a POST', POST],
  ['a POST with all optional fields', { ...POST, key: 'K', again: 1, decided: true, status: 'paused' }],
  ['a run that lists IDs', { is: 'run', run: 'r1', ids: ['a', 'b'] }],
  ['a run without IDs', { is: 'run', run: 'r1' }],
  ['a PATCH that pauses a code', { ...PATCH, pause: 'removed' }],
  ['a PATCH with dated changes', { ...PATCH, due: { status: { atMs: 10, says: 'paused' } } }],
  ['a line with a field from a later version', { ...POST, color: 'red' }],
])('a ledger line is valid: %s', (_, line) => {
  expect(isLedgerLine(line)).toBe(true);
});

it.each([
  ['an unknown kind', { ...POST, is: 'push' }],
  ['the name of a built-in object method as its kind', { ...POST, is: 'toString' }],
  ['a missing field', { is: 'post', run: 'r1', n: 1 }],
  ['a number instead of a text', { ...POST, run: 1 }],
  ['a text instead of a number', { ...POST, n: '1' }],
  ['a fraction as a request number', { ...POST, n: 1.5 }],
  ['a text instead of a flag', { ...POST, decided: 'yes' }],
  ['an optional field of the wrong type', { ...POST, key: 7 }],
  ['a text instead of an object', { ...POST, values: 'Menu' }],
  ['a text instead of a list', { is: 'run', run: 'r1', ids: 'a' }],
  ['an object instead of a list', { is: 'run', run: 'r1', ids: {} }],
  ['a list with an element of the wrong type', { is: 'run', run: 'r1', ids: ['a', 7] }],
  ['an unknown reason for a pause', { ...PATCH, pause: 'lunch' }],
  ['a dated change without a time', { ...PATCH, due: { status: { says: 'paused' } } }],
])('a ledger line is refused if it has %s', (_, line) => {
  expect(isLedgerLine(line)).toBe(false);
});

const CODE = { name: 'Menu', type: 'url', destination: 'https://a.test/' };
const VALUES = { name: 'Menu', destination: 'https://a.test/', status: 'active' };
const MARK = { atMs: 10, says: 'paused' };
const CHANGES = [{ from: 'a', sent: 'b', stored: 'b' }];
const ROW = {
  run: 'r1',
  n: 1,
  values: CODE,
  key: 'K',
  replaces: 'b',
  decided: true,
  status: 'paused',
  again: 1,
};

/** Complete lines of each kind, and the fields that a line may lack. */
const COMPLETE: [line: { is: string; [field: string]: unknown }, optional: string][] = [
  [{ is: 'run', run: 'r1', ids: ['a'], undoes: 'r0' }, 'ids undoes'],
  [{ is: 'post', ...ROW }, 'type destination key replaces decided status again'],
  [
    { is: 'made', n: 1, id: 'a', slug: 's', stored: VALUES, decided: true },
    'name destination status decided',
  ],
  [{ is: 'not', n: 1 }, ''],
  [
    { ...PATCH, key: 'K', row: CODE, pause: 'backup', due: { name: MARK } },
    'name name key type destination row pause name due',
  ],
  [{ is: 'set', n: 2, stored: VALUES }, 'name destination status'],
  [{ is: 'due', run: 'r1', id: 'a', due: { status: MARK }, stored: { name: 'M' } }, 'status name'],
  [{ is: 'delete', run: 'r1', n: 3, id: 'a' }, ''],
  [{ is: 'deleted', n: 3 }, ''],
  [
    { is: 'found', run: 'r1', id: 'a', row: CODE, stored: {}, key: 'K', replaces: 'b' },
    'type destination key replaces',
  ],
  [{ is: 'decided', n: 1 }, ''],
  [{ is: 'end', run: 'r1' }, ''],
  [{ is: 'stored', field: 'status', value: 'b', stored: 'B' }, ''],
  [{ is: 'replaced', id: 'a', by: 'b' }, ''],
  [{ is: 'first', ids: ['a'] }, ''],
  [
    { is: 'sending', sending: { ...ROW, decided: false, first: 1, rowCode: 'a', isChecked: true } },
    'type destination key replaces status again rowCode isChecked',
  ],
  [
    {
      is: 'claim',
      claim: {
        id: 'a',
        key: 'K',
        rows: [CODE],
        origin: 'made',
        n: 1,
        order: 1,
        run: 'r1',
        isEnded: true,
        stored: {},
        changes: { name: CHANGES, destination: CHANGES, status: CHANGES },
        due: { name: [MARK] },
        isDecided: false,
        unsent: 'x',
        paused: { why: 'backup', status: 'active' },
        isDeleted: false,
      },
    },
    'key type destination isEnded changes name due unsent paused',
  ],
  [{ is: 'counters', next: 4, order: 2 }, ''],
];

/** Returns copies of a value, one for each of its fields, with the field changed. */
function variants(
  value: unknown,
  change: (field: string, fields: Record<string, unknown>) => void,
): { field: string; copy: unknown }[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.keys(value).flatMap((field) => {
    const copyOf = () => structuredClone(value) as Record<string, unknown>;
    const inside = variants(copyOf()[field], change).map((one) => ({
      ...one,
      copy: Object.assign(copyOf(), { [field]: one.copy }),
    }));
    const copy = copyOf();
    change(field, copy);
    return [...inside, { field, copy }];
  });
}

it.each(COMPLETE)(
  'the ledger line %j is refused if a field is null, or if a field is missing that is not one of these: "%s"',
  (line, optional) => {
    expect(isLedgerLine(line)).toBe(true);
    const isValid = ({ copy }: { copy: unknown }) => isLedgerLine(copy as { is: string });
    const withNull = variants(line, (field, fields) => {
      fields[field] = null;
    });
    expect(withNull.filter(isValid)).toEqual([]);
    const shorter = variants(line, (field, fields) => {
      if (!Array.isArray(fields)) delete fields[field];
    });
    const accepted = shorter.filter((one) => !/^\d/.test(one.field) && isValid(one));
    expect(accepted.map(({ field }) => field).join(' ')).toBe(optional);
  },
);
