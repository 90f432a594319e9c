/** Each row says why it is as the plan or the results show it. */
import { describe, expect, it } from 'vitest';
import type { How } from '#codes/engine/plan/model';
import {
  countQuestions,
  describeAnswers,
  explainRow,
  nameItem,
  reasonOf,
  stateOf,
} from '#codes/engine/results/explain';
import { change, codeOf, creation, endOf, itemOf, rowOf, update } from './plan-builder.ts';

const code = codeOf('menu');
const SENDING = {
  n: 1,
  run: 'before',
  values: { name: 'Menu' },
  decided: false,
  firstIds: new Set<string>(),
};
const LONG = 'https://example.com/a-folder/of-another-folder/with-a-long-name/?utm_source=poster&utm_medium=';

describe('the state of a row', () => {
  it('is the planned action, or the outcome if that is `failed`, `not-attempted` or `gone`', () => {
    expect(stateOf({ item: creation(2) })).toBe('create');
    expect(stateOf(endOf(creation(2), 'created'))).toBe('create');
    expect(stateOf(endOf(itemOf(0, 'removed'), 'unchanged'))).toBe('removed');
    for (const outcome of ['failed', 'not-attempted', 'gone'] as const)
      expect(stateOf(endOf(update(2, 'menu', 'b'), outcome))).toBe(outcome);
  });
});

