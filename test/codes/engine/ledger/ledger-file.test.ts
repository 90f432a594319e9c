/** The file of a ledger, killed at any step, with a rotated key, of another workspace, damaged, or long. */
import { describe, expect, it } from 'vitest';
import { NotFoundError } from '#base/errors';
import { openLedgerFile, readMemory } from '#codes/engine/ledger/ledger-file';
import type { LedgerLine, LedgerRecord } from '#codes/engine/plan/ledger-lines';
import { formatLine } from '#files/durable/log-lines';
import { createWorkspace } from '#service/workspace';
import { atEveryStep, POWER_CUTS } from '../../../files/durable/every-step.ts';
import { createMemoryDisk, type MemoryDisk } from '../../../support/memory-disk.ts';
import { SOAK } from '../../../support/property-runs.ts';

const PATH = '/data/ledger-1.jsonl';
const BASE = 'https://qr.example/api/v1';

/** A workspace with a key, in which these codes exist; `asked`: the ids that were requested. */
function workspaceOf(apiKey = 'svc_live_a', existing: readonly string[] = [], baseUrl = BASE) {
  const asked: string[] = [];
  return {
    asked,
    workspace: createWorkspace({ baseUrl, apiKey }),
    async getCode(id: string) {
      asked.push(id);
      if (!existing.includes(id)) throw new NotFoundError('no such code');
      return undefined;
    },
  };
}

const RUN: LedgerRecord = { is: 'run', run: 'r1', ids: ['x'] };
const post = (n: number): LedgerRecord => ({ is: 'post', run: 'r1', n, values: { name: `Code ${n}` } });
const made = (n: number): LedgerRecord => ({
  is: 'made',
  n,
  id: `code-${n}`,
  slug: `s${n}`,
  stored: { name: `Code ${n}` },
});

async function add(memory: MemoryDisk, records: readonly LedgerLine[], own = workspaceOf()): Promise<void> {
  const { log } = await openLedgerFile(PATH, own, memory.disk);
  try {
    await log.append(records);
  } finally {
    await log.close().catch(() => undefined);
  }
}

async function viewOf(memory: MemoryDisk) {
  return (await readMemory(PATH, memory.disk)).replay.view();
}

describe('a ledger file', () => {
  it('is accessible only to this user, and contains the added records', async () => {
    const memory = createMemoryDisk();
    await add(memory, [RUN, post(1), post(2), made(1)]);
    expect(memory.modeOf(PATH)).toBe(0o600);
    const { replay } = await openLedgerFile(PATH, workspaceOf(), memory.disk);
    expect([...replay.view().claims.keys()]).toEqual(['code-1']);
    expect(replay.view().unclear).toMatchObject([{ n: 2, firstIds: new Set(['x']) }]);
  });

  it('does not contain the API key', async () => {
    const memory = createMemoryDisk();
    await add(memory, [RUN]);
    expect(memory.read(PATH)).not.toContain('svc_live_a');
  });

  it('gets a header if it is empty', async () => {
    const memory = createMemoryDisk();
    memory.write(PATH, '');
    await add(memory, [RUN, post(1)]);
    expect((await viewOf(memory)).unclear).toHaveLength(1);
  });

  it('has every acknowledged record after a kill or a power cut at any step', async () => {
    const ends = ['end-before', 'end-within', 'end-after'] as const;
    for (const keep of [undefined, ...POWER_CUTS]) {
      let promised = 0;
      const work = async (memory: MemoryDisk) => {
        promised = 0;
        const { log } = await openLedgerFile(PATH, workspaceOf(), memory.disk);
        for (const n of [1, 2]) {
          await log.append([post(n)]);
          promised = n;
        }
        await log.close();
      };
      await atEveryStep(
        () => undefined,
        work,
        ends,
        async ({ memory }) => {
          memory.revive(keep && { keep });
          const { replay, log } = await openLedgerFile(PATH, workspaceOf(), memory.disk);
          await log.close();
          expect(replay.view().unclear.length).toBeGreaterThanOrEqual(promised);
        },
      );
    }
  });
});

