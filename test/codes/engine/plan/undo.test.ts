import { describe, expect, it } from 'vitest';
import type { LedgerLine } from '#codes/engine/plan/ledger-lines';
import { createReplay } from '#codes/engine/plan/ledger-view';
import type { Plan } from '#codes/engine/plan/model';
import { chooseRun, createRunReader, planUndo, undoRows } from '#codes/engine/plan/undo';
import type { QrCode } from '#service/shapes';
import { codeOf, idOf, made, POLICY, patched } from './make.ts';

const A = 'https://example.com/a';
const B = 'https://example.com/b';

/** Run `one` changes the destination of code 1 from A to B, creates code 2, and deletes code 3. */
const RUN: readonly LedgerLine[] = [
  { is: 'run', run: 'one', ids: [idOf(1)] },
  ...patched(1, 1, { destination: B }, { destination: A }, 'one'),
  { is: 'post', run: 'one', n: 2, values: { name: 'Code 2', type: 'url', destination: B } },
  made(2, codeOf(2, { destination: B })),
  { is: 'delete', run: 'one', n: 3, id: idOf(3) },
  { is: 'deleted', n: 3 },
  { is: 'end', run: 'one' },
];

function runsOf(lines: readonly LedgerLine[]) {
  const reader = createRunReader();
  for (const line of lines) reader.take(line);
  return reader.finish();
}

function undo(lines: readonly LedgerLine[], codes: readonly QrCode[], name?: string): Plan {
  const run = chooseRun(runsOf(lines), name);
  if (!run) throw new Error('no run');
  const replay = createReplay();
  for (const line of lines) replay.take(line);
  const listing = { codes: new Map(codes.map((code) => [code.id, code])), isWhole: false };
  const policy = { ...POLICY, verb: 'update' as const, force: true };
  const input = { run: 'undo', rows: undoRows(run), listing, ledger: replay.view(), lock: undefined };
  return planUndo({ ...input, policy, isSettled: false }, run);
}

