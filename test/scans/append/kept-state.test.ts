/** A file that `--append` keeps, and a run that replaces it on purpose: its state goes before it, so that no state is left of other bytes. */
import { beforeEach, expect, it } from 'vitest';
import { openReplacement } from '#files/durable/replace-file';
import { findState, removeState } from '#scans/append/recorded-log';
import { atEveryStep, POWER_CUTS } from '../../files/durable/every-step.ts';
import { Ended, type Fault, type MemoryDisk } from '../../support/memory-disk.ts';
import { firstRows } from '../../support/property-runs.ts';
import { CODE, createMemoryDisk, FILE, HOUR, idsIn, rowsAt, run, STATE } from './runs.ts';

const service = { [CODE]: rowsAt(0, HOUR, 2 * HOUR) };

let memory: MemoryDisk;

beforeEach(() => {
  memory = createMemoryDisk();
});

it('findState returns the path of a valid or damaged state file, but not of other JSON, which removeState keeps', async () => {
  expect(await findState(FILE, memory.disk)).toBeUndefined();
  await run(memory, service);
  expect(await findState(FILE, memory.disk)).toBe(STATE);
  memory.remove(FILE);
  expect(await findState(FILE, memory.disk)).toBe(STATE);
  memory.write(STATE, '{"version":2,"half');
  expect(await findState(FILE, memory.disk)).toBe(STATE);
  memory.write(STATE, '{"name":"of another program"}');
  expect(await findState(FILE, memory.disk)).toBeUndefined();
  expect(await findState('/data/nowhere/scans.csv', memory.disk)).toBeUndefined();
  await removeState(FILE, memory.disk);
  expect(memory.names()).toEqual([STATE]);
});

it('findState rethrows errors that are not disk errors', async () => {
  await run(memory, service);
  const open = () => Promise.reject(new TypeError('a mistake'));
  await expect(findState(FILE, { ...memory.disk, open })).rejects.toThrow('a mistake');
});

const ENDS: Fault[] = ['end-before', 'end-within', 'end-after'];

/** Also a disk that keeps no order, and loses one change of a name of all. */
const CUTS = [
  undefined,
  ...POWER_CUTS.map((keep) => ({ keep })),
  ...[0, 1, 2].map((lost) => ({ keep: () => 1, lost })),
];

it.each(firstRows(3, CUTS))(
  'an append is accepted after a run that replaced its file was killed at any step (power cut: %o) (A32)',
  async (powerCut) => {
    const prepare = async (on: MemoryDisk) => void (await run(on, service));
    const replace = async (on: MemoryDisk) => {
      const [header, , second] = (on.read(FILE) ?? '').split('\n');
      const next = await openReplacement(on.disk, FILE);
      await next.write(Buffer.from(`${header}\n${second}\n`));
      await next.commit(() => removeState(FILE, on.disk));
    };
    await atEveryStep(prepare, replace, ENDS, async ({ memory: on, error }) => {
      expect(error).toBeInstanceOf(Ended);
      on.revive(powerCut);
      // What is there is the old file or the new one, and no state says otherwise: the next append is not refused.
      const ids = idsIn(on.read(FILE) ?? '');
      expect([['1', '2', '3'], ['2']]).toContainEqual(ids);
      await run(on, service);
      expect(
        idsIn(on.read(FILE) ?? '')
          .sort()
          .slice(-ids.length),
      ).toHaveLength(ids.length);
    });
  },
);