it('a ledger keeps dated changes after compaction', async () => {
  const memory = createMemoryDisk();
  const mark = { name: { atMs: 1_900_000_000_000, says: 'New' } };
  const patch = {
    is: 'patch',
    run: 'r1',
    n: 1,
    id: 'a',
    set: { name: 'New' },
    before: { name: 'Old' },
    due: mark,
  } as const;
  await add(memory, [RUN, patch, { is: 'due', run: 'r1', id: 'b', due: mark, stored: { name: 'New' } }]);
  await add(memory, [{ is: 'run', run: 'r2', ids: Array(5000).fill('x') }]);
  await add(memory, [{ is: 'run', run: 'r3' }]);
  const { claims } = await viewOf(memory);
  expect(['a', 'b'].map((id) => claims.get(id)?.due)).toEqual([{ name: [mark.name] }, { name: [mark.name] }]);
});

describe('a long ledger', () => {
  /** Twenty runs whose listed IDs are no longer needed. `prepare` adds a code and an unclear request. */
  const old = Array.from(
    { length: 20 },
    (_, i): LedgerRecord => ({ is: 'run', run: `old ${i}`, ids: Array(250).fill('x') }),
  );
  const prepare = (memory: MemoryDisk) => add(memory, [...old, RUN, post(1), made(1), post(2)]);
  const open = async (memory: MemoryDisk) =>
    (await openLedgerFile(PATH, workspaceOf(), memory.disk)).log.close();

  it('is compacted to the lines that later runs need', async () => {
    const memory = createMemoryDisk();
    await prepare(memory);
    const before = memory.read(PATH)?.length ?? 0;
    await open(memory);
    expect(memory.read(PATH)?.length).toBeLessThan(before / 10);
    expect(memory.modeOf(PATH)).toBe(0o600);
    await add(memory, [
      { ...RUN, run: 'r9' },
      { is: 'not', n: 2 },
    ]);
    const view = await viewOf(memory);
    expect([[...view.claims.keys()], view.unclear, view.next]).toEqual([['code-1'], [], 3]);
  });

  it('keeps its content if compaction is killed, or fails, at any step', async () => {
    const faults = ['end-before', 'end-within', 'end-after', 'ENOSPC'] as const;
    for (const keep of SOAK ? POWER_CUTS : POWER_CUTS.slice(3, 5))
      await atEveryStep(prepare, open, faults, async ({ memory }) => {
        memory.revive({ keep });
        const view = await viewOf(memory);
        expect([[...view.claims.keys()], view.unclear.length, view.next]).toEqual([['code-1'], 1, 3]);
      });
  });
});

describe('compaction', () => {
  const found = (n: number): LedgerRecord => {
    const row = { name: `Code ${n}` };
    return { is: 'found', run: 'r1', id: `code-${n}`, row, stored: row };
  };
  const run = (count: number): LedgerRecord => ({
    is: 'run',
    run: 'old',
    ids: Array.from({ length: count }, (_, n) => `x${n}`),
  });
  /** Writes the records, opens the ledger again, and returns whether its content is the same as before. */
  const isLeft = async (records: readonly LedgerRecord[]) => {
    const memory = createMemoryDisk();
    await add(memory, records);
    const before = memory.read(PATH);
    await add(memory, []);
    return memory.read(PATH) === before;
  };

  it('leaves a ledger of fewer than 1,000 lines unchanged, counting four listed IDs as one line', async () => {
    expect(await isLeft([run(3992)])).toBe(true);
    expect(await isLeft([run(3996)])).toBe(false);
  });

  it('leaves a ledger unchanged if at least a third of its lines are still needed', async () => {
    const needed = Array.from({ length: 1000 }, (_, n) => found(n));
    expect(await isLeft([...needed, run(8008)])).toBe(true);
    expect(await isLeft([...needed, run(8012)])).toBe(false);
  });

  it('counts the listed IDs of a run as needed while a request of the run is unclear', async () => {
    expect(await isLeft([run(8000), post(1)])).toBe(true);
    expect(await isLeft([run(8000), post(1), { is: 'not', n: 1 }])).toBe(false);
  });

  it('keeps all needed records of a ledger larger than 1 MiB', async () => {
    const memory = createMemoryDisk();
    const count = 9000;
    await add(memory, [...Array.from({ length: count }, (_, n) => found(n)), run(80_000)]);
    await add(memory, []);
    expect(memory.read(PATH)?.length).toBeGreaterThan(2 ** 20);
    expect(memory.read(PATH)).not.toContain('"x1"');
    expect([...(await viewOf(memory)).claims.keys()]).toEqual(
      Array.from({ length: count }, (_, n) => `code-${n}`),
    );
  });

  it('leaves no temporary file behind, even if it fails', async () => {
    const memory = createMemoryDisk();
    await add(memory, [run(8000)]);
    memory.fault = (_, operation) => (operation.startsWith('rename') ? 'EIO' : undefined);
    await add(memory, [post(1)]);
    expect(memory.names()).toEqual([PATH]);
    memory.fault = () => undefined;
    await add(memory, [post(2)]);
    expect(memory.names()).toEqual([PATH]);
    expect((await viewOf(memory)).unclear.map(({ n }) => n)).toEqual([1, 2]);
  });
});

