/** What needs attention comes first in every format, and creations can't hide it. */
import { describe, expect, it } from 'vitest';
import { arrangeRows, countRows, describeRows } from '#commands/qr/plan/arrange-rows';
import {
  change,
  codeOf,
  creation,
  endOf,
  itemOf,
  update,
} from '../../../codes/engine/results/plan-builder.ts';

const code = codeOf('menu');
const items = [
  creation(2),
  itemOf(3, 'unchanged', { code }),
  itemOf(4, 'adopt', { code }),
  update(5, 'menu', 'a'),
  itemOf(6, 'delete', { code }),
  itemOf(0, 'removed', { key: 'b', code, isNews: true }),
  itemOf(7, 'exists', { code }),
  itemOf(8, 'edited', { code }),
  itemOf(9, 'conflict', { code }),
  itemOf(10, 'gone'),
  itemOf(11, 'undecided'),
  itemOf(12, 'unchanged', { code, changes: [change('keep', 'a', 'b')] }),
  itemOf(13, 'deleted'),
  itemOf(0, 'removed', { key: 'a', code }),
];
const rows = items.map((item) => ({ item }));
const actions = (some: readonly { item: { action: string } }[]) => some.map(({ item }) => item.action);

describe('an arranged plan', () => {
  it('has decisions first, then removals, changes, creations and unchanged rows', () => {
    const { first, creations, quiet } = arrangeRows(rows, 'apply');
    expect(actions(first)).toEqual([
      ...['undecided', 'gone', 'conflict', 'edited', 'exists'],
      ...['removed', 'delete', 'update', 'adopt', 'unchanged'],
    ]);
    expect(actions(creations)).toEqual(['create']);
    expect(actions(quiet)).toEqual(['unchanged', 'deleted', 'removed']);
  });

  it('for `qr create` has rows with the action `exists` among the unchanged rows, because they need no decision', () => {
    expect(actions(arrangeRows(rows, 'create').quiet)).toContain('exists');
  });

  it('has unchanged rows with an error, and changes that were not attempted, before creations', () => {
    const unchanged = endOf(itemOf(3, 'unchanged', { code }), 'unchanged', { error: 'no' });
    const waiting = endOf(update(5, 'menu', 'a'), 'not-attempted');
    const { first, creations, quiet } = arrangeRows([unchanged, waiting], 'apply');
    expect([first, creations, quiet].map(actions)).toEqual([['update', 'unchanged'], [], []]);
  });

  it('has creations in the order of the file', () => {
    const { creations } = arrangeRows(
      [creation(2), creation(3), creation(4)].map((item) => ({ item })),
      'create',
    );
    expect(creations.map(({ item }) => item.row?.line)).toEqual([2, 3, 4]);
  });

  it('has failed creations first, and lists creations that were not attempted with the successful ones', () => {
    const failed = endOf(creation(3), 'failed', { error: 'no' });
    const waiting = endOf(creation(4), 'not-attempted');
    const done = endOf(creation(2), 'created');
    const { first, creations } = arrangeRows([done, failed, waiting], 'create');
    expect(first).toEqual([failed]);
    expect(creations).toEqual([done, waiting]);
  });
});

describe('the summary of a plan', () => {
  it('counts the rows for each action, in the order of the plan', () => {
    expect(countRows(rows, 1200)).toBe(
      '1 to decide, 1 missing on the service, 1 in conflict, 1 edited, 1 existing, 2 removed from the file, 1 to delete, ' +
        '1 to update, 1 to adopt, 1 to create, 1 already deleted, 2 unchanged, 1,200 unmanaged',
    );
    expect(countRows([], 0)).toBe('nothing to do');
  });

  it.each([
    [[creation(2), creation(3)], '2 codes to create'],
    [[itemOf(2, 'exists', { code }), creation(3)], '1 existing code, 1 to create'],
    [[itemOf(2, 'conflict', { code })], '1 row in conflict'],
    [[], 'nothing to do'],
  ])(
    'counts codes if they are to be created or exist, and rows if they are in conflict',
    (planned, expected) => {
      expect(describeRows(planned.map((item) => ({ item })))).toBe(expected);
    },
  );

  it('counts outcomes instead of actions after a run', () => {
    const adopt = itemOf(4, 'adopt', { code });
    const ends = [
      endOf(creation(2), 'created'),
      endOf(creation(3), 'failed'),
      endOf(adopt, 'updated'),
      endOf(adopt, 'adopted'),
    ];
    expect(countRows([...ends, endOf(itemOf(0, 'removed', { code }), 'updated')], 0)).toBe(
      '1 failed, 1 removed from the file, 1 updated, 1 adopted, 1 created',
    );
  });
});
