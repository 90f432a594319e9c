import { describe, expect, it } from 'vitest';
import { NotFoundError } from '../../../../src/base/errors.ts';
import { entriesRecords, seenOf } from '../../../../src/codes/engine/creation/entries.ts';
import { openJournal, readJournal } from '../../../../src/codes/engine/creation/journal.ts';
import type { JournalRecord } from '../../../../src/codes/engine/creation/journal-records.ts';
import { type FoundJournal, type Listed, refuseForgotten } from '../../../../src/codes/engine/creation/listed-rows.ts';
import { type NewRow, nameRow } from '../../../../src/codes/engine/creation/new-row.ts';
import type { Disk } from '../../../../src/files/durable/disk.ts';
import { createWorkspace } from '../../../../src/service/workspace.ts';
import { openAppendLog, readAppendLog } from '../../../support/logs.ts';
import { createMemoryDisk } from '../../../support/memory-disk.ts';

const path = '/data/codes.results.csv.journal';
const BASE_URL = 'https://qr.example/api/v1';
const row = (n: number, values: Record<string, unknown> = { name: `Code ${n}` }): NewRow => {
  return { row: n, line: n + 1, values: new Map(Object.entries(values)), code: { name: `Code ${n}` } };
};
const entriesOf = (...rows: readonly NewRow[]) => entriesRecords(rows.map((one) => [one.row, seenOf(one)] as const));

interface Opening {
  baseUrl?: string;
  apiKey?: string;
  movedFrom?: string;
  /** Ids of codes that are there. */
  there?: readonly string[];
  listed?: Partial<Listed>;
}

/** What a journal is opened with, and the ids that it asks for. */
function useOptions(disk: Disk, { baseUrl = BASE_URL, apiKey = 'svc_live_a', movedFrom, there = [], listed }: Opening = {}) {
  const asked: string[] = [];
  const getCode = async (id: string) => {
    asked.push(id);
    if (!there.includes(id)) throw new NotFoundError('no such code');
  };
  const workspace = createWorkspace({ baseUrl, apiKey, profile: 'work' });
  const check = (found: FoundJournal) => {
    return refuseForgotten(path, { listed: [], readListed: async () => [], ...listed }, found);
  };
  return { asked, options: { disk, path, workspace, getCode, movedFrom, check } };
}

const linesOf = (disk: Disk) => readAppendLog<JournalRecord>(path, { elsewhere: '', damaged: '' }, disk);

/** A journal as a run leaves it that met these rows. */
async function useJournal(rows: readonly NewRow[]) {
  const memory = createMemoryDisk();
  const { disk } = memory;
  const open = async (opening?: Opening, more: readonly JournalRecord[] = []) => {
    const { asked, options } = useOptions(disk, opening);
    const journal = await openJournal(options);
    if (more.length > 0) await journal.append(more);
    await journal.close();
    return { found: await linesOf(disk), asked };
  };
  await open({}, entriesOf(...rows));
  const bytes = () => memory.read(path) ?? '';
  return { memory, open, bytes, read: () => readJournal(useOptions(disk).options) };
}

/** Opens a journal that holds these lines. */
async function openWith(records: readonly { is: string; [key: string]: unknown }[], opening?: Opening) {
  const { disk } = createMemoryDisk();
  const log = await openAppendLog(path, { elsewhere: '', damaged: '' }, disk);
  await log.append(records);
  await log.close();
  return openJournal(useOptions(disk, opening).options);
}

describe('a journal', () => {
  it('begins with what it is bound to, once', async () => {
    const { memory, open, bytes } = await useJournal([row(1)]);
    const beginning = {
      is: 'journal',
      version: 2,
      baseUrl: BASE_URL,
      key: expect.stringMatching(/^[0-9a-f:]{97}$/),
      profile: 'work',
    };
    expect((await open()).found).toMatchObject([beginning, { is: 'entries', first: 1, seen: [{ name: 'Code 1' }] }]);
    const before = bytes();
    const done: string[] = [];
    memory.fault = (_, operation) => {
      done.push(operation);
      return undefined;
    };
    await open();
    expect([bytes(), done.filter((operation) => operation === `sync ${path}`)]).toEqual([before, []]);
    expect(bytes()).not.toContain('svc_live_a');
  });

  it('is read without being made or touched', async () => {
    const { bytes, read } = await useJournal([row(1)]);
    const before = bytes();
    expect((await read()).all()).toMatchObject([{ row: 1, code: { name: 'Code 1' } }]);
    expect(bytes()).toBe(before);
    const { disk, names } = createMemoryDisk();
    expect((await readJournal(useOptions(disk).options)).all()).toEqual([]);
    expect(names()).toEqual([]);
  });

  it('is none without a path', async () => {
    const untouched = new Proxy(createMemoryDisk().disk, { get: () => expect.unreachable() });
    const { options } = useOptions(untouched);
    expect((await readJournal({ ...options, path: undefined })).all()).toEqual([]);
    const { states, ...log } = await openJournal({ ...options, path: undefined });
    await log.close();
    expect(states.all()).toEqual([]);
  });

  it('names rows as people count them: by the line of the file', () => {
    expect(nameRow(row(3))).toBe('line 4');
    expect(nameRow({ code: { name: 'Menu' } })).toBe('a removed row ("Menu")');
    expect(nameRow({})).toBe('a removed row');
  });
});