describe('undo', () => {
  it('restores a field, pauses a created code, and reports a deleted code as `gone`', () => {
    const { items } = undo(RUN, [codeOf(1, { destination: B }), codeOf(2, { destination: B })]);
    expect(items).toMatchObject([
      { action: 'update', send: { destination: A } },
      { action: 'update', send: { status: 'paused' } },
      { action: 'gone', goneId: idOf(3) },
    ]);
  });

  it('keeps a field that was edited after the run, even if a later run on this machine edited the field', () => {
    const edited = codeOf(1, { destination: 'https://example.com/theirs', status: 'paused' });
    expect(undo(RUN.slice(0, 3), [edited]).items).toMatchObject([
      {
        action: 'unchanged',
        send: {},
        reason: 'kept, edited since: destination "https://example.com/theirs"',
      },
    ]);
    const later: readonly LedgerLine[] = [
      ...RUN.slice(0, 3),
      { is: 'run', run: 'two' },
      ...patched(9, 1, { destination: 'https://c.example/' }, { destination: B }, 'two'),
    ];
    const { items } = undo(later, [codeOf(1, { destination: 'https://c.example/' })], 'one');
    expect(items).toMatchObject([{ action: 'unchanged', send: {} }]);
  });

  it('sends nothing for a field that already has its old value', () => {
    const { items } = undo(RUN.slice(0, 3), [codeOf(1, { destination: A })]);
    expect(items).toMatchObject([{ action: 'unchanged', send: {}, reason: undefined }]);
  });

  it('ignores a code if the change to it was refused, even if the code has the requested value now', () => {
    const refused: readonly LedgerLine[] = [...RUN.slice(0, 2), { is: 'not', n: 1 }, ...RUN.slice(3)];
    const { items } = undo(refused, [codeOf(1, { destination: B }), codeOf(2, { destination: B })]);
    expect(items.map(({ code }) => code?.id)).not.toContain(idOf(1));
  });

  it('ignores a run that only paused codes for a backup and restored them', () => {
    const patch = { is: 'patch', run: 'one', id: idOf(1) } as const;
    const restored: readonly LedgerLine[] = [
      { is: 'run', run: 'one' },
      { ...patch, n: 1, set: { status: 'paused' }, before: { status: 'active' }, pause: 'backup' },
      { ...patch, n: 2, set: { status: 'active' }, before: { status: 'unknown' }, pause: 'restored' },
      { is: 'set', n: 2, stored: { status: 'active' } },
    ];
    expect(runsOf(restored)).toEqual([]);
    const replay = createReplay();
    for (const line of restored) replay.take(line);
    expect(replay.view().claims.get(idOf(1))?.paused).toBeUndefined();
  });

  it('restores the original value of a field that the run changed twice', () => {
    const twice: readonly LedgerLine[] = [
      ...RUN.slice(0, 3),
      ...patched(4, 1, { destination: 'https://c.example/' }, { destination: B }, 'one').slice(0, 1),
    ];
    const { items } = undo(twice, [codeOf(1, { destination: 'https://c.example/' })]);
    expect(items).toMatchObject([{ send: { destination: A } }]);
  });

  it('pauses a created code that the run changed later, and does not change its other fields', () => {
    const lines: readonly LedgerLine[] = [
      { is: 'run', run: 'one' },
      { is: 'post', run: 'one', n: 1, values: { name: 'Code 1', type: 'url', destination: A } },
      made(1, codeOf(1, { destination: A, status: 'paused' })),
      ...patched(2, 1, { status: 'active', destination: B }, { status: 'paused', destination: A }, 'one'),
    ];
    const active = codeOf(1, { destination: B });
    const { items } = undo(lines, [active]);
    expect(items).toMatchObject([{ action: 'update', code: active }]);
    expect(items[0]?.send).toEqual({ status: 'paused' });
    expect(undo(lines, [{ ...active, status: 'paused' }]).items).toMatchObject([
      { action: 'unchanged', send: {} },
    ]);
    expect(undo(lines, [{ ...active, status: 'expired' }]).items).toMatchObject([
      { action: 'unchanged', send: {}, reason: 'kept, edited since: status "expired"' },
    ]);
  });

  it('restores only the fields of a code that were not edited since, and reports the others', () => {
    const before = { name: 'Old', destination: A, status: 'active' };
    const lines: readonly LedgerLine[] = [
      { is: 'run', run: 'one' },
      ...patched(1, 1, { name: 'New', destination: B, status: 'paused' }, before, 'one'),
    ];
    const edited = codeOf(1, { name: 'Say "hi"', destination: null, status: 'paused' });
    const { items, warnings } = undo(lines, [edited]);
    expect(items).toMatchObject([
      { action: 'update', reason: 'kept, edited since: name "Say \\"hi\\"", destination ""' },
    ]);
    expect([items[0]?.send, warnings]).toEqual([{ status: 'active' }, []]);
    expect(undo(lines, [codeOf(1, { name: 'New', destination: B, status: 'paused' })]).items).toMatchObject([
      { action: 'update', send: before, reason: undefined },
    ]);
  });

  it('restores all fields of a code, even if the run changed them in separate requests', () => {
    const lines: readonly LedgerLine[] = [
      ...RUN.slice(0, 3),
      ...patched(4, 1, { name: 'New' }, { name: 'Code 1' }, 'one'),
    ];
    const { items } = undo(lines, [codeOf(1, { name: 'New', destination: B })]);
    expect(items).toMatchObject([{ action: 'update', send: { name: 'Code 1', destination: A } }]);
  });

  it('restores a destination without UTM tags, and gives no warning about the tags', () => {
    const tagged = `${A}?utm_source=a`;
    const lines: readonly LedgerLine[] = [
      { is: 'run', run: 'one' },
      ...patched(1, 1, { destination: tagged }, { destination: A }, 'one'),
    ];
    expect(undo(lines, [codeOf(1, { destination: tagged })])).toMatchObject({
      items: [{ action: 'update', send: { destination: A } }],
      warnings: [],
    });
  });

  it('shows how to create a deleted code again', () => {
    const { items } = undo(RUN, [codeOf(1, { destination: B })]);
    const nextStep = expect.stringContaining('run `qrctl qr create --from DIR/ID.json`');
    expect(items.map((item) => [item.action, item.goneId, item.reason, item.nextStep])).toEqual([
      ['update', undefined, undefined, undefined],
      ['gone', idOf(2), undefined, nextStep],
      ['gone', idOf(3), undefined, nextStep],
    ]);
  });

  it('numbers the codes of the run like rows, but without cells', () => {
    const [run] = runsOf(RUN);
    if (!run) throw new Error('no run');
    expect(undoRows(run)).toEqual([
      { row: 1, line: 1, values: new Map(), doubts: [], id: idOf(1), wish: { destination: A } },
      { row: 2, line: 2, values: new Map(), doubts: [], id: idOf(2), wish: { status: 'paused' } },
      { row: 3, line: 3, values: new Map(), doubts: [], id: idOf(3), wish: {} },
    ]);
  });
});

