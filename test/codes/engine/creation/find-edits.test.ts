import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createNumbering } from '../../../../src/base/collections/create-numbering.ts';
import { type Clues, findEdits, type Gone } from '../../../../src/codes/engine/creation/find-edits.ts';

type Texts = { readonly [clue in keyof Clues]?: string | undefined };

const numberOf = createNumbering();
const NAMES = ['name', 'rest', 'gap', 'own', 'same'] as const;
const fresh = (texts: Texts): Clues => {
  const [name, rest, gap, own, same] = NAMES.map((clue) => texts[clue]).map((text) => text && numberOf(text)) as number[];
  return { name, rest, gap, own, same };
};
const gone = ({ isAny = false, ...texts }: Texts & { isAny?: boolean }): Gone => ({ ...fresh(texts), isAny });

/** For each row: the place of the entry that it was, `?` where that is not clear, `new` where it shares nothing. */
function edits(rows: readonly Clues[], entries: readonly Gone[]): (number | '?' | 'new')[] {
  const found = findEdits(rows, entries).edits;
  return rows.map((row) => {
    const edit = found.get(row);
    if (!edit) return 'new';
    return edit.of ? entries.indexOf(edit.of) : '?';
  });
}

describe('a row is an edit of an entry that is gone', () => {
  it.each<[string, Texts]>([
    ['name', { name: 'a' }],
    ['type and destination', { rest: 'a' }],
    ['neighbors', { gap: '1:2' }],
    ['own columns', { own: 'a' }],
  ])('if they share their %s (O31, O32)', (_, clue) => {
    expect(edits([fresh(clue)], [gone({ ...clue, name: clue.name ?? 'other' })])).toEqual([0]);
    expect(edits([fresh({ name: 'b', rest: 'b', gap: '8:9', own: 'b' })], [gone(clue)])).toEqual(['new']);
  });

  it('if it is where one of several was that said the same, of which nobody knows which is gone (O31)', () => {
    const [row, entry] = [fresh({ name: 'b', gap: '0:2' }), gone({ name: 'a', gap: '2:0' })];
    const { edits: found, held } = findEdits([row], [entry], new Map(), new Map([[numberOf('0:2'), entry]]));
    expect(found.get(row)).toMatchObject({ candidates: [entry] });
    expect(held).toEqual(new Set([entry]));
  });

  it('if nobody knows what that said', () => {
    const [row, entry] = [fresh({ name: 'a' }), gone({ isAny: true })];
    expect(findEdits([row], [entry, gone({ name: 'b' })]).edits.get(row)).toMatchObject({ candidates: [entry] });
    const [near, there] = [fresh({ name: 'a', gap: '1:2' }), gone({ isAny: true, gap: '1:2' })];
    expect(findEdits([near, row], [there]).edits.get(near)).toEqual({ of: there, candidates: [] });
  });
});

describe('entries that a row may have been', () => {
  it('are those that share a clue with it, by the strength of the clue (O31)', () => {
    const row = fresh({ name: 'name', gap: '1:2' });
    const entries = [gone({ name: 'other', gap: '1:2' }), gone({ name: 'third' }), gone({ name: 'name', gap: '3:4' })];
    expect(findEdits([row], entries).edits.get(row)).toMatchObject({ candidates: [entries[2], entries[0]] });
  });

  it('are five at most, the first ones, and all of them are held (O31)', () => {
    const [row, entries] = [fresh({ name: 'a' }), Array.from({ length: 7 }, () => gone({ name: 'a' }))];
    const { edits: found, held } = findEdits([row], entries);
    expect(found.get(row)?.candidates.map((entry) => entries.indexOf(entry as Gone))).toEqual([0, 1, 2, 3, 4]);
    expect(held.size).toBe(7);
  });

  it('are held in their own order, also those of which nobody knows what they said, unless there is no row (O31)', () => {
    const entries = [gone({ gap: '1:2' }), gone({ isAny: true }), gone({ rest: 'r' }), gone({ name: 'a' }), gone({ name: 'b' })];
    const { held } = findEdits([fresh({ name: 'a', rest: 'r', gap: '1:2' })], entries);
    expect([...held].map((entry) => entries.indexOf(entry))).toEqual([0, 1, 2, 3]);
    expect(findEdits([], entries).held.size).toBe(0);
  });
});

