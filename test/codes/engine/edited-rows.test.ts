import { describe, expect, it } from 'vitest';
import { newState, type RowState } from '../../../src/codes/engine/creation/apply-record.ts';
import type { Edit } from '../../../src/codes/engine/creation/input-plan.ts';
import type { RowEnd } from '../../../src/codes/engine/creation/row-ends.ts';
import { createEditedRows, tellEdit } from '../../../src/codes/engine/edited-rows.ts';

const entry = (row: number, name: string, id?: string): RowState => ({ ...newState(row), id, seen: { name, all: 'f' } });
const edit = (more: Partial<Edit>): Edit => {
  const row = { row: 1, line: 2, values: new Map(), code: { name: 'Menu' } };
  return { row, of: undefined, changes: undefined, candidates: [], ...more };
};
const renamed = edit({ of: entry(1, 'a', 'id-1'), changes: [{ field: 'name', old: 'a', new: 'Menu' }] });
const end = (line: number, of: Edit, id?: string): RowEnd => ({
  ...{ row: line - 1, line, state: 'edited', id, slug: id, error: undefined, edit: of },
  ...{ sentNow: false, before: false, stopped: false, candidates: [] },
});

function errorOf(ends: readonly RowEnd[]): { message?: string; hint?: string | undefined } {
  const edited = createEditedRows();
  for (const one of ends) edited.add(one);
  return { message: edited.error()?.message, hint: edited.error()?.hint };
}

describe('an edited row', () => {
  it.each<[string, Edit]>([
    ['name changed from "a" to "Menu"', renamed],
    ['changed since its code was created', edit({ of: entry(1, 'a', 'id-1') })],
    ['may be an edit of a removed row: "a" (it may have a code)', edit({ of: entry(1, 'a') })],
    [
      'may be an edit of a removed row: "a" (id-1) or "b" (it may have a code)',
      edit({ candidates: [entry(1, 'a', 'id-1'), entry(2, 'b')] }),
    ],
  ])('is told as: %s', (text, of) => {
    expect(tellEdit(of)).toBe(text);
  });
});

describe('the error of edited rows', () => {
  it('is none without them, and names one', () => {
    expect(errorOf([])).toEqual({});
    expect(errorOf([end(2, renamed, 'id-1')])).toEqual({
      message:
        '1 row was edited since the last run; nothing was sent for it\n  line 2: name changed from "a" to "Menu" (code id-1)',
      hint: 'Add --apply-edits to change the existing code, or --as-new 2 to create a new code for line 2.',
    });
  });

  it('names five, counts the others, and advises about the first that is not clear', () => {
    const unclear = edit({ candidates: [entry(1, 'a', 'id-1')] });
    const ends = [2, 3, 4, 5, 6, 7, 8].map((line) => end(line, line === 7 ? unclear : renamed, line === 7 ? undefined : 'id'));
    const { message = '', hint } = errorOf(ends);
    expect(message.split('\n')).toHaveLength(7);
    expect(message).toMatch(/^7 rows were edited .* for them\n {2}line 2: .*\n {2}and 2 more; see the results$/s);
    expect(hint).toBe('Add --apply-edits to change the existing codes, or --as-new 7 to create a new code for line 7.');
  });

  it('advises to decide where no code can be changed', () => {
    const typed = edit({ of: entry(1, 'a', 'id-1'), changes: [{ field: 'type', old: 'url', new: 'text' }] });
    expect(errorOf([end(2, typed, 'id-1')]).hint).toBe('Add --as-new 2 to create a new code for line 2.');
    const unclear = edit({ candidates: [entry(1, 'a', 'id-1')] });
    expect(errorOf([end(3, unclear)]).hint).toBe(
      'Add --as-new 3 to create a new code for line 3, or --adopt 3=ID --apply-edits to change an existing code.',
    );
  });
});
