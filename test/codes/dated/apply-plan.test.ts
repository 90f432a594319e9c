/** A plan followed over many runs, killed at every request, while people change things too. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyDue, planDue } from '../../../src/codes/dated/apply-plan.ts';
import { type DatedChange, dueRowsOf, keysOf } from '../../../src/codes/dated/dated-plan.ts';
import { openPlanJournal, readPlanJournal } from '../../../src/codes/dated/plan-journal.ts';
import type { CodeChanges, QrCode } from '../../../src/service/shapes.ts';
import { createWorkspace } from '../../../src/service/workspace.ts';
import { CODE } from '../../service/setup.ts';
import { createMemoryDisk } from '../../support/memory-disk.ts';

const JOURNAL = '/data/plan.results.csv.journal';
const workspace = createWorkspace({ baseUrl: 'https://qr.example/api/v1', apiKey: 'svc_live_a' });
const own = { workspace, getCode: async () => undefined };

class Killed extends Error {}

function world(plan: readonly DatedChange[]) {
  const memory = createMemoryDisk();
  let code: QrCode = { ...CODE };
  const sent: CodeChanges[] = [];
  /** One run at a time of the service's clock; `kill`: before or after its PATCH is applied. */
  async function run(nowMs: number, kill?: 'before' | 'after') {
    const journal = await openPlanJournal(JOURNAL, own, memory.disk);
    const dueRows = dueRowsOf(plan, nowMs, (row) => journal.isDone(keysOf(code.id, row)[0]) !== undefined);
    const updateCode = async (_: string, changes: CodeChanges) => {
      if (kill === 'before') throw new Killed();
      sent.push(changes);
      code = { ...code, ...changes };
      if (kill === 'after') throw new Killed();
      return code;
    };
    if (dueRows.pending.length === 0) return journal.close();
    const result = await applyDue({ code, dueRows }, { journal, service: { updateCode } }).catch((error) => {
      if (!(error instanceof Killed)) throw error;
    });
    await journal.close();
    return result;
  }
  /** What a dry run shows. */
  async function planned(nowMs: number) {
    const journal = await readPlanJournal(JOURNAL, own, memory.disk);
    const dueRows = dueRowsOf(plan, nowMs, (row) => journal.isDone(keysOf(code.id, row)[0]) !== undefined);
    return planDue({ code, dueRows }, journal);
  }
  return { run, plan: planned, sent, code: () => code, edit: (changes: CodeChanges) => Object.assign(code, changes) };
}

const NOTHING_OPEN = { open: () => undefined };

const row = (atMs: number, changes: CodeChanges, n = atMs): DatedChange => ({ row: n, line: n + 1, atMs, changes });