describe('a journal goes on', () => {
  const at = { t: 1, w: 2, b: 3 };
  const created = (id: string) => ({ is: 'created' as const, row: 1, id, slug: 's', at: 'soon', ...at });

  it('for another key only if one of its codes is there, the newest first: the key was rotated (O33)', async () => {
    const { open } = await useJournal([row(1)]);
    await open({}, ['a', 'b', 'c', 'd', 'e'].map(created));
    const rotated = await open({ apiKey: 'svc_live_b', there: ['d'] });
    expect(rotated.asked).toEqual(['e', 'd']);
    expect((await open({ apiKey: 'svc_live_b' })).asked).toEqual([]);
    await expect(open({ apiKey: 'svc_live_c', there: ['a', 'b'] })).rejects.toMatchObject({
      name: 'UsageError',
      message: expect.stringContaining(`${path} belongs to another workspace`),
    });
    // The key that it has now is not the one that it began with.
    await expect(open({})).rejects.toThrow('belongs to another workspace');
  });

  it('at another address if the user says that the service moved, and one of its codes is there (O33)', async () => {
    const { open } = await useJournal([row(1)]);
    await open({}, [created('a')]);
    const moved = { baseUrl: 'https://new.example/api/v1', movedFrom: BASE_URL, there: ['a'] };
    await expect(open({ ...moved, movedFrom: 'https://old.example/api/v1' })).rejects.toMatchObject({
      message: `${path} belongs to ${BASE_URL}, not to https://new.example/api/v1`,
      hint: expect.stringContaining(`--moved-from ${BASE_URL}`),
    });
    await expect(open({ ...moved, there: [] })).rejects.toThrow('belongs to another workspace');
    expect((await open(moved)).asked).toEqual(['a']);
    expect((await open({ baseUrl: moved.baseUrl })).asked).toEqual([]);
  });

  it('for another key if it made nothing; not if nobody knows whether it did (O33)', async () => {
    const intent: JournalRecord = { is: 'intent', row: 1, ...at };
    const cases: [JournalRecord[], boolean][] = [
      [[], false],
      [[intent, { is: 'refused', row: 1, error: '401', ...at }], false],
      [[intent], true],
      [[intent, { is: 'absent', row: 1, before: [], word: false, ...at }], true],
    ];
    for (const [lines, isRefused] of cases) {
      const { open } = await useJournal([row(1), row(2)]);
      await open({}, [{ is: 'session', ...at }, ...lines]);
      const opening = open({ apiKey: 'svc_live_b' });
      if (isRefused) await expect(opening).rejects.toThrow('may belong to another workspace');
      else expect((await opening).asked).toEqual([]);
    }
  });

  it('where an earlier version, which knew no key, began it (O33)', async () => {
    const first = { is: 'journal', version: 1, baseUrl: BASE_URL };
    const lines = [first, { is: 'rows', hashes: ['0bcba52f099c6833'] }, created('a')];
    await (await openWith(lines, { there: ['a'] })).close();
    await expect(openWith(lines)).rejects.toThrow('belongs to another workspace');
    await (await openWith([first, { is: 'rows', hashes: ['a'] }, { is: 'intent', row: 1, ...at }])).close();
  });
});

