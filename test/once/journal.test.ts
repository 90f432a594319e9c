import { describe, expect, it } from 'vitest';
import { openAppendLog } from '../../src/durable/append-log.ts';
import type { Disk } from '../../src/durable/disk.ts';
import { type NewRow, nameRow, openJournal, readJournal } from '../../src/once/journal.ts';
import { createMemoryDisk } from '../support/memory-disk.ts';

const path = '/data/codes.results.csv.journal';
const BASE_URL = 'https://qr.example/api/v1';
const row = (n: number, values: Record<string, unknown> = { name: `Code ${n}` }): NewRow => {
  return { row: n, line: n + 1, values: new Map(Object.entries(values)), code: { name: `Code ${n}` } };
};

/** A journal as a run for these rows leaves it. */
async function useJournal(rows: readonly NewRow[]) {
  const memory = createMemoryDisk();
  const { disk } = memory;
  const open = async (rows: readonly NewRow[], baseUrl = BASE_URL) => {
    const journal = await openJournal({ disk, path, baseUrl, rows, listed: [] });
    await journal.close();
    return journal.found;
  };
  await open(rows);
  const bytes = () => memory.read(path) ?? '';
  return {
    memory,
    open,
    bytes,
    read: (rows: readonly NewRow[]) => readJournal({ disk, path, baseUrl: BASE_URL, rows, listed: [] }),
  };
}

/** Opens a journal that holds these lines. */
async function openWith(records: readonly { is: string; [key: string]: unknown }[]) {
  const { disk } = createMemoryDisk();
  const log = await openAppendLog(path, { elsewhere: '', damaged: '' }, disk);
  await log.append(records);
  await log.close();
  return openJournal({ disk, path, baseUrl: BASE_URL, rows: [row(1)], listed: [] });
}

describe('a journal', () => {
  it('begins with what it is bound to, and knows the rows that are added later', async () => {
    const { memory, open, bytes } = await useJournal([row(1)]);
    expect(await open([row(1)])).toMatchObject([{ is: 'journal', version: 1, baseUrl: BASE_URL }, { is: 'rows' }]);
    expect(await open([row(1), row(2), row(3)])).toHaveLength(2);
    const found = await open([row(1), row(2), row(3)]);
    expect(found.map((record) => (record.is === 'rows' ? record.hashes.length : record.is))).toEqual(['journal', 1, 2]);
    const before = bytes();
    const done: string[] = [];
    memory.fault = (_, operation) => {
      done.push(operation);
      return undefined;
    };
    await open([row(1), row(2), row(3)]);
    expect([bytes(), done.filter((operation) => operation === `sync ${path}`)]).toEqual([before, []]);
  });

  it('knows rows by what versions before this one wrote of them', async () => {
    const { read } = await useJournal([row(1, { name: 'a', type: 5n, destination: 'https://x.de' })]);
    const found = await read([row(1, { type: 5n, destination: 'https://x.de', name: 'a' })]);
    expect(found[1]).toEqual({ is: 'rows', hashes: ['0bcba52f099c6833'] });
  });

  it('knows a row again in whatever order its columns are, and exactly', async () => {
    const { open } = await useJournal([row(1, { name: 'a', note: 1n, tags: ['x'] })]);
    await open([row(1, { tags: ['x'], name: 'a', note: 1n })]);
    for (const other of [
      { name: 'a', note: 1, tags: ['x'] },
      { name: 'a', note: 1n, tags: ['y'] },
      { name: 'a', note: 1n },
    ]) {
      await expect(open([row(1, other)])).rejects.toThrow('row 1 (line 2) has changed');
    }
  });

  it('is read without being made or touched', async () => {
    const { bytes, read } = await useJournal([row(1)]);
    const before = bytes();
    expect(await read([row(1), row(2)])).toHaveLength(2);
    expect(bytes()).toBe(before);
    await expect(read([])).rejects.toThrow('it had 1 rows and now has 0');
    const { disk, names } = createMemoryDisk();
    expect(await readJournal({ disk, path, baseUrl: BASE_URL, rows: [row(1)], listed: [] })).toEqual([]);
    expect(names()).toEqual([]);
  });

  it('names rows as people count them', () => {
    expect(nameRow(row(3))).toBe('row 3 (line 4)');
  });
});

