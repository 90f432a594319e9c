import { describe, expect, it } from 'vitest';
import type { RunJob } from '#codes/engine/executor/job';
import { baseOf } from '#codes/engine/plan/base';
import type { Row } from '#codes/engine/plan/model';
import { codeOf, decide, newRow, rowOf } from '../plan/make.ts';
import {
  createWorld,
  namesOf,
  outcomesOf,
  policyOf,
  type World,
  type WorldOptions,
  writesOf,
} from './world.ts';

const CODES = [1, 2, 3].map((number) => codeOf(number));

/** Kills a first run at each of its steps and calls `after` with the world that it left. */
async function killEverywhere(
  { rows, job, options }: { rows: readonly Row[]; job: Partial<RunJob>; options?: WorldOptions },
  after: (world: World) => Promise<void>,
): Promise<void> {
  for (let killAt = 0; ; killAt++) {
    const world = createWorld({ codes: CODES, ...options });
    const end = await world.run(rows, job, killAt);
    await after(world);
    if (end) return;
  }
}

describe('a run killed at any step', () => {
  it('is completed by repeating the command, if the command changes codes', async () => {
    const rows = CODES.map((of, at) =>
      rowOf(at + 2, { of, base: baseOf(of), wish: { name: `New ${at}`, status: 'paused' } }),
    );
    const job = { policy: policyOf({ verb: 'update' }) };
    await killEverywhere({ rows, job }, async (world) => {
      expect(new Set(outcomesOf(await world.run(rows, job)))).not.toContain('conflict');
      expect(world.codes().map(({ name, status }) => `${name} ${status}`)).toEqual([
        'New 0 paused',
        'New 1 paused',
        'New 2 paused',
      ]);
      await world.run(rows, job);
      expect(writesOf(world)).toEqual([]);
    });
  });

  it('is completed by repeating the command, if the command deletes codes', async () => {
    const rows = CODES.map((of, at) => rowOf(at + 2, { of }));
    const job = { policy: policyOf({ verb: 'delete' }) };
    await killEverywhere({ rows, job }, async (world) => {
      expect(outcomesOf(await world.run(rows, job))).toEqual(['deleted', 'deleted', 'deleted']);
      expect(namesOf(world)).toEqual([]);
    });
  });

  it('during a backup leaves no code paused after the next run, even if that run uses another file', async () => {
    const rows = CODES.map((of, at) => rowOf(at + 2, { of }));
    const job: Partial<RunJob> = {
      policy: policyOf({ verb: 'delete' }),
      backUp: async (_code, send, setStatus) => {
        await setStatus('paused');
        await send();
      },
    };
    await killEverywhere({ rows, job }, async (world) => {
      await world.run([newRow(2, 'Menu', 'https://example.com/menu')]);
      expect(world.codes().filter(({ status }) => status !== 'active')).toEqual([]);
    });
  });

  it('with --as-new creates one new code per row, however often the command is repeated (E7)', async () => {
    const rows = CODES.map(({ name, destination }, at) => newRow(at + 2, name, destination ?? ''));
    const asNew = policyOf(decide({ asNewAll: true }));
    const names = [...CODES, ...CODES].map(({ name }) => name).sort();
    for (const mishap of ['none', 'applied', 'drop'] as const) {
      const options = { post: (n: number) => (n === 1 ? mishap : 'none') };
      await killEverywhere({ rows, job: { policy: asNew }, options }, async (world) => {
        for (const _ of [2, 3]) await world.run(rows, { policy: asNew });
        expect(namesOf(world).sort()).toEqual(names);
      });
    }
  });
});
