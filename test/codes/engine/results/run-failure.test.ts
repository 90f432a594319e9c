/** The error at the end of a run: what is left, in few lines, and what to do about it. */
import { describe, expect, it } from 'vitest';
import { AuthError, exitCodeOf, Failure, RejectedError, UnavailableError, UnprovenError } from '#base/errors';
import type { RowEnd } from '#codes/engine/executor/job';
import type { Verb } from '#codes/engine/results/explain';
import { describeExisting, failureOfRun, type RunFacts } from '#codes/engine/results/run-failure';
import { change, codeOf, creation, endOf, itemOf, update } from './plan-builder.ts';

function failureOf(ends: readonly RowEnd[], verb: Verb = 'create', facts: Partial<RunFacts> = {}) {
  const failure = failureOfRun(ends, {
    verb,
    file: { name: 'codes.csv' },
    stop: undefined,
    resultsPath: 'codes.results.csv',
    ...facts,
  });
  if (failure === undefined) return undefined;
  if (!(failure instanceof Failure)) throw new Error('not a failure');
  return { exit: exitCodeOf(failure), lines: failure.message.split('\n'), hint: failure.hint };
}

const done = endOf(creation(2), 'created', { code: codeOf('menu') });
const rejected = (line: number) => endOf(creation(line), 'failed', { error: 'invalid name' });
const gone = (line: number) => endOf(itemOf(line, 'gone', { goneId: 'id-1', goneSlug: 'old' }), 'gone');
const exists = (line: number) => endOf(itemOf(line, 'exists', { code: codeOf('menu') }), 'exists');
const edited = endOf(
  itemOf(3, 'edited', { code: codeOf('menu'), changes: [change('edit', 'a', 'b')] }),
  'edited',
);
const conflict = endOf(
  itemOf(4, 'conflict', { code: codeOf('menu'), changes: [change('conflict', 'b', 'c', 'a')] }),
  'conflict',
);

const undecided = endOf(itemOf(5, 'undecided', { candidates: [codeOf('a'), codeOf('b')] }), 'undecided');