describe('which entry it was', () => {
  const at = (name: string, rest: string, gap: string) => ({ name, rest, gap });

  it('is clear where two clues agree, and the others are no new rows for all that (O31, O32)', () => {
    const entries = [gone(at('Menu', 'x', '1:2'))];
    expect(
      edits([fresh(at('Menu', 'y', '1:2')), fresh(at('Other', 'z', '1:2')), fresh(at('Menu', 'w', '8:9'))], entries),
    ).toEqual([0, '?', '?']);
  });

  it('is not clear where one row has the name and another the destination (O32)', () => {
    expect(edits([fresh(at('Menu', 'y', '1:2')), fresh(at('Other', 'x', '1:2'))], [gone(at('Menu', 'x', '1:2'))])).toEqual([
      '?',
      '?',
    ]);
  });

  it('is told by columns of the user’s own before all others (O32)', () => {
    const entries = [gone({ ...at('Menu', 'x', '1:2'), own: 'sku 1' })];
    expect(edits([fresh(at('Menu', 'y', '1:2')), fresh({ ...at('b', 'z', '8:9'), own: 'sku 1' })], entries)).toEqual(['?', 0]);
  });

  it('is told by their order in one place if there are as many of both, and else not (O32)', () => {
    const entries = [gone(at('a', '1', '1:2')), gone(at('b', '2', '1:2'))];
    const rows = [fresh(at('c', '3', '1:2')), fresh(at('d', '4', '1:2'))];
    expect(edits(rows, entries)).toEqual([0, 1]);
    expect(edits([...rows, fresh(at('e', '5', '1:2'))], entries)).toEqual(['?', '?', '?']);
    expect(edits(rows.slice(0, 1), entries)).toEqual(['?']);
    // One of them may have come from elsewhere.
    expect(edits([fresh(at('c', '3', '1:2')), fresh(at('z', '4', '1:2'))], [...entries, gone(at('z', '9', '8:9'))])).toEqual([
      '?',
      '?',
    ]);
  });

  it('is told by their order also if a name is that of several, but only if there are as many of both (O32)', () => {
    const entries = [gone(at('a', '1', '1:2')), gone(at('a', '2', '1:2'))];
    const rows = [fresh(at('a', '3', '1:2')), fresh(at('a', '4', '1:2'))];
    expect(edits(rows, entries)).toEqual([0, 1]);
    expect(edits([...rows, fresh(at('b', '5', '1:2'))], entries)).toEqual(['?', '?', '?']);
  });

  it('is the one with the same values at the same position, whatever else is there (O32)', () => {
    const rows = [fresh(at('Menu', 'x', '1:2')), fresh(at('Other', 'y', '1:2'))];
    expect(edits(rows, [gone(at('Menu', 'x', '1:2'))])).toEqual([0, '?']);
  });

  it('is not clear where one entry has the name and another the destination (O32)', () => {
    const entries = [gone(at('Menu', 'x', '1:2')), gone(at('Other', 'y', '1:2'))];
    expect(edits([fresh(at('Menu', 'y', '1:2'))], entries)).toEqual(['?']);
  });

  it('is not told by clues that both lack (O32)', () => {
    const named = [gone({ name: 'a', gap: '1:2' }), gone({ name: 'b' })];
    expect(edits([fresh({ name: 'a' })], named)).toEqual([0]);
    const led = [gone({ name: 'x', rest: 'r', gap: '1:2' }), gone({ gap: '3:4' })];
    expect(edits([fresh({ rest: 'r', gap: '8:9' })], led)).toEqual([0]);
  });

  it('is what the user says', () => {
    const [row, entry] = [fresh({ name: 'a' }), gone({ name: 'b' })];
    expect(findEdits([row], [entry], new Map([[row, entry]])).edits.get(row)).toEqual({ of: entry, candidates: [] });
  });
});

it('whatever the clues, an entry becomes one row at most, which shares a clue with it, and no other row that does is new (O31, O32)', () => {
  const text = fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined });
  const clues = fc.record({ name: text, rest: text, gap: text }).map(fresh);
  fc.assert(
    fc.property(fc.array(clues, { maxLength: 7 }), fc.array(clues, { maxLength: 7 }), (rows, before) => {
      const entries = before.map((one) => ({ ...one, isAny: false }));
      const { edits: found, held } = findEdits(rows, entries);
      const shares = (row: Clues, entry: Clues) =>
        (['name', 'rest', 'gap'] as const).some((clue) => row[clue] !== undefined && row[clue] === entry[clue]);
      for (const row of rows) expect(found.has(row)).toBe(entries.some((entry) => shares(row, entry)));
      for (const entry of entries) expect(held.has(entry)).toBe(rows.some((row) => shares(row, entry)));
      const of = [...found.values()].flatMap((edit) => edit.of ?? []);
      expect(new Set(of).size).toBe(of.length);
      for (const [row, edit] of found) if (edit.of) expect(shares(row, edit.of)).toBe(true);
    }),
  );
});

it('looks at each row a bounded number of times, also if all were edited', () => {
  let looks = 0;
  const watched = <T extends object>(clues: T): T =>
    new Proxy(clues, {
      get(target, name) {
        looks += 1;
        return Reflect.get(target, name);
      },
    });
  const many = Array.from({ length: 5000 }, (_, n) => ({ name: `n ${n}`, rest: `old ${n % 3}`, gap: '0:0' }));
  const found = findEdits(
    many.map((clues) => watched(fresh({ ...clues, rest: 'https://new' }))),
    many.map((clues) => watched(gone(clues))),
  );
  expect([...found.edits.values()].filter(({ of }) => of)).toHaveLength(many.length);
  expect(looks).toBeLessThan(200 * many.length);
});
