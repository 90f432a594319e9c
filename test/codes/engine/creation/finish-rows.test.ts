import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../../src/base/errors.ts';
import { type FinishJob, finishRows } from '../../../../src/codes/engine/creation/finish-rows.ts';
import { SETTLE_MS } from '../../../../src/codes/engine/creation/landing-delay.ts';
import type { NewRow } from '../../../../src/codes/engine/creation/new-row.ts';
import { JOURNAL, only, rowsOf, run, runKilled, WORKSPACE, type World, worldOf } from './world.ts';

const keyed = (count: number): NewRow[] => rowsOf(count).map((row) => ({ ...row, key: `key ${row.row}` }));

/** Finishes in a process of its own. */
function finish({ time, service, memory }: World, given: Partial<FinishJob> = {}) {
  service.forget();
  return time.run(
    finishRows({
      journalPath: JOURNAL,
      disk: memory.disk,
      service: { ...service, workspace: WORKSPACE },
      listCodes: service.listCodes,
      askClock: service.askClock,
      clock: time,
      uptimeMs: () => 5000 + time.monotonic(),
      signal: new AbortController().signal,
      concurrency: 4,
      settleMs: SETTLE_MS,
      taken: new Set(),
      decisions: new Map(),
      onEvent: () => undefined,
      ...given,
    }),
  );
}

describe('an interrupted run', () => {
  it('is finished without a request that creates, wherever it was killed (O4)', async () => {
    let adopted = 0;
    for (let step = 0; ; step++) {
      const world = worldOf();
      const killed = await runKilled(world, keyed(3), { step, fault: 'end-after' }, { kind: 'apply' });
      if (!killed) break;
      await world.time.advance(20_000);
      const posts = world.service.posts();
      const rows = await finish(world);
      const again = await finish(world);
      expect(again.map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
      expect(world.service.posts()).toBe(posts);
      const owned = rows.flatMap(({ id }) => id ?? []);
      expect([...owned].sort()).toEqual(world.service.codes.map(({ id }) => id).sort());
      for (const { key, id } of rows) {
        const code = world.service.codes.find((one) => one.id === id);
        if (code) expect(`key ${code.by}`).toBe(key);
      }
      adopted += rows.filter(({ state }) => state === 'adopted').length;
    }
    expect(adopted).toBeGreaterThan(0);
  });

  it('takes no code that another row has, and one that the user specifies', async () => {
    let world = worldOf();
    for (let step = 0; world.service.codes.length === 0; step++) {
      world = worldOf({ mishap: only('applied', 0) });
      await runKilled(world, keyed(1), { step, fault: 'end-before' }, { kind: 'apply' });
      await world.time.advance(20_000);
    }
    const id = world.service.codes[0]?.id ?? '';
    expect(id).not.toBe('');
    const [none] = await finish(world, { taken: new Set([id]) });
    expect([none?.id, none?.candidates]).toEqual([undefined, []]);
    const [chosen] = await finish(world, { decisions: new Map([['key 1', id]]) });
    expect(chosen?.id).toBe(id);
  });

  it('is one of this command', async () => {
    const world = worldOf();
    await run(world, rowsOf(1));
    await expect(finish(world)).rejects.toBeInstanceOf(UsageError);
  });
});