describe('the reason for a row', () => {
  it('is absent if old and new values explain the change', () => {
    expect(reasonOf({ item: update(2, 'menu', 'https://example.com/new') })).toBeUndefined();
    expect(reasonOf({ item: creation(2) })).toBeUndefined();
    expect(reasonOf({ item: itemOf(2, 'unchanged', { code }) })).toBeUndefined();
  });

  it('states the saved, current and new values in a conflict', () => {
    const item = itemOf(2, 'conflict', {
      code,
      changes: [change('conflict', 'https://b.example', 'https://c.example', 'https://a.example')],
    });
    expect(reasonOf({ item })).toBe(
      'destination: the list had https://a.example, the service has https://b.example, the row has https://c.example',
    );
  });

  it('states only the current and new values in a conflict if the saved value is unknown', () => {
    const item = itemOf(2, 'conflict', { code, changes: [change('conflict', 'b', 'c')] });
    expect(reasonOf({ item })).toBe('destination: the service has b since the list was saved, the row has c');
  });

  it('states that updated_at does not show which value is newer if its cell has no time zone and the change has no base', () => {
    const row = rowOf(2, { updatedAtMs: Number.NEGATIVE_INFINITY });
    const reason = (base?: string) =>
      reasonOf({ item: itemOf(2, 'conflict', { row, code, changes: [change('conflict', 'b', 'c', base)] }) });
    expect(reason()).toBe(
      'destination: the service has b, the row has c, and the column updated_at does not show which is newer',
    );
    expect(reason('a')).toBe('destination: the list had a, the service has b, the row has c');
  });

  it('describes each changed field, and each value that the service stored differently', () => {
    const changes = [{ ...change('keep', 'b', 'c', 'a'), field: 'name' as const }, change('drift', 'd', 'e')];
    const altered = [{ field: 'status', sent: '', stored: 'active' }] as const;
    expect(reasonOf(endOf(itemOf(2, 'unchanged', { code, changes }), 'unchanged', { altered }))).toBe(
      'name: the service has b, which is kept (the row has c); destination: the service has d, last applied: e; status: the service stored active instead of (empty)',
    );
  });

  it('shows the differing part of long values, and marks an empty value', () => {
    const item = itemOf(2, 'conflict', {
      code,
      changes: [change('conflict', `${LONG}flyer`, `${LONG}web`, '')],
    });
    const reason = reasonOf({ item }) ?? '';
    expect(reason).toContain('the list had (empty)');
    expect(reason).toMatch(/the service has "…\S+flyer", the row has "…\S+web"/);
    expect(reason.length).toBeLessThan(250);
  });

  it('escapes quotes, line breaks and invisible characters in values', () => {
    const item = itemOf(2, 'conflict', {
      code,
      changes: [change('conflict', 'a", the row has "b\n\u202e', 'c d')],
    });
    expect(reasonOf({ item })).toBe(
      String.raw`destination: the service has "a\", the row has \"b\n\u{202e}" since the list was saved, the row has "c d"`,
    );
  });

  it('reports a change by another client, and whether the row overwrites the change', () => {
    const told = (what: 'keep' | 'overwrite' | 'edit' | 'drift') =>
      reasonOf({
        item: itemOf(2, 'unchanged', { code, changes: [change(what, 'theirs', 'ours', 'before')] }),
      });
    expect(told('keep')).toBe('destination: the service has theirs, which is kept (the row has ours)');
    expect(told('overwrite')).toBe(
      'destination: the service has theirs instead of before, and the row overwrites it with ours',
    );
    const same = itemOf(2, 'update', { code, changes: [change('overwrite', 'theirs', 'ours', 'theirs')] });
    expect(reasonOf({ item: same })).toBe(
      'destination: the service has theirs, and the row overwrites it with ours',
    );
    expect(told('edit')).toBe('destination: the code has theirs, the row has ours');
    expect(told('drift')).toBe('destination: the service has theirs, last applied: ours');
  });

  it('names the code, or at most five candidates, for a row with the action `exists`, `gone` or `undecided`', () => {
    expect(reasonOf({ item: itemOf(2, 'exists', { code, how: 'equal' }) })).toBe(
      'same values as menu (id-menu)',
    );
    const gone = (how: How) =>
      reasonOf({ item: itemOf(2, 'gone', { how, goneId: 'id-1', goneSlug: 'old' }) });
    expect(gone('key')).toBe('its code old (id-1) was deleted from the service');
    const undone = itemOf(2, 'gone', { how: 'id', goneId: 'id-1', nextStep: 'Deleted codes stay deleted.' });
    expect(reasonOf({ item: undone })).toBe('its code id-1 was deleted from the service');
    for (const how of ['id', 'slug'] as const)
      expect(gone(how)).toBe('old (id-1) does not exist (deleted, or never a code of this workspace)');
    const candidates = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((slug) => codeOf(slug));
    expect(
      reasonOf({ item: itemOf(2, 'undecided', { candidates, reason: '7 existing codes have its values' }) }),
    ).toBe(
      '7 existing codes have its values: a (id-a) or b (id-b) or c (id-c) or d (id-d) or e (id-e) or 2 others',
    );
  });

  it("distinguishes an edit of the row's own code from a possible edit", () => {
    const changes = [change('edit', 'a', 'b')];
    expect(reasonOf({ item: itemOf(2, 'edited', { code, how: 'ledger', changes }) })).toContain(
      'differs from its code menu',
    );
    expect(reasonOf({ item: itemOf(2, 'edited', { code, how: 'guess', changes }) })).toContain(
      'may be an edit of the code menu',
    );
  });

  it('states that the code does not exist if the row had the outcome `gone` in earlier results', () => {
    const of = (outcome: string) => {
      const row = { ...rowOf(2), id: undefined, slug: undefined, values: new Map([['outcome', outcome]]) };
      return reasonOf({
        item: itemOf(2, 'unchanged', { row, reason: 'an earlier run created no code for it' }),
      });
    };
    expect(of('gone')).toBe('an earlier run found that its code does not exist');
    expect(of('failed')).toBe('an earlier run created no code for it');
  });

  it('does not repeat the outcome `gone` of earlier results if the row now has a code or a decision', () => {
    const row = rowOf(2, { values: new Map([['outcome', 'gone']]) });
    expect(reasonOf({ item: itemOf(2, 'unchanged', { row, code }) })).toBeUndefined();
    const skipped = { ...row, decision: { is: 'skip' } as const };
    expect(
      reasonOf({ item: itemOf(2, 'unchanged', { row: skipped, reason: 'skipped by your decision' }) }),
    ).toBe('skipped by your decision');
  });

  it('reports that the code of a removed key is paused, or was deleted', () => {
    const removed = {
      key: 'menu',
      changes: [{ ...change('send', 'active', 'paused'), field: 'status' as const }],
    };
    expect(reasonOf({ item: itemOf(0, 'removed', { ...removed, code, pause: 'removed' }) })).toBe(
      'its key was removed from the file, so its code is paused',
    );
    expect(reasonOf({ item: itemOf(0, 'removed', { key: 'menu' }) })).toContain(
      'its code was deleted from the service',
    );
  });

  it('reports a removed key, and the reason if its code is not paused', () => {
    const of = (more: Parameters<typeof itemOf>[2]) =>
      reasonOf({ item: itemOf(0, 'removed', { key: 'menu', code, ...more }) });
    expect(of({})).toBe('its key was removed from the file');
    expect(of({ reason: 'its code, which qrctl paused, was reactivated' })).toBe(
      'its key was removed from the file; its code, which qrctl paused, was reactivated',
    );
  });

  it('states why a row needs a new code', () => {
    expect(reasonOf({ item: { ...creation(2), repeats: SENDING } })).toBe('an earlier request was lost');
    expect(reasonOf({ item: { ...creation(2), replaces: 'id-1' } })).toBe(
      'replaces the code id-1, with a new slug',
    );
    const waiting = { ...creation(2), repeats: SENDING, isWaiting: true };
    expect(reasonOf({ item: waiting })).toBe(
      'an earlier run received no response, so qrctl looks for its code first',
    );
  });

  it('states for a row with the action `deleted` that no code has its ID or slug', () => {
    expect(reasonOf({ item: itemOf(2, 'deleted', { goneId: 'id-1' }) })).toBe('no code has its ID or slug');
  });

  it('names a missing code by its slug if the row has no ID', () => {
    expect(reasonOf({ item: itemOf(2, 'gone', { how: 'slug', goneSlug: 'old menu' }) })).toBe(
      '"old menu" does not exist (deleted, or never a code of this workspace)',
    );
  });

  it('names the other key that an earlier run used for a code with the same values', () => {
    const reason = 'an earlier run used this code for the key "a", maybe from another file';
    expect(reasonOf({ item: itemOf(2, 'exists', { code, how: 'equal', reason }) })).toBe(
      `same values as menu (id-menu); ${reason}`,
    );
  });

  it('lists no codes if an uncertain row has no candidates', () => {
    expect(reasonOf({ item: itemOf(2, 'undecided', { reason: 'its request got no response' }) })).toBe(
      'its request got no response',
    );
  });

  it('is the request error if the row failed', () => {
    expect(reasonOf(endOf(creation(2), 'failed', { error: 'invalid name' }))).toBe('invalid name');
  });

  it('is absent for a created code, even if the plan first had to look for the code', () => {
    const item = { ...creation(2), isWaiting: true };
    expect(reasonOf({ item })).toContain('looks for its code first');
    expect(reasonOf(endOf(item, 'created', { code }))).toBeUndefined();
  });

  it('reports a value that the service stored differently', () => {
    const altered = [{ field: 'name', sent: 'A  b', stored: 'A b' }] as const;
    expect(reasonOf(endOf(creation(2), 'created', { altered }))).toBe(
      'name: the service stored "A b" instead of "A  b"',
    );
  });

  it('lists the candidates that a run found for a row with the outcome `undecided`', () => {
    const item = creation(2);
    expect(reasonOf(endOf(item, 'undecided', { candidates: [codeOf('a')] }))).toBe(
      'not matched with certainty: a (id-a)',
    );
  });
});