describe('a journal is refused', () => {
  it.each([
    ['plan', 'dated changes'],
    ['deletion', 'a deletion'],
    ['colours', 'colours'],
  ])('when it is that of another command, be it the first line only: %s', async (of, kind) => {
    const first = { is: 'journal', version: 1, baseUrl: BASE_URL, of };
    for (const more of [[], [{ is: 'known', name: 'menu', id: 'x' }]]) {
      await expect(openWith([first, ...more])).rejects.toMatchObject({
        name: 'UsageError',
        message: `${path} is the journal of ${kind}, not of a create run`,
        hint: 'Specify a different file with --results.',
      });
    }
  });

  it('when it is that of another version of qrctl', async () => {
    const newer = { is: 'journal', version: 3, baseUrl: BASE_URL };
    await expect(openWith([newer])).rejects.toMatchObject({
      message: expect.stringContaining('was written by another version of qrctl'),
      hint: expect.stringContaining('Use the latest version of qrctl'),
    });
    for (const more of [{}, { of: 'deletion' }, { version: 1, baseUrl: BASE_URL }])
      await expect(openWith([{ is: 'rows', hashes: [], ...more }])).rejects.toThrow('another version');
  });

  it('when it is damaged, or is no journal; a torn end is dropped (O15)', async () => {
    const { memory, open, bytes } = await useJournal([row(1)]);
    const whole = bytes();
    memory.write(path, `${whole}{"is":"intent","row`);
    expect((await open()).found).toHaveLength(2);
    expect(bytes()).toBe(whole);
    memory.write(path, whole.replace('"version":2', '"version":7'));
    await expect(open()).rejects.toMatchObject({ name: 'UsageError', message: `${path} is damaged at line 1` });
    memory.write(path, 'name,type\na,url\n');
    await expect(open()).rejects.toThrow('is not a qrctl journal');
  });

  const at = { t: 1, w: 2, b: 3 };
  const intent = { is: 'intent', row: 1, ...at };

  it.each<[string, { is: string; [key: string]: unknown }]>([
    ['an unknown kind', { is: 'hello', ...at }],
    ['a kind of every object', { is: 'toString', ...at }],
    ['a second beginning', { is: 'journal', version: 1, baseUrl: BASE_URL }],
    ['a row that is no entry', { ...intent, row: 2 }],
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
    ['no hashes', { is: 'rows' }],
    ['no entries', { is: 'entries', first: 2 }],
    ['an entry behind a gap', { is: 'entries', first: 3, seen: [{ all: 'a' }] }],
    ['an entry before the first', { is: 'entries', first: 0, seen: [{ all: 'a' }] }],
    ['an entry without a fingerprint', { is: 'entries', first: 2, seen: [{ name: 'a' }] }],
    ['an entry without one behind a whole one', { is: 'entries', first: 2, seen: [{ all: 'a' }, { name: 'a' }] }],
    ['a change to nothing', { is: 'changing', entry: 1, seen: { name: 'a' } }],
    ['a change of what is no entry', { is: 'changing', entry: 2, seen: { all: 'a' } }],
    ['an entry with a name that is none', { is: 'entries', first: 2, seen: [{ all: 'a', name: 5 }] }],
    ['a word that is none', { is: 'entries', first: 2, seen: [{ all: 'a', word: 'yes' }] }],
    ['an order that is none', { is: 'order', runs: ['a'] }],
    ['an order of nothing', { is: 'order', runs: [0, 1] }],
    ['a workspace that is none', { is: 'workspace', baseUrl: 5 }],
  ])('when a line holds %s, whatever its checksum says (O15)', async (_, record) => {
    const { open } = await useJournal([row(1)]);
    const beginning = (await open()).found.map((line) => ({ ...line }));
    await expect(openWith([...beginning, record])).rejects.toMatchObject({
      name: 'UsageError',
      message: `${path} is damaged at line 3: unknown record`,
    });
  });

  it('and takes what a run writes (O15)', async () => {
    const { open } = await useJournal([row(1)]);
    const [beginning, rows] = (await open()).found;
    const lines = [
      intent,
      { is: 'absent', row: 1, before: ['a'], word: false, more: [1], ...at },
      { is: 'clock', ...at, s: 5 },
      { is: 'entries', first: 1, seen: [{ all: 'b', own: 'c', word: true }] },
      { is: 'changing', entry: 1, seen: { all: 'd', name: 'e' } },
      { is: 'order', runs: [1, 1] },
    ];
    await (await openWith([{ ...beginning }, { ...rows }, ...lines] as never)).close();
    await expect(openWith([{ ...beginning }, { ...rows }, intent, { ...intent, row: 7 }] as never)).rejects.toMatchObject({
      message: `${path} is damaged at line 4: unknown record`,
      hint: expect.stringContaining('Restore the journal from a backup'),
    });
  });

  it('when the results contain codes that it does not know: it was lost, or cut (O22)', async () => {
    const memory = createMemoryDisk();
    const open = (ids: string[]) => {
      const listed = ids.map((id) => ({ row: 1, id }));
      return openJournal(useOptions(memory.disk, { listed: { listed } }).options);
    };
    await expect(open(['x', 'y'])).rejects.toMatchObject({
      name: 'UsageError',
      message: `the results contain 2 codes (first: x), but ${path} does not: the journal was lost or truncated, or belongs to another run`,
      hint: expect.stringContaining('--skip-existing'),
    });
    expect(memory.read(path)).toBe('');
    const journal = await open([]);
    const entries = [...entriesOf(row(1)), { is: 'entries' as const, first: 2, seen: [{ all: 'b', id: 'w', slug: 's' }] }];
    await journal.append([...entries, { is: 'created', row: 1, id: 'x', slug: 's', at: 'soon', ...at }]);
    await journal.close();
    await (await open(['x', 'w'])).close();
    await expect(open(['x', 'z'])).rejects.toThrow(`the results contain code z, but ${path} does not`);
  });

  it('when it is not there, and the results cannot be read: they may list anything (O22)', async () => {
    const memory = createMemoryDisk();
    const open = (listed: [] | undefined) => openJournal(useOptions(memory.disk, { listed: { listed } }).options);
    await expect(open(undefined)).rejects.toMatchObject({
      name: 'UsageError',
      message: `cannot read the results next to ${path}, and no journal records their codes`,
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
      const open = (of: NewRow | undefined) => {
        const rows = of ? [{ seen: seenOf(of), id: 'x', slug: 's', isEdited: false }] : [];
        const listed = { listed: of ? [{ row: 1, id: 'x' }] : [], readListed: async () => rows };
        return openJournal(useOptions(memory.disk, { listed }).options);
      };
      const journal = await open(undefined);
      const entries = entriesOf(row(1), row(2));
      await journal.append([...entries, { ...intent, is: 'intent' }, ...last.map((record) => ({ ...record, ...at }))]);
      await journal.close();
      if (isRefused) await expect(open(row(1))).rejects.toThrow('the journal was lost or truncated');
      else await (await open(row(1))).close();
      await expect(open(row(2))).rejects.toThrow('the journal was lost or truncated');
    }
  });

  it('not when a lost row may have got the listed code, one for each, and no other (O22)', async () => {
    const { memory } = await useJournal([]);
    const alike = [1, 2, 3].map((n) => ({ ...row(n), values: new Map([['name', 'same']]), code: { name: 'same' } }));
    const seen = seenOf(alike[0] as NewRow);
    const open = (...ids: (string | undefined)[]) => {
      const rows = ids.map((id) => ({ seen, id, slug: 's', isEdited: false }));
      const listed = ids.flatMap((id, place) => (id === undefined ? [] : [{ row: place + 1, id }]));
      return openJournal(useOptions(memory.disk, { listed: { listed, readListed: async () => rows } }).options);
    };
    const journal = await open();
    const lost = { ...intent, is: 'intent' as const, row: 2 };
    await journal.append([{ is: 'session', ...at }, ...entriesOf(...alike), { ...intent, is: 'intent' }]);
    await journal.append([
      { is: 'session', ...at },
      { ...intent, is: 'intent' },
    ]);
    await journal.append([{ is: 'created', row: 1, id: 'a', slug: 's', at: 'soon', ...at }]);
    await journal.close();
    // Row 1 was sent again, but it has its code.
    await expect(open('a', 'x')).rejects.toThrow('the results contain code x, but');
    const again = await open('a');
    await again.append([lost]);
    await again.close();
    await (await open('a', undefined, 'x')).close();
    await expect(open('a', 'x', 'y')).rejects.toThrow('the results contain code y, but');
    const third = await open('a', 'x');
    await third.append([{ ...lost, row: 3 }]);
    await third.close();
    await (await open('a', 'x', 'y')).close();
  });

  it('but the results are not read if it has all of their codes (O22)', async () => {
    const { memory, open } = await useJournal([row(1)]);
    await open({}, [
      { is: 'session', ...at },
      { is: 'created', row: 1, id: 'a', slug: 's', at: 'soon', ...at },
    ]);
    const readListed = () => Promise.reject(new Error('was read'));
    await (await openJournal(useOptions(memory.disk, { listed: { listed: [{ row: 1, id: 'a' }], readListed } }).options)).close();
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
    await expect(openJournal(useOptions(disk, { baseUrl: 'https://other.example' }).options)).rejects.toThrow('belongs to');
    expect(closed).toBe(1);
  });
});