describe('the error after a run', () => {
  it("is undefined if every row was created, exists already, or keeps the service's value", () => {
    const kept = endOf(itemOf(3, 'unchanged', { changes: [change('keep', 'a', 'b')] }), 'unchanged');
    expect(failureOf([done, exists(3), kept])).toBeUndefined();
  });

  it('is the error that stopped the run, such as a rejected API key, even if other rows failed or conflicted', () => {
    expect(
      failureOf([conflict, rejected(5)], 'create', { stop: new AuthError('the key was rejected') })?.exit,
    ).toBe(3);
  });

  it('is the error that stopped the run even if no row failed because of it', () => {
    const stop = new UnprovenError('codes changed on the service during the run');
    expect(failureOf([done], 'create', { stop })).toMatchObject({ exit: 9, lines: [stop.message] });
    expect(failureOf([done, rejected(3)], 'create', { stop })?.lines).toEqual([stop.message]);
  });

  it('suggests running the same command again after an outage, before the hint of the outage error', () => {
    const stop = new UnavailableError('no response', { hint: 'Check the network.' });
    expect(failureOf([done], 'create', { stop })?.hint).toBe(
      'When the service is available again, run the same command to finish.\nCheck the network.',
    );
  });

  it('suggests running the command again only after an outage, and only if there is a results file', () => {
    const outage = new UnavailableError('no response');
    expect(failureOf([done], 'create', { stop: outage, resultsPath: undefined })?.hint).toBeUndefined();
    expect(failureOf([done], 'create', { stop: new AuthError('bad key') })?.hint).toBeUndefined();
    expect(failureOf([done], 'create', { stop: outage })?.hint).toBe(
      'When the service is available again, run the same command to finish.',
    );
  });

  it('has exit code 8 for failed rows, and states their common reason', () => {
    expect(failureOf([done, rejected(3), rejected(4)])).toEqual({
      exit: 8,
      lines: ['2 of 3 rows failed: invalid name'],
      hint: 'To retry the failed rows, run the same command again. See codes.results.csv for the reasons.',
    });
  });

  it('states no common reason if the reasons differ, or if there is none', () => {
    const other = endOf(creation(5), 'failed', { error: 'name is too long' });
    expect(failureOf([rejected(2), other])?.lines).toEqual(['2 of 2 rows failed']);
    expect(failureOf([endOf(creation(2), 'not-attempted')])?.lines).toEqual(['1 row failed']);
    expect(failureOf([rejected(2)])?.lines).toEqual(['1 row failed: invalid name']);
  });

  it('has exit code 9 if a backup that could not be verified stopped the run', () => {
    const stop = new UnprovenError('the backup of menu is incomplete');
    const failed = endOf(creation(2), 'failed', { error: stop.message });
    expect(failureOf([failed, rejected(3)], 'delete', { stop, isUnproven: true })).toMatchObject({
      exit: 9,
      lines: ['2 of 2 rows failed'],
    });
  });

  it('is the error that stopped the run if it concerns all rows, such as a rejected API key', () => {
    const stop = new AuthError('the key was rejected');
    const failed = endOf(creation(2), 'failed', { error: stop.message });
    expect(failureOf([failed, rejected(3)], 'create', { stop })).toMatchObject({
      exit: 3,
      lines: [stop.message],
    });
  });

  it('keeps the error that stopped the run as its cause', () => {
    const stop = new RejectedError('invalid name');
    const run = { verb: 'create', file: { name: 'codes.csv' }, stop } as const;
    expect(failureOfRun([rejected(2)], run)).toMatchObject({ cause: stop });
  });

  it('has exit code 8 if a failed row stopped the run (--fail-fast)', () => {
    const stop = new RejectedError('invalid name');
    expect(failureOf([rejected(2), endOf(creation(3), 'not-attempted')], 'create', { stop })).toMatchObject({
      exit: 8,
      lines: ['2 of 2 rows failed'],
    });
  });

  it('has exit code 8 for an edited row, and hints for --apply-edits and --as-new', () => {
    expect(failureOf([done, edited])).toEqual({
      exit: 8,
      lines: [
        '1 row differs from its code',
        '  line 3: differs from its code menu (id-menu); destination: the code has a, the row has b',
      ],
      hint:
        'Enter your decisions in the column decision of codes.results.csv ' +
        '(mine changes the code, theirs keeps it, new creates another, an ID or slug assigns a code, skip sends nothing), and run the command with --from codes.results.csv. ' +
        'Or add flags to this command. To change the existing code, add --apply-edits. To create a new code, add --as-new 3.',
    });
  });

  it('has exit code 8, but no hint for --apply-edits, for an edited row without an ID in a file with IDs', () => {
    const foreign = { ...edited, item: { ...edited.item, isForeign: true } };
    const { exit, hint } = failureOf([done, foreign], 'create', { resultsPath: undefined }) ?? {};
    expect(exit).toBe(8);
    expect(hint).toContain('To assign a code, add --adopt 3=CODE. To create a new code, add --as-new 3.');
    expect(hint).not.toContain('--apply-edits');
  });

  it.each([
    [[undecided], 'create', '(new creates another, an ID or slug assigns a code, skip sends nothing)'],
    [[undecided], 'update', '(an ID or slug assigns a code, skip sends nothing)'],
    [[gone(3)], 'create', '(new creates another, skip sends nothing)'],
    [[conflict], 'create', '(mine changes the code, theirs keeps it, skip sends nothing)'],
    [
      [conflict, undecided],
      'update',
      '(mine changes the code, theirs keeps it, an ID or slug assigns a code',
    ],
  ] as const)('explains only the decisions that its rows accept (case %#)', (ends, verb, words) => {
    expect(failureOf(ends, verb)?.hint).toContain(`codes.results.csv ${words}`);
  });

  it('has exit code 9 if a decision is needed, and also reports failed rows (E25)', () => {
    expect(failureOf([conflict, rejected(5)], 'update', { resultsPath: undefined })).toEqual({
      exit: 9,
      lines: [
        '1 row conflicts with changes on the service, 1 of 2 rows failed: invalid name',
        '  line 4: destination: the list had a, the service has b, the row has c',
      ],
      hint:
        'To send the values of the file, add --conflicts file. To keep the values of the service, add --conflicts service. For one row, enter mine or theirs in the column decision. ' +
        'To retry the failed rows, run the same command again. See the output for the reasons.',
    });
  });

  it('suggests decisions for single rows only in a conflict if the run has no results file', () => {
    const facts = { resultsPath: undefined };
    const word = 'in the column decision';
    expect(failureOf([conflict], 'update', facts)?.hint).toContain(word);
    expect(failureOf([edited], 'create', facts)?.hint).not.toContain(word);
    expect(failureOf([undecided, conflict], 'update', facts)?.hint).toContain(word);
    expect(failureOf([rejected(2)], 'update', facts)?.hint).toBe(
      'To retry the failed rows, run the same command again. See the output for the reasons.',
    );
    expect(failureOf([conflict], 'update')?.hint).not.toContain('mine or theirs');
  });

  it('does not ask for decisions about deleted codes if the command cannot create codes', () => {
    const { hint } = failureOf([gone(3), done], 'update') ?? {};
    expect(hint).toBe('Remove the row from the file.');
    expect(failureOf([gone(3), conflict], 'update')?.hint).toMatch(/^Enter your decisions in the column/);
  });

  it('quotes a file name with spaces in a suggested command', () => {
    const { hint } = failureOf([conflict], 'update', { resultsPath: 'my codes.results.csv' }) ?? {};
    expect(hint).toContain('of my codes.results.csv (');
    expect(hint).toContain("--from 'my codes.results.csv'.");
  });

  it('suggests --apply-edits together with --conflicts file for a conflict with `qr create`', () => {
    const { hint } = failureOf([conflict], 'create') ?? {};
    expect(hint).toContain('To send the values of the file, add --apply-edits and --conflicts file.');
  });

  it('mentions flags only if at least one of the decisions can be made with a flag', () => {
    const nextStep = 'To delete a changed code, enter mine in the column decision, or save a new list.';
    const changed = { ...conflict, item: { ...conflict.item, nextStep } };
    expect(failureOf([conflict, undecided], 'update')?.hint).toContain('Or add flags to this command.');
    expect(failureOf([changed], 'delete')?.hint).toMatch(/--from codes\.results\.csv\. To delete a changed/);
    expect(failureOf([changed, undecided], 'delete')?.hint).toContain('Or add flags to this command.');
  });

  it('suggests checking the profile first if the codes of all rows are missing, but not for a single row', () => {
    expect(failureOf([gone(2), gone(3)], 'update')?.hint).toMatch(
      /^Check --profile and the API key\. Remove/,
    );
    expect(failureOf([gone(2)], 'update')?.hint).toMatch(/^Remove the row/);
    expect(failureOf([undecided, undecided], 'update')?.hint).not.toContain('--profile');
  });

  it('states only once a reason that several rows share', () => {
    const ends = Array.from({ length: 300 }, (_, at) => exists(at + 2));
    expect(failureOf(ends, 'apply')).toMatchObject({
      exit: 9,
      lines: [
        '300 rows exist already on the service',
        '  line 2, line 3, line 4, 297 others: same values as menu (id-menu)',
      ],
    });
  });

  it('lists at most five reasons, and counts the rows with other reasons', () => {
    const ends = Array.from({ length: 300 }, (_, at) =>
      endOf(itemOf(at + 2, 'exists', { code: codeOf(`c${at}`) }), 'exists'),
    );
    const { lines = [] } = failureOf(ends, 'apply') ?? {};
    expect(lines).toHaveLength(7);
    expect(lines.at(-1)).toBe('  and 295 more; see codes.results.csv');
    const { lines: printed = [] } = failureOf(ends, 'apply', { resultsPath: undefined }) ?? {};
    expect(printed.at(-1)).toBe('  and 295 more; see the output');
    expect(failureOf(ends.slice(0, 5), 'apply')?.lines).toHaveLength(6);
  });

  it('counts the rows, not the reasons, that are not listed', () => {
    const of = (line: number, slug: string) =>
      endOf(itemOf(line, 'exists', { code: codeOf(slug) }), 'exists');
    const ends = ['a', 'a', 'a', 'a', 'b', 'c', 'd', 'e', 'f', 'f'].map((slug, at) => of(at + 2, slug));
    const { lines = [] } = failureOf(ends, 'apply') ?? {};
    expect(lines[1]).toBe('  line 2, line 3, line 4, 1 other: same values as a (id-a)');
    expect(lines.at(-1)).toBe('  and 2 more; see codes.results.csv');
  });

  it('has exit code 9 for a deleted code if the command can create codes, and 8 for `qr update` if other rows succeed', () => {
    expect(failureOf([done, gone(3)], 'create')?.exit).toBe(9);
    expect(failureOf([done, gone(3)], 'apply')?.exit).toBe(9);
    expect(failureOf([endOf(update(2, 'menu', 'b'), 'updated'), gone(3)], 'update')).toEqual({
      exit: 8,
      lines: [
        'the code of 1 row does not exist',
        '  line 3: old (id-1) does not exist (deleted, or never a code of this workspace)',
      ],
      hint: 'Remove the row from the file.',
    });
  });

  it('has exit code 4 for `qr update` if no row has a code that exists', () => {
    expect(failureOf([gone(2), gone(3)], 'update')?.exit).toBe(4);
    expect(failureOf([gone(2), gone(3)], 'create')?.exit).toBe(9);
    expect(failureOf([gone(2), rejected(3)], 'update')?.exit).toBe(8);
  });

  it('has exit code 9 if a backup could not be verified', () => {
    expect(failureOf([rejected(2)], 'delete', { isUnproven: true })?.exit).toBe(9);
  });

  it('identifies rows by their keys if the file has keys', () => {
    const ends = [
      endOf(itemOf(4, 'undecided', { key: 'menu', candidates: [codeOf('a')], reason: 'why' }), 'undecided'),
    ];
    expect(failureOf(ends, 'apply', { resultsPath: undefined })).toEqual({
      exit: 9,
      lines: ['1 row could not be matched to a code with certainty', '  key "menu": why: a (id-a)'],
      hint: 'To assign a code, add --adopt menu=CODE. To create a new code, add --as-new menu.',
    });
  });
});

it('the message about rows that already exist has their number and the flag that creates new codes', () => {
  expect(describeExisting(0)).toBeUndefined();
  expect(describeExisting(1)).toBe(
    '1 row exists already on the service; no code was created for it (to create it again: --as-new all)',
  );
  expect(describeExisting(300)).toBe(
    '300 rows exist already on the service; no code was created for them (to create them again: --as-new all)',
  );
});