describe('applyDue', () => {
  it('sends a change once, and leaves what a person did later (O26)', async () => {
    const { run, sent, code, edit } = world([row(10, { destination: 'https://a/' }), row(20, { status: 'paused' })]);
    await run(5);
    await run(10);
    await run(11);
    edit({ destination: 'https://mine/' });
    await run(12);
    await run(25);
    expect(sent).toEqual([{ destination: 'https://a/' }, { status: 'paused' }]);
    expect(code()).toMatchObject({ destination: 'https://mine/', status: 'paused' });
  });

  it('sends a change once, also if its previous value was restored (O26)', async () => {
    const { run, sent, edit } = world([row(10, { destination: 'https://a/' })]);
    expect(await run(10)).toEqual({ id: CODE.id, slug: CODE.slug, outcome: 'updated', error: undefined });
    edit({ destination: CODE.destination });
    expect(await run(11)).toBeUndefined();
    expect(sent).toHaveLength(1);
  });

  it('returns which fields were kept as someone changed them later (O27)', async () => {
    const { run, plan, edit } = world([row(10, { name: 'new', destination: 'https://a/' })]);
    await run(10, 'before');
    edit({ name: 'mine', destination: 'https://mine/' });
    expect(await plan(11)).toEqual({ send: {}, left: ['name', 'destination'] });
    const kept = expect.stringMatching(/: name, destination$/);
    expect(await run(11)).toEqual({ id: CODE.id, slug: CODE.slug, outcome: 'unchanged', error: kept });
  });

  it('fails for a destination that takes no tags, without a request, and for nothing else', () => {
    const due = dueRowsOf([{ ...row(10, {}), utm: { source: 's' } }], 10, () => false);
    const code: QrCode = { ...CODE, destination: 'tel:1' };
    expect(() => planDue({ code, dueRows: due }, NOTHING_OPEN)).toThrow(
      expect.objectContaining({ name: 'RejectedError', outcome: 'not-applied' }),
    );
    const broken = Object.defineProperty({ ...CODE }, 'destination', {
      get: () => {
        throw new TypeError('broken');
      },
    });
    expect(() => planDue({ code: broken, dueRows: due }, NOTHING_OPEN)).toThrow(TypeError);
  });

  it('leaves an edit alone that was made between two lost PATCHes of two fields (O27)', async () => {
    const { run, sent, code, edit } = world([row(10, { name: 'new', destination: 'https://a/' })]);
    await run(10, 'before');
    edit({ name: 'mine' });
    await run(11, 'before');
    await run(12);
    expect(sent).toEqual([{ destination: 'https://a/' }]);
    expect(code()).toMatchObject({ name: 'mine', destination: 'https://a/' });
  });

  it('sends a field again that a later row wants otherwise, whatever was lost before', async () => {
    const { run, code } = world([row(10, { name: 'new', destination: 'https://a/' }), row(20, { name: 'later' })]);
    await run(10, 'before');
    await run(20, 'before');
    await run(21);
    expect(code()).toMatchObject({ name: 'later', destination: 'https://a/' });
  });

  it('sends again what was not applied, is content with what was, and lets a later word of a person stand (O27)', async () => {
    const plan = [row(10, { destination: 'https://a/' })];
    const lost = world(plan);
    await lost.run(10, 'before');
    await lost.run(11);
    expect(lost.sent).toEqual([{ destination: 'https://a/' }]);
    const applied = world(plan);
    await applied.run(10, 'after');
    await applied.run(11);
    expect(applied.sent).toHaveLength(1);
    const edited = world(plan);
    await edited.run(10, 'after');
    edited.edit({ destination: 'https://mine/' });
    await edited.run(11);
    await edited.run(12);
    expect(edited.sent).toHaveLength(1);
    expect(edited.code().destination).toBe('https://mine/');
  });

  it('ends in the plan’s state however often it is killed, nothing early, nothing twice, nothing undone', async () => {
    const changes = fc.record(
      {
        destination: fc.constantFrom('https://a/', 'https://b/', 'https://c/'),
        status: fc.constantFrom('active', 'paused', 'expired'),
      },
      { requiredKeys: [] },
    );
    const steps = fc.array(
      fc.record({
        after: fc.integer({ min: 1, max: 30 }),
        kill: fc.constantFrom('before' as const, 'after' as const, undefined),
      }),
      { minLength: 1, maxLength: 8 },
    );
    let kills = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.integer({ min: 1, max: 60 }), changes), { minLength: 1, maxLength: 6 }),
        steps,
        async (rows, runs) => {
          const plan = [...new Map(rows).entries()].map(([atMs, wanted], n) => row(atMs, wanted, n + 1));
          const { run, sent, code } = world(plan);
          let nowMs = 0;
          for (const { after, kill } of runs) {
            nowMs += after;
            const before = sent.length;
            await run(nowMs, kill);
            if (kill) kills += 1;
            for (const change of sent.slice(before)) {
              for (const [field, value] of Object.entries(change)) {
                expect(
                  plan.some(
                    (due) => due.atMs <= nowMs && Object.entries(due.changes).some(([f, v]) => f === field && v === value),
                  ),
                ).toBe(true);
              }
            }
          }
          await run(1000);
          const final = Object.assign({ ...CODE }, ...[...plan].sort((x, y) => x.atMs - y.atMs).map((due) => due.changes));
          expect({ destination: code().destination, status: code().status }).toEqual({
            destination: final.destination,
            status: final.status,
          });
          const count = sent.length;
          await run(1001);
          expect(sent).toHaveLength(count);
        },
      ),
      { numRuns: 200, seed: 7 },
    );
    expect(kills).toBeGreaterThan(100);
  });
});