it('reading a ledger passes each record, but not the header, to the callback', async () => {
  const memory = createMemoryDisk();
  await add(memory, [RUN, post(1)]);
  const lines: LedgerLine[] = [];
  await readMemory(PATH, memory.disk, (line) => lines.push(line));
  expect(lines).toMatchObject([RUN, post(1)]);
});

it('a ledger that cannot be created is reported with its path and the reason', async () => {
  const memory = createMemoryDisk();
  memory.fault = (_, operation) => (operation.startsWith('create') ? 'ENOSPC' : undefined);
  await expect(openLedgerFile(PATH, workspaceOf(), memory.disk)).rejects.toMatchObject({
    message: `cannot write the ledger ${PATH}: the disk is full (ENOSPC)`,
    hint: expect.stringMatching(/^All earlier records are saved\. Free up disk space/),
  });
});

it('a long ledger remains usable if the disk is too full to compact it', async () => {
  const memory = createMemoryDisk();
  const old = Array.from(
    { length: 20 },
    (_, i): LedgerRecord => ({ is: 'run', run: `old ${i}`, ids: Array(250).fill('x') }),
  );
  await add(memory, [...old, RUN, post(1)]);
  memory.fault = (_, operation) => (operation.startsWith('create') ? 'ENOSPC' : undefined);
  await add(memory, [post(2)]);
  expect((await viewOf(memory)).unclear.map(({ n }) => n)).toEqual([1, 2]);
});