describe('the error column in results', () => {
  const answers = (action: Parameters<typeof itemOf>[1], verb: Parameters<typeof explainRow>[1]) =>
    explainRow({ item: itemOf(2, action, { code, goneId: 'id-1' }) }, verb)?.split('. ')[1];

  it('lists the values that the decision column accepts', () => {
    expect(answers('conflict', 'update')).toBeUndefined();
    expect(
      explainRow(
        { item: itemOf(2, 'conflict', { code, changes: [change('conflict', 'b', 'c', 'a')] }) },
        'update',
      ),
    ).toBe(
      'destination: the list had a, the service has b, the row has c. To decide, enter mine, theirs or skip in the column decision',
    );
    expect(answers('gone', 'create')).toBe('To decide, enter new or skip in the column decision');
    expect(answers('edited', 'create')).toBe('To decide, enter mine, theirs or new in the column decision');
    expect(answers('exists', 'apply')).toBe('To decide, enter its ID, new or skip in the column decision');
  });

  it('lists `new` for an uncertain row only if the command can create codes', () => {
    const of = (verb: Parameters<typeof explainRow>[1]) =>
      explainRow({ item: itemOf(2, 'undecided', { reason: 'two codes match' }) }, verb);
    expect(of('apply')).toBe(
      'two codes match. To decide, enter the ID of a code, new or skip in the column decision',
    );
    expect(of('update')).toBe(
      'two codes match. To decide, enter the ID of a code or skip in the column decision',
    );
  });

  it('is only the request error for a code that was deleted during the run', () => {
    const end = endOf(update(2, 'menu', 'https://example.com/new'), 'gone', { error: 'not found (404)' });
    expect(explainRow(end, 'create')).toBe('not found (404)');
  });

  it('lists no values for rows that need no decision', () => {
    expect(answers('edited', 'update')).toBeUndefined();
    expect(answers('edited', 'apply')).toBeUndefined();
    expect(answers('exists', 'create')).toBeUndefined();
    expect(answers('gone', 'update')).toBeUndefined();
    expect(explainRow({ item: itemOf(2, 'unchanged', { row: rowOf(2) }) }, 'create')).toBeUndefined();
  });

  it('states that a decision for an existing code does not apply to a deleted code', () => {
    const row = rowOf(2, { decision: { is: 'theirs' } });
    expect(explainRow({ item: itemOf(2, 'gone', { row, goneId: 'id-1' }) }, 'create')).toContain(
      'The decision theirs does not apply. To decide, enter new or skip in the column decision',
    );
  });

  it.each([
    ['undecided', 'mine', true],
    ['gone', 'mine', true],
    ['gone', 'skip', false],
    ['undecided', 'new', false],
    ['conflict', 'mine', false],
    ['edited', 'theirs', false],
  ] as const)(
    'for a row with the state `%s` and the decision `%s` contains "The decision … does not apply": %j',
    (action, is, isUseless) => {
      const row = rowOf(2, { decision: { is } });
      const error = explainRow({ item: itemOf(2, action, { row, code, goneId: 'id-1' }) }, 'create');
      expect(error?.includes(`The decision ${is} does not apply. To decide, enter`)).toBe(isUseless);
    },
  );
});