describe('a journal is refused', () => {
  it('for rows that have changed or are gone (O14)', async () => {
    const { open } = await useJournal([row(1), row(2)]);
    await expect(open([row(1), row(2, { name: 'x' })])).rejects.toMatchObject({
      name: 'UsageError',
      message: `the input is not the one that ${path} records: row 2 (line 3) has changed`,
      hint: expect.stringContaining('add rows only at the end'),
    });
    await expect(open([row(1)])).rejects.toThrow('it had 2 rows and now has 1');
    await expect(open([row(1, { name: 'Code 2' }), row(2, { name: 'Code 1' })])).rejects.toThrow('row 1 (line 2) has changed');
  });

  it('against another service (O14)', async () => {
    const { open } = await useJournal([row(1)]);
    await expect(open([row(1)], 'https://other.example/api/v1')).rejects.toMatchObject({
      name: 'UsageError',
      message: `${path} records a run against ${BASE_URL}, not https://other.example/api/v1`,
      hint: expect.stringContaining(`go on with --base-url ${BASE_URL}, or name other --results`),
    });
  });

  it.each([
    ['plan', 'dated changes'],
    ['deletion', 'a deletion'],
    ['colours', 'colours'],
  ])('when it is that of another command, be it the first line only (O14): %s', async (of, kind) => {
    const first = { is: 'journal', version: 1, baseUrl: BASE_URL, of };
    for (const more of [[], [{ is: 'known', name: 'menu', id: 'x' }]]) {
      await expect(openWith([first, ...more])).rejects.toMatchObject({
        name: 'UsageError',
        message: `${path} records ${kind}, not codes to be created`,
        hint: 'name other --results',
      });
    }
  });

  it('when it is that of another version of qrctl (O14)', async () => {
    const newer = { is: 'journal', version: 2, baseUrl: BASE_URL };
    await expect(openWith([newer])).rejects.toMatchObject({
      message: expect.stringContaining('was written by another version of qrctl'),
      hint: 'finish with that version; or name other --results, and add --skip-existing to create only what is missing',
    });
    for (const more of [{}, { of: 'deletion' }, { version: 1, baseUrl: BASE_URL }])
      await expect(openWith([{ is: 'rows', hashes: [], ...more }])).rejects.toThrow('another version');
  });

  it('when it is damaged, or is no journal; a torn end is dropped (O15)', async () => {
    const { memory, open, bytes } = await useJournal([row(1)]);
    const whole = bytes();
    memory.write(path, `${whole}{"is":"intent","row`);
    expect(await open([row(1)])).toHaveLength(2);
    expect(bytes()).toBe(whole);
    memory.write(path, whole.replace('"version":1', '"version":7'));
    await expect(open([row(1)])).rejects.toMatchObject({ name: 'UsageError', message: `${path} is damaged at line 1` });
    memory.write(path, 'name,type\na,url\n');
    await expect(open([row(1)])).rejects.toThrow('is not a journal of qrctl');
  });

  const at = { t: 1, w: 2, b: 3 };
  const intent = { is: 'intent', row: 1, ...at };

  it.each<[string, { is: string; [key: string]: unknown }]>([
    ['an unknown kind', { is: 'hello', ...at }],
    ['a kind of every object', { is: 'toString', ...at }],
    ['a second beginning', { is: 'journal', version: 1, baseUrl: BASE_URL }],
    ['a row that is not of the input', { ...intent, row: 2 }],
    ['a row before the first', { ...intent, row: 0 }],
    ['half a row', { ...intent, row: 0.5 }],
    ['no row', { is: 'intent', ...at }],
    ['no time', { is: 'clock' }],
    ['a time in words', { is: 'clock', ...at, w: 'noon' }],
    ['no id', { is: 'adopted', row: 1, slug: 's', ...at }],
    ['a list that is none', { is: 'absent', row: 1, before: 'a', word: false, ...at }],
    ['a list of other things', { is: 'absent', row: 1, before: [1], word: false, ...at }],
    ['other rows that are none', { is: 'asked', row: 1, more: [2], candidates: [], ...at }],
    ['hashes that are none', { is: 'rows', hashes: 5 }],
  ])('when a line holds %s, whatever its checksum says (O15)', async (_, record) => {
    const { open } = await useJournal([row(1)]);
    const beginning = (await open([row(1)])).map((line) => ({ ...line }));
    await expect(openWith([...beginning, record])).rejects.toMatchObject({
      name: 'UsageError',
      message: `${path} is damaged at line 3: it holds what no run writes`,
    });
  });

  it('and takes what a run writes (O15)', async () => {
    const { open } = await useJournal([row(1)]);
    const [beginning, rows] = await open([row(1)]);
    const lines = [intent, { is: 'absent', row: 1, before: ['a'], word: false, more: [1], ...at }, { is: 'clock', ...at, s: 5 }];
    await (await openWith([{ ...beginning }, { ...rows }, ...lines] as never)).close();
    await expect(openWith([{ ...beginning }, { ...rows }, intent, { ...intent, row: 7 }] as never)).rejects.toMatchObject({
      message: `${path} is damaged at line 4: it holds what no run writes`,
      hint: 'name another place with --results; to create only what is missing, add --skip-existing',
    });
  });

  it('when the results list codes that it does not know: it was lost, or cut (O22)', async () => {
    const memory = createMemoryDisk();
    const open = (ids: string[]) => {
      const listed = ids.map((id) => ({ row: 1, id }));
      return openJournal({ disk: memory.disk, path, baseUrl: BASE_URL, rows: [row(1)], listed });
    };
    await expect(open(['x', 'y'])).rejects.toMatchObject({
      name: 'UsageError',
      message: `the results list 2 codes, the first of them x, of which ${path} knows nothing: it was lost or cut, or is of another run`,
      hint: expect.stringContaining('--skip-existing'),
    });
    expect(memory.read(path)).toBe('');
    const journal = await open([]);
    await journal.append([{ is: 'created', row: 1, id: 'x', slug: 's', at: 'soon', ...at }]);
    await journal.close();
    await (await open(['x'])).close();
    await expect(open(['x', 'z'])).rejects.toThrow(`the results list code z of which ${path} knows nothing`);
  });

  it('when it is not there, and the results cannot be read: they may list anything (O22)', async () => {
    const memory = createMemoryDisk();
    const open = (listed: [] | undefined) => openJournal({ disk: memory.disk, path, baseUrl: BASE_URL, rows: [row(1)], listed });
    await expect(open(undefined)).rejects.toMatchObject({
      name: 'UsageError',
      message: `the results beside ${path} cannot be read, and there is no journal that knows what they list`,
      hint: expect.stringContaining('--skip-existing'),
    });
    await (await open([])).close();
    await (await open(undefined)).close();
  });

  it('not when they list the code of a row whose answer it could not take (O22)', async () => {
    for (const [last, isRefused] of [
      [[], false],
      [[{ is: 'unknown', row: 1, error: 'no answer' }], false],
      [[{ is: 'refused', row: 1, error: 'limit' }], true],
    ] as const) {
      const memory = createMemoryDisk();
      const open = (of: number) =>
        openJournal({ disk: memory.disk, path, baseUrl: BASE_URL, rows: [row(1), row(2)], listed: [{ row: of, id: 'x' }] });
      const journal = await openJournal({ disk: memory.disk, path, baseUrl: BASE_URL, rows: [row(1), row(2)], listed: [] });
      await journal.append([{ ...intent, is: 'intent' }, ...last.map((record) => ({ ...record, ...at }))]);
      await journal.close();
      if (isRefused) await expect(open(1)).rejects.toThrow('knows nothing');
      else await (await open(1)).close();
      await expect(open(2)).rejects.toThrow('knows nothing');
    }
  });

  it('and then closed, whatever its closing says', async () => {
    const { memory } = await useJournal([row(1)]);
    let closed = 0;
    const disk: Disk = {
      ...memory.disk,
      async open(...given) {
        const file = await memory.disk.open(...given);
        const close = async () => {
          closed += 1;
          throw new Error('EIO');
        };
        return { ...file, close };
      },
    };
    await expect(openJournal({ disk, path, baseUrl: 'https://other.example', rows: [row(1)], listed: [] })).rejects.toThrow(
      'records a run against',
    );
    expect(closed).toBe(1);
  });
});