describe('a ledger with another API key or base URL', () => {
  const known = [RUN, post(1), made(1), post(2), made(2)];

  it('is accepted after a key rotation if the workspace has one of its codes', async () => {
    const memory = createMemoryDisk();
    await add(memory, known);
    const rotated = workspaceOf('svc_live_b', ['code-1']);
    await add(memory, [{ ...RUN, run: 'r2' }], rotated);
    expect(rotated.asked).toEqual(['code-2', 'code-1']);
    const later = workspaceOf('svc_live_b');
    await add(memory, [post(3)], later);
    expect(later.asked).toEqual([]);
    expect((await viewOf(memory)).claims.size).toBe(2);
  });

  it('is refused and left unchanged if the disk is too full to renew its header after a key rotation', async () => {
    const memory = createMemoryDisk();
    await add(memory, known);
    const before = memory.read(PATH);
    memory.fault = (_, operation) => (operation.startsWith('create') ? 'ENOSPC' : undefined);
    const rotated = workspaceOf('svc_live_b', ['code-1']);
    await expect(openLedgerFile(PATH, rotated, memory.disk)).rejects.toThrow('the disk is full');
    expect(memory.read(PATH)).toBe(before);
  });

  it('is checked after a key rotation only with codes that were not deleted', async () => {
    const memory = createMemoryDisk();
    await add(memory, [...known, { is: 'delete', run: 'r1', n: 3, id: 'code-2' }, { is: 'deleted', n: 3 }]);
    const rotated = workspaceOf('svc_live_b', ['code-1']);
    await add(memory, [], rotated);
    expect(rotated.asked).toEqual(['code-1']);
  });

  it("is refused and left unchanged if the new key's workspace has none of its codes", async () => {
    const memory = createMemoryDisk();
    await add(memory, known);
    const before = memory.read(PATH);
    const opening = openLedgerFile(PATH, workspaceOf('svc_live_b'), memory.disk);
    await expect(opening).rejects.toMatchObject({
      name: expect.stringMatching(/^(UsageError|DamagedLogError)$/),
      message: expect.stringContaining('belongs to another workspace'),
      hint: expect.stringContaining('--ledger'),
    });
    expect(memory.read(PATH)).toBe(before);
  });

  it('is refused if it has only requests without an outcome', async () => {
    const memory = createMemoryDisk();
    await add(memory, [RUN, post(1)]);
    await expect(openLedgerFile(PATH, workspaceOf('svc_live_b'), memory.disk)).rejects.toThrow(
      'another workspace',
    );
  });

  it('is accepted if only its API key differs, and it has neither codes nor requests', async () => {
    const memory = createMemoryDisk();
    await add(memory, [RUN]);
    await add(memory, [post(1)], workspaceOf('svc_live_b'));
    expect((await viewOf(memory)).unclear).toHaveLength(1);
  });

  it('is refused if its base URL differs, even if the workspace has one of its codes', async () => {
    const memory = createMemoryDisk();
    await add(memory, known);
    const moved = workspaceOf('svc_live_a', ['code-1'], 'https://new.example/api/v1');
    await expect(openLedgerFile(PATH, moved, memory.disk)).rejects.toThrow('belongs to');
  });
});

describe("a ledger file that can't be used", () => {
  const header = { is: 'ledger', version: 1, baseUrl: BASE };
  const text = (...lines: readonly object[]) => lines.map(formatLine).join('');
  const damaged = text(header, RUN, post(1)).replace('"ids":["x"]', '"ids":["y"]');

  it.each([
    ['damaged', damaged, 'is damaged at line 2', 'Move the file away'],
    [
      'with an unknown record',
      text(header, RUN, { is: 'made', n: 1 }),
      'is damaged at line 3: unknown record',
      'Move the file',
    ],
    [
      'with a record from a newer version',
      text(header, { is: 'moved', n: 1 }),
      'was written by a newer version',
      'Update qrctl',
    ],
    [
      'from a newer version',
      text({ ...header, version: 2 }, RUN),
      'was written by a newer version',
      'Update qrctl',
    ],
    [
      'another kind of log',
      text({ is: 'journal', version: 1, baseUrl: BASE }),
      'is not a qrctl ledger',
      'Move the file away',
    ],
    [
      'without a workspace',
      text({ is: 'ledger', version: 1 }),
      'is not a qrctl ledger',
      'Move the file away',
    ],
    [
      'with a version that is not a number',
      text({ is: 'ledger', version: '1', baseUrl: BASE }),
      'is not a qrctl ledger',
      'Move the file away',
    ],
    ['a spreadsheet', 'name,destination\n', 'is not a qrctl ledger', 'Move the file away'],
  ])('(%s) is refused and left unchanged', async (_, content, message, hint) => {
    const memory = createMemoryDisk();
    memory.write(PATH, content);
    const refusal = {
      name: expect.stringMatching(/^(UsageError|DamagedLogError)$/),
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
    };
    await expect(openLedgerFile(PATH, workspaceOf(), memory.disk)).rejects.toMatchObject(refusal);
    await expect(readMemory(PATH, memory.disk)).rejects.toMatchObject(refusal);
    expect(memory.read(PATH)).toBe(content);
  });

  it('is refused if its directory does not exist, and the error has its path and a hint', async () => {
    const opening = openLedgerFile('/data/no/x.jsonl', workspaceOf(), createMemoryDisk().disk);
    await expect(opening).rejects.toMatchObject({
      message: 'cannot write the ledger /data/no/x.jsonl: its directory does not exist (ENOENT)',
      hint: 'Create the directory first, or specify a different ledger with --ledger.',
    });
  });
});
