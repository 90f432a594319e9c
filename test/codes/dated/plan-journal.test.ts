import { describe, expect, it } from 'vitest';
import { openPlanJournal, readPlanJournal } from '../../../src/codes/dated/plan-journal.ts';
import { createWorkspace } from '../../../src/service/workspace.ts';
import { openAppendLog } from '../../support/logs.ts';
import { createMemoryDisk } from '../../support/memory-disk.ts';

const PATH = '/data/plan.results.csv.journal';
const BASE = 'https://qr.example/api/v1';
const own = { workspace: createWorkspace({ baseUrl: BASE, apiKey: 'svc_live_a' }), getCode: async () => undefined };
const [wanted, before] = [{ name: 'b' }, { name: 'a' }];

/** A disk with a log of these lines. */
async function diskWith(records: readonly { is: string; [field: string]: unknown }[]) {
  const { disk } = createMemoryDisk();
  const log = await openAppendLog(PATH, { elsewhere: '', damaged: '' }, disk);
  await log.append(records);
  await log.close();
  return disk;
}

describe('the journal of a plan', () => {
  it('knows names, what was begun, and what is done; also in the run that noted it', async () => {
    const { disk } = createMemoryDisk();
    const journal = await openPlanJournal(PATH, own, disk);
    await journal.record([]);
    await journal.record([
      { is: 'known', name: 'menu', id: 'x' },
      { is: 'intent', id: 'x', wanted, before },
      { is: 'intent', id: 'y', wanted, before },
      { is: 'done', id: 'y', keys: ['k', 'l'], outcome: 'unchanged' },
    ]);
    await journal.close();
    for (const seen of [journal, await openPlanJournal(PATH, own, disk), await readPlanJournal(PATH, own, disk)]) {
      expect([seen.known('menu'), seen.known('x')]).toEqual(['x', undefined]);
      expect([seen.open('x'), seen.open('y')]).toEqual([{ is: 'intent', id: 'x', wanted, before }, undefined]);
      expect([seen.isDone('k'), seen.isDone('l'), seen.isDone('m')]).toEqual(['unchanged', 'unchanged', undefined]);
    }
  });

  it('has of two attempts at one change the values before the first (O27)', async () => {
    const journal = await openPlanJournal(PATH, own, createMemoryDisk().disk);
    const both = { name: 'b', status: 'paused' };
    await journal.record([{ is: 'intent', id: 'x', wanted: both, before: { name: 'a', status: 'active' } }]);
    await journal.record([
      { is: 'intent', id: 'x', wanted: { name: 'b', status: 'expired' }, before: { name: 'c', status: 'd' } },
    ]);
    expect(journal.open('x')).toMatchObject({ wanted: { name: 'b', status: 'expired' }, before: { name: 'a', status: 'd' } });
  });

  it('takes no step on the disk if nothing is to be recorded', async () => {
    const memory = createMemoryDisk();
    const journal = await openPlanJournal(PATH, own, memory.disk);
    const before = memory.steps();
    await journal.record([]);
    expect(memory.steps()).toBe(before);
    await journal.close();
  });

  it('is continued with another key after the code that it recorded last was found, once (O33)', async () => {
    const { disk } = createMemoryDisk();
    const journal = await openPlanJournal(PATH, own, disk);
    await journal.record(['x', 'y'].map((id) => ({ is: 'known', name: `menu-${id}`, id })));
    await journal.close();
    const requested: string[] = [];
    const workspace = createWorkspace({ baseUrl: BASE, apiKey: 'svc_live_b' });
    const getCode = async (id: string) => void requested.push(id);
    for (const _ of [1, 2]) {
      const again = await openPlanJournal(PATH, { workspace, getCode }, disk);
      expect(again.known('menu-x')).toBe('x');
      await again.close();
    }
    expect(requested).toEqual(['y']);
  });

  it('is continued with another key if it records no code: a plan creates and deletes none (O33)', async () => {
    const { disk } = createMemoryDisk();
    await (await openPlanJournal(PATH, own, disk)).close();
    const requested: string[] = [];
    const workspace = createWorkspace({ baseUrl: BASE, apiKey: 'svc_live_b' });
    await (await openPlanJournal(PATH, { workspace, getCode: async (id) => void requested.push(id) }, disk)).close();
    expect(requested).toEqual([]);
  });

  it('is only looked at by a dry run: nothing is made or written', async () => {
    const { disk, ...memory } = createMemoryDisk();
    const journal = await readPlanJournal(PATH, own, disk);
    await journal.record([{ is: 'known', name: 'menu', id: 'x' }]);
    await journal.close();
    expect(memory.read(PATH)).toBeUndefined();
  });

  it('begins with what it is of, once', async () => {
    const { disk, ...memory } = createMemoryDisk();
    for (const _ of [1, 2]) await (await openPlanJournal(PATH, own, disk)).close();
    expect(memory.read(PATH)?.match(/"of":"plan"/g)).toHaveLength(1);
  });

  it.each([
    [{ is: 'journal', version: 1, baseUrl: BASE }, 'is the journal of a create run, not of dated changes'],
    [{ is: 'journal', version: 1, baseUrl: BASE, of: 'deletion' }, 'is the journal of a deletion, not of dated changes'],
    [{ is: 'journal', version: 2, baseUrl: BASE, of: 'plan' }, 'was written by another version'],
    [{ is: 'known', version: 1, of: 'plan', name: 'menu', id: 'x' }, 'its first line is missing'],
  ])('is refused where it is of something else: %j', async (first, reason) => {
    const disk = await diskWith([first, { is: 'rows', hashes: ['a'] }]);
    for (const open of [openPlanJournal, readPlanJournal]) {
      await expect(open(PATH, own, disk)).rejects.toMatchObject({
        name: 'UsageError',
        message: expect.stringContaining(reason),
        hint: expect.stringContaining('--results'),
      });
    }
  });

  it('is refused for another service', async () => {
    const disk = await diskWith([{ is: 'journal', version: 1, baseUrl: BASE, of: 'plan' }]);
    const workspace = createWorkspace({ baseUrl: 'https://other.example', apiKey: 'svc_live_a' });
    await expect(openPlanJournal(PATH, { ...own, workspace }, disk)).rejects.toMatchObject({
      message: `${PATH} belongs to ${BASE}, not to https://other.example`,
      hint: expect.stringContaining(`--moved-from ${BASE}`),
    });
  });

  it.each([
    [{ is: 'known', name: 'menu' }],
    [{ is: 'known', id: 'x' }],
    [{ is: 'intent', id: 7, wanted, before }],
    [{ is: 'intent', id: 'x', wanted: null, before }],
    [{ is: 'intent', id: 'x', wanted, before: 'a' }],
    [{ is: 'done', id: 'x', keys: 'k', outcome: 'updated' }],
    [{ is: 'done', keys: ['k'], outcome: 'updated' }],
    [{ is: 'done', id: 'x', keys: ['k'] }],
    [{ is: 'of another time', id: 'x', keys: ['k'], outcome: 'updated' }],
  ])('is refused where a line is of another shape (O15): %j', async (line) => {
    const disk = await diskWith([
      { is: 'journal', version: 1, baseUrl: BASE, of: 'plan' },
      { is: 'known', name: 'a', id: 'b' },
      line,
    ]);
    await expect(openPlanJournal(PATH, own, disk)).rejects.toMatchObject({
      name: 'UsageError',
      message: `${PATH} is damaged at line 3: unknown record`,
      hint: expect.stringContaining('Restore the journal from a backup'),
    });
  });

  it('is refused where it is damaged, with a way out that a plan has', async () => {
    const { disk, ...memory } = createMemoryDisk();
    const journal = await openPlanJournal(PATH, own, disk);
    await journal.record([
      { is: 'known', name: 'menu', id: 'x' },
      { is: 'known', name: 'shop', id: 'y' },
    ]);
    await journal.close();
    memory.write(PATH, String(memory.read(PATH)).replace('"id":"x"', '"id":"z"'));
    for (const open of [openPlanJournal, readPlanJournal]) {
      await expect(open(PATH, own, disk)).rejects.toMatchObject({
        name: 'UsageError',
        message: `${PATH} is damaged at line 2`,
        hint: 'Restore the journal from a backup. With a different --results file, all due rows are applied again.',
      });
    }
  });
});
