import { describe, expect, it } from 'vitest';
import { type Seen, seenOf } from '../../../../src/codes/engine/creation/entries.ts';
import type { NewRow } from '../../../../src/codes/engine/creation/new-row.ts';
import { createTextSharing } from '../../../../src/codes/engine/creation/shared-texts.ts';

const row = (name: string, destination?: string, type?: 'text', own: string[] = []): NewRow => ({
  ...{ row: 1, line: 2, own },
  values: new Map([['name', name], ['destination', destination ?? ''], ...own.map((column) => [column, 'x'] as const)]),
  code: { name, ...(type && { type }), ...(destination !== undefined && { destination }) },
});
const ROWS = [row('a', 'https://x.example/'), row('b', undefined, 'text'), row('c', 'https://z.example/', undefined, ['shelf'])];

/** An entry as it is after it was written to the journal and read again. */
function read(seen: Seen): Seen {
  const record = JSON.parse(JSON.stringify({ is: 'entries', first: 1, seen: [seen] }));
  const shared = createTextSharing(ROWS)(record);
  return shared.is === 'entries' && shared.seen[0] ? shared.seen[0] : expect.unreachable();
}

describe('an entry that shares the texts of the input', () => {
  it('is what it was, in the layout of all entries', () => {
    for (const one of ROWS) {
      expect(read(seenOf(one))).toEqual(seenOf(one));
      expect(Object.keys(read(seenOf(one)))).toEqual(Object.keys(seenOf(one)));
    }
  });

  it.each<[string, Partial<Seen>]>([
    ['an ID', { id: 'id-7', slug: 's' }],
    ['a decision', { word: true }],
    ['a name with other spaces', { name: ' a' }],
    ['a name that no row has', { name: 'z' }],
    ['another form of the address', { destination: 'https://X.example/' }],
    ['no address', { destination: undefined }],
    ['another type', { type: 'text' }],
    ['a key', { key: 'k' }],
  ])('keeps %s', (_, more) => {
    const [first] = ROWS as [NewRow];
    expect(read({ ...seenOf(first), ...more })).toEqual({ ...seenOf(first), ...more });
  });

  it('is only in lines of entries', () => {
    const line = { is: 'clock', t: 1, w: 2, b: 3 } as const;
    expect(createTextSharing(ROWS)(line)).toBe(line);
  });
});