describe('the changes of a run', () => {
  const begin: LedgerLine = { is: 'run', run: 'one' };
  const end: LedgerLine = { is: 'end', run: 'one' };
  const change = patched(1, 1, { destination: B }, { destination: A }, 'one');
  const kindsOf = (lines: readonly LedgerLine[]) =>
    runsOf(lines).map(({ run, isDone, codes }) => [
      run,
      isDone,
      ...[...codes.values()].map(({ id, is }) => `${is} ${Number(id.slice(-4))}`),
    ]);

  it('are grouped by code, and the run is done only if its end was recorded', () => {
    expect(kindsOf(RUN)).toEqual([['one', true, 'changed 1', 'created 2', 'deleted 3']]);
    expect(kindsOf(RUN.slice(0, -1))).toEqual([['one', false, 'changed 1', 'created 2', 'deleted 3']]);
    const later = patched(9, 2, { name: 'New' }, { name: 'Code 2' }, 'one');
    expect(kindsOf([...RUN.slice(0, -1), ...later, end])).toEqual([
      ['one', true, 'changed 1', 'created 2', 'deleted 3'],
    ]);
  });

  it('are complete even if the run recorded its start twice', () => {
    expect(kindsOf([begin, ...change, { ...begin, ids: [] }, end])).toEqual([['one', true, 'changed 1']]);
  });

  it('include a change without a response, but no creation or deletion without one', () => {
    const post: LedgerLine = { is: 'post', run: 'one', n: 2, values: { name: 'Code 2', type: 'url' } };
    const deletion: LedgerLine = { is: 'delete', run: 'one', n: 3, id: idOf(3) };
    expect(kindsOf([begin, ...change, post, end])).toEqual([['one', false, 'changed 1']]);
    expect(kindsOf([begin, ...change, deletion, end])).toEqual([['one', false, 'changed 1']]);
    expect(kindsOf([begin, ...change.slice(0, 1), end])).toEqual([['one', false, 'changed 1']]);
    expect(kindsOf([begin, post, end])).toEqual([]);
  });

  it('are incomplete if a request was refused', () => {
    const refused = patched(4, 4, { destination: B }, { destination: A }, 'one').slice(0, 1);
    expect(kindsOf([begin, ...change, ...refused, { is: 'not', n: 4 }, end])).toEqual([
      ['one', false, 'changed 1'],
    ]);
  });

  it('include the code of a lost request that only a later run found', () => {
    const lines: readonly LedgerLine[] = [
      begin,
      { is: 'post', run: 'one', n: 2, values: { name: 'Code 2', type: 'url' } },
      { is: 'run', run: 'two' },
      made(2, codeOf(2)),
      { is: 'end', run: 'two' },
    ];
    expect(kindsOf(lines)).toEqual([['one', false, 'created 2']]);
  });

  it('exclude those of runs whose start is no longer in the ledger', () => {
    const rest: readonly LedgerLine[] = [
      made(11, codeOf(2)),
      { is: 'set', n: 12, stored: { destination: B } },
      { is: 'deleted', n: 13 },
      { is: 'not', n: 14 },
      { is: 'end', run: 'zero' },
      ...patched(15, 1, { destination: B }, { destination: A }, 'zero'),
    ];
    expect(kindsOf([...rest, begin, ...change, end])).toEqual([['one', true, 'changed 1']]);
    expect(runsOf(rest)).toEqual([]);
  });

  it('exclude a pause for a backup that got no response', () => {
    const patch = { is: 'patch', run: 'one', id: idOf(1), n: 1, before: { status: 'active' } } as const;
    expect(runsOf([begin, { ...patch, set: { status: 'paused' }, pause: 'backup' }])).toEqual([]);
    expect(kindsOf([begin, { ...patch, set: { status: 'paused' }, pause: 'removed' }])).toEqual([
      ['one', false, 'changed 1'],
    ]);
  });
});