describe('the questions of a run', () => {
  it.each([
    [
      'undecided',
      '1 row could not be matched to a code with certainty',
      '2 rows could not be matched to a code with certainty',
    ],
    ['gone', 'the code of 1 row does not exist', 'the codes of 2 rows do not exist'],
    [
      'conflict',
      '1 row conflicts with changes on the service',
      '2 rows conflict with changes on the service',
    ],
    ['exists', '1 row exists already on the service', '2 rows exist already on the service'],
    ['edited', '1 row differs from its code', '2 rows differ from their codes'],
  ] as const)('are counted with the correct plural (%s)', (question, one, two) => {
    expect(countQuestions(question, 1)).toBe(one);
    expect(countQuestions(question, 2)).toBe(two);
  });

  it.each([
    [['conflict'], 'create', 'mine changes the code, theirs keeps it, skip sends nothing'],
    [['gone'], 'create', 'new creates another, skip sends nothing'],
    [['gone'], 'update', 'skip sends nothing'],
    [['exists'], 'apply', 'new creates another, an ID or slug assigns a code, skip sends nothing'],
    [['undecided'], 'delete', 'an ID or slug assigns a code, skip sends nothing'],
    [
      ['conflict', 'gone'],
      'create',
      'mine changes the code, theirs keeps it, new creates another, skip sends nothing',
    ],
  ] as const)('of the kinds %j have only the decisions that apply to `qr %s`', (questions, verb, words) => {
    expect(describeAnswers(questions, verb)).toBe(words);
  });

  it('name a row by its key, or by its line or item number if it has no key', () => {
    const item = itemOf(3, 'undecided');
    expect(nameItem({ ...item, key: 'menu' }, { name: 'codes.csv' })).toBe('key "menu"');
    expect(nameItem(item, { name: 'codes.csv' })).toBe('line 3');
    expect(nameItem(item, { name: 'codes.json', form: { is: 'json' } })).toBe('item 3');
  });

  it('name the code if the file has no row for it, as for a duplicate', () => {
    const item = itemOf(0, 'undecided', { candidates: [code, codeOf('other')] });
    expect(nameItem(item, { name: 'codes.csv' })).toBe('code menu');
  });
});
