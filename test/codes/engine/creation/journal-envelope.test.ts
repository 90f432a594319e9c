/** The first line of every journal: which command wrote it, and for which workspace. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openEnvelope, readEnvelope, readJournalCommand } from '../../../../src/codes/engine/creation/journal-envelope.ts';
import { createWorkspace } from '../../../../src/service/workspace.ts';
import { openAppendLog, readAppendLog } from '../../../support/logs.ts';
import { createMemoryDisk } from '../../../support/memory-disk.ts';

interface Line {
  is: string;
}

const PATH = '/data/plan.csv.journal';

function useEnvelope(kind: 'creation' | 'plan' | 'deletion' = 'plan', memory = createMemoryDisk()) {
  const taken: Line[] = [];
  const options = {
    ...{ kind, path: PATH, disk: memory.disk, hasShape: () => true, take: (line: Line) => taken.push(line) },
    workspace: createWorkspace({ baseUrl: 'https://qr.example/api/v1', apiKey: 'svc_live_a' }),
    getCode: async () => undefined,
    known: () => ({ knownIds: [], mayKnowMore: false }),
  };
  return { memory, taken, options };
}

describe('a journal', () => {
  it('begins with what it is of, and hands over the lines behind that', async () => {
    for (const [kind, of] of [
      ['plan', 'plan'],
      ['deletion', 'deletion'],
      ['creation', undefined],
    ] as const) {
      const { memory, taken, options } = useEnvelope(kind);
      const log = await openEnvelope<Line>(options);
      await log.append([{ is: 'known' }]);
      await log.close();
      const [first, ...more] = await readAppendLog<Line & { of?: string }>(PATH, { elsewhere: '', damaged: '' }, memory.disk);
      expect([first?.of, more.length]).toEqual([of, 1]);
      await readEnvelope(options);
      expect(taken).toEqual([expect.objectContaining({ is: 'known' })]);
    }
  });

  it('of another command is named, whatever its version', async () => {
    const { memory, options } = useEnvelope('creation');
    await (await openEnvelope<Line>(options)).close();
    await expect(openEnvelope<Line>(useEnvelope('plan', memory).options)).rejects.toMatchObject({
      name: 'UsageError',
      message: expect.stringContaining('is the journal of a create run, not of dated changes'),
    });
  });

  it('with a line that binds it to no workspace is damaged (O15)', async () => {
    const { memory, options } = useEnvelope();
    const log = await openAppendLog<Line & { baseUrl?: unknown }>(PATH, { elsewhere: '', damaged: '' }, memory.disk);
    await log.append([
      { is: 'journal', version: 1, of: 'plan', baseUrl: 'https://qr.example/api/v1' } as Line,
      { is: 'workspace', baseUrl: 7 },
    ]);
    await log.close();
    await expect(openEnvelope<Line>(options)).rejects.toMatchObject({
      name: 'UsageError',
      hint: expect.stringContaining('all due rows are applied again'),
    });
  });

  it('that cannot be read at its path has a hint for another one', async () => {
    const { memory, options } = useEnvelope();
    const readFile = () => Promise.reject(Object.assign(new Error('EACCES'), { code: 'EACCES' }));
    const disk = { ...memory.disk, readFile };
    await expect(readEnvelope({ ...options, disk })).rejects.toMatchObject({ hint: expect.stringContaining('--results') });
  });
});

describe('a file that may be a journal', () => {
  const directory = mkdtempSync(join(tmpdir(), 'qrctl-envelope-'));
  afterAll(() => rm(directory, { recursive: true }));

  const fileOf = async (text: string) => {
    const path = join(directory, `${Math.random()}`);
    await writeFile(path, text);
    return path;
  };

  it.each([
    ['{"is":"journal","version":2}\n', 'qr create'],
    ['{"is":"journal","version":1,"of":"plan"}\nnot JSON', 'qr update --due'],
    ['{"is":"journal","version":1,"of":"deletion"}', 'qr delete'],
    ['{"is":"journal","version":1,"of":"later"}\n', undefined],
    ['{"is":"other","of":"plan"}\n', undefined],
    ['null\n', undefined],
    ['id,slug\n1,{"is":"journal"', undefined],
    ['', undefined],
  ])('is told by its first line: %j', async (text, command) => {
    expect(await readJournalCommand(await fileOf(text))).toBe(command);
  });

  it('is none if it is missing or a directory', async () => {
    const inner = await mkdtemp(join(directory, 'd'));
    for (const path of [inner, join(inner, 'missing')]) expect(await readJournalCommand(path)).toBeUndefined();
  });

  it.skipIf(process.platform === 'win32')('is not read if it is a FIFO, of which each byte is read once', async () => {
    const path = join(await mkdtemp(join(directory, 'f')), 'fifo');
    execFileSync('sh', ['-c', 'mkfifo "$0"', path]);
    const end = await open(path, 'r+');
    try {
      await end.write('{"is":"journal","version":2}\n');
      expect(await readJournalCommand(path)).toBeUndefined();
    } finally {
      await end.close();
    }
  });
});