describe('the run to undo', () => {
  const undone = (isEnded: boolean): readonly LedgerLine[] => [
    ...RUN,
    { is: 'run', run: 'two', undoes: 'one' },
    { is: 'patch', run: 'two', n: 5, id: idOf(1), set: { destination: A }, before: { destination: B } },
    ...(isEnded
      ? [{ is: 'set', n: 5, stored: { destination: A } } as const, { is: 'end', run: 'two' } as const]
      : []),
  ];

  it('is the last run with changes, or undefined if that run is a complete undo', () => {
    expect(chooseRun(runsOf([...RUN, { is: 'run', run: 'empty' }]), undefined)?.run).toBe('one');
    expect(chooseRun(runsOf(undone(false)), undefined)?.run).toBe('one');
    const earlier: readonly LedgerLine[] = [
      { is: 'run', run: 'zero' },
      { is: 'post', run: 'zero', n: 9, values: { name: 'Code 9', type: 'url', destination: B } },
      { is: 'made', n: 9, id: idOf(9), slug: 'n0009', stored: { status: 'active' } },
      { is: 'end', run: 'zero' },
    ];
    expect(chooseRun(runsOf([...earlier, ...undone(true)]), undefined)).toBeUndefined();
    expect(chooseRun(runsOf([...earlier, ...undone(false)]), undefined)?.run).toBe('one');
  });

  it('is the same run again after an incomplete undo', () => {
    const failed = undone(true).map(
      (line): LedgerLine => (line.is === 'set' && line.n === 5 ? { is: 'not', n: 5 } : line),
    );
    expect(chooseRun(runsOf(failed), undefined)?.run).toBe('one');
  });

  it('is the specified run, even if it is an undo, or undefined if no such run exists', () => {
    expect(chooseRun(runsOf(undone(true)), 'two')?.run).toBe('two');
    expect(chooseRun(runsOf(RUN), 'other')).toBeUndefined();
  });

  it('is undefined if no run changed a code', () => {
    expect(chooseRun([], undefined)).toBeUndefined();
    expect(chooseRun([], 'one')).toBeUndefined();
  });

  it('must be specified after an incomplete undo of an undo', () => {
    const again: readonly LedgerLine[] = [
      ...undone(true),
      { is: 'run', run: 'three', undoes: 'two' },
      ...patched(6, 1, { destination: B }, { destination: A }, 'three'),
    ];
    expect(chooseRun(runsOf(again), undefined)).toBeUndefined();
    expect(chooseRun(runsOf(again), 'two')?.run).toBe('two');
  });
});
