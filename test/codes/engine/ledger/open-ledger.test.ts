/** Which ledger a run uses, and how runs take turns. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { AuthError, NotFoundError } from '#base/errors';
import {
  type OpenLedgerOptions,
  OTHER_DIRECTORY,
  openLedger,
  readLedger,
} from '#codes/engine/ledger/open-ledger';
import type { LedgerLine, LedgerRecord } from '#codes/engine/plan/ledger-lines';
import { createWorkspace } from '#service/workspace';
import { useDirectory } from '../../../support/cli.ts';
import { fakeClock } from '../../../support/clock.ts';

/** Part of all API keys. All processes share one lock per key, so without this part, simultaneous test runs would wait for each other. */
const TEST_RUN = randomUUID();

let directory: string;
let notes: string[];
let waits: string[];
let asked: string[];

beforeEach(async () => {
  directory = await useDirectory();
  notes = [];
  waits = [];
  asked = [];
});

interface Run {
  key?: string;
  baseUrl?: string;
  /** Codes of the workspace. */
  codes?: readonly string[];
}

function optionsOf({
  key = 'svc_live_a',
  baseUrl = 'https://qr.example/api/v1',
  codes = [],
}: Run = {}): OpenLedgerOptions {
  return {
    env: { QRCTL_STATE_DIR: join(directory, 'state') },
    workspace: createWorkspace({ baseUrl, apiKey: `${key}_${TEST_RUN}` }),
    async getCode(id) {
      asked.push(id);
      if (!codes.includes(id)) throw new NotFoundError('no such code');
    },
    warn: (sentence) => notes.push(sentence),
    note: (sentence) => notes.push(sentence),
    clock: fakeClock(),
    signal: new AbortController().signal,
    onWait: (path = 'workspace') => waits.push(path),
  };
}

const lines = (id: string): LedgerRecord[] => [
  { is: 'run', run: 'r1', ids: [] },
  { is: 'post', run: 'r1', n: 1, values: { name: 'Menu' } },
  { is: 'made', n: 1, id, slug: id, stored: { name: 'Menu' } },
];

/** Makes a code in a run, and returns the path of its ledger. */
async function make(id: string, options = optionsOf()): Promise<string | undefined> {
  const ledger = await openLedger(options);
  await ledger.append(lines(id));
  await ledger.close();
  return ledger.path;
}

async function claimsOf(options = optionsOf()): Promise<string[]> {
  return [...(await readLedger(options)).claims.keys()];
}

/** Waits in real time, because the fake clock does not control file operations. */
async function until(isDone: () => boolean): Promise<void> {
  while (!isDone()) await new Promise((resolve) => setImmediate(resolve));
}

describe('a ledger in the state directory', () => {
  it('is reused by the next run', async () => {
    const path = await make('a');
    const next = await openLedger(optionsOf());
    expect(next.path).toBe(path);
    expect([...next.view().claims.keys()]).toEqual(['a']);
    await next.close();
    expect(asked).toEqual([]);
  });

  it('is readable only by this user, as is its directory', async () => {
    const path = (await make('a')) ?? '';
    expect([statSync(path).mode & 0o777, statSync(join(directory, 'state')).mode & 0o777]).toEqual([
      0o600, 0o700,
    ]);
  });

  it('includes each record in its view immediately, even before `note` has written the record to disk', async () => {
    const ledger = await openLedger(optionsOf());
    const [run, post, made] = lines('a');
    for (const record of [run, post]) if (record) await ledger.append([record]);
    expect(ledger.view().unclear).toHaveLength(1);
    if (made) ledger.note([made]);
    expect(ledger.view().unclear).toHaveLength(0);
    await ledger.close();
    expect(await claimsOf()).toEqual(['a']);
  });

  it('is a separate file for each workspace, identified by API key and base URL (E20)', async () => {
    const paths = [
      await make('a'),
      await make('b', optionsOf({ key: 'svc_live_b', codes: ['b'] })),
      await make('c', optionsOf({ baseUrl: 'https://other.example/api/v1' })),
    ];
    expect(new Set(paths).size).toBe(3);
    expect(asked).toEqual(['a']);
    expect(await claimsOf(optionsOf({ key: 'svc_live_b' }))).toEqual(['b']);
    expect(await claimsOf()).toEqual(['a']);
  });

  it('is found after a key rotation even if its newest codes were deleted', async () => {
    const ids = Array.from({ length: 30 }, (_, at) => `code-${at}`);
    for (const id of ids) await make(id);
    expect(await claimsOf(optionsOf({ key: 'svc_live_c', codes: ['code-0'] }))).toEqual(ids);
    expect(asked).toHaveLength(10);
    expect(notes).toEqual([]);
  });

  it('is created with a note if no code that was looked up from an earlier ledger exists in the workspace', async () => {
    const first = await make('a');
    const second = await make('b', optionsOf({ key: 'svc_live_b' }));
    expect(second).not.toBe(first);
    const reason = `no code that was looked up in ${first} exists in this workspace`;
    expect(notes).toEqual([
      `This run begins a new ledger: ${reason}. Rows are recognized only by their values`,
    ]);
    await make('c', optionsOf({ key: 'svc_live_b' }));
    expect(notes).toHaveLength(1);
  });

  it('is created with a note if an earlier ledger has the same key, but another base URL', async () => {
    const first = await make('a', optionsOf({ baseUrl: 'http://localhost:4000/api/v1' }));
    await make('b', optionsOf({ baseUrl: 'http://127.0.0.1:4000/api/v1' }));
    const reason = `earlier runs with this API key used http://localhost:4000/api/v1 (${first})`;
    expect(notes).toEqual([
      `This run begins a new ledger: ${reason}. Rows are recognized only by their values`,
    ]);
  });

  it('is found after a key rotation by one of its codes', async () => {
    await make('a');
    await make('b', optionsOf({ key: 'svc_live_b' }));
    const rotated = { key: 'svc_live_c', codes: ['b'] };
    expect(await claimsOf(optionsOf(rotated))).toEqual(['b']);
    await make('c', optionsOf(rotated));
    asked = [];
    expect(await claimsOf(optionsOf({ key: 'svc_live_c' }))).toEqual(['b', 'c']);
    expect(asked).toEqual([]);
  });

  it('can be neither opened nor read if the service fails during the search for it', async () => {
    await make('a');
    const getCode = async () => Promise.reject(new AuthError('rejected', { code: 'UNAUTHORIZED' }));
    const options = { ...optionsOf({ key: 'svc_live_b' }), getCode };
    await expect(openLedger(options)).rejects.toThrow('rejected');
    await expect(readLedger(options)).rejects.toThrow('rejected');
  });

  it('that is damaged is renamed with a warning, and does not stop the run', async () => {
    const path = (await make('a')) ?? '';
    writeFileSync(path, readFileSync(path, 'utf8').replace('"n":1', '"n":2'));
    expect(await claimsOf(optionsOf())).toEqual([]);
    const ledger = await openLedger(optionsOf());
    expect([...ledger.view().claims.keys()]).toEqual([]);
    await ledger.close();
    expect(notes.at(-1)).toContain(`${path} is damaged at line 3, so it was renamed to ${path}.damaged`);
    expect(readFileSync(`${path}.damaged`, 'utf8')).toContain('"n":2');
  });
});

describe('a damaged ledger in the state directory', () => {
  /** Makes a ledger with a changed byte, and returns its path. */
  async function makeDamaged(): Promise<string> {
    const path = (await make('a')) ?? '';
    writeFileSync(path, readFileSync(path, 'utf8').replace('"n":1', '"n":2'));
    return path;
  }

  it('is renamed without overwriting an earlier damaged ledger', async () => {
    const [path] = [await makeDamaged(), await make('b'), await makeDamaged(), await make('c')];
    await makeDamaged();
    await make('d');
    const names = readdirSync(join(directory, 'state')).sort();
    expect(names).toEqual([
      'ledger-1.jsonl',
      ...['', '.1', '.2'].map((number) => `ledger-1.jsonl.damaged${number}`),
    ]);
    expect(notes).toHaveLength(3);
    expect(notes[2]).toBe(
      `${path} is damaged at line 3, so it was renamed to ${path}.damaged.2, and earlier runs are unknown`,
    );
    expect(await claimsOf()).toEqual(['d']);
  });

  it('is left in place by a dry run, which prints a warning', async () => {
    const path = await makeDamaged();
    expect(await claimsOf()).toEqual([]);
    expect(notes).toEqual([`${path} is damaged at line 3, so earlier runs are unknown`]);
    expect(readdirSync(join(directory, 'state'))).toEqual(['ledger-1.jsonl']);
  });
});

describe('runs', () => {
  it('take turns: the second run reports that it waits, and then has the records from the first run (E20)', async () => {
    const first = await openLedger(optionsOf());
    const options = optionsOf();
    const clock = fakeClock();
    const second = openLedger({ ...options, clock });
    await clock.run(until(() => waits.length > 0));
    await clock.advance(60_000);
    expect(waits).toEqual(['workspace']);
    await first.append(lines('a'));
    await first.close();
    const ledger = await clock.run(second);
    expect([...ledger.view().claims.keys()]).toEqual(['a']);
    await ledger.close();
  });

  it('take turns even with different ledgers, or without a ledger (E20)', async () => {
    const first = await openLedger({ ...optionsOf(), path: join(directory, 'one.jsonl') });
    const clock = fakeClock();
    const others = [
      openLedger({ ...optionsOf(), clock, path: join(directory, 'two.jsonl') }),
      openLedger({ ...optionsOf(), clock, env: { QRCTL_STATE_DIR: '/dev/null/none' } }),
    ];
    await clock.run(until(() => waits.length === 2));
    await first.close();
    for (const other of others) await (await clock.run(other)).close();
    expect(notes.join()).toContain('remember');
  });

  it('in two workspaces do not wait for each other if their ledgers exist', async () => {
    await make('a');
    await make('b', optionsOf({ key: 'svc_live_b' }));
    const first = await openLedger(optionsOf());
    const second = await openLedger(optionsOf({ key: 'svc_live_b' }));
    expect(waits).toEqual([]);
    await Promise.all([first.close(), second.close()]);
  });

  it('in two new workspaces get two ledgers', async () => {
    const clock = fakeClock();
    const both = ['svc_live_a', 'svc_live_b'].map((key) => openLedger({ ...optionsOf({ key }), clock }));
    const ledgers = await clock.run(Promise.all(both));
    expect(new Set(ledgers.map(({ path }) => path)).size).toBe(2);
    for (const ledger of ledgers) await ledger.close();
  });

  it('stop waiting when their abort signal fires', async () => {
    const first = await openLedger(optionsOf());
    const interruption = new AbortController();
    const second = openLedger({ ...optionsOf(), signal: interruption.signal });
    const refused = expect(second).rejects.toThrow('interrupted');
    await until(() => waits.length > 0);
    interruption.abort(new Error('interrupted'));
    await refused;
    await first.close();
  });

  it('report which ledger they wait for if a run with another API key uses it', async () => {
    const path = join(directory, 'mine.jsonl');
    await make('a', { ...optionsOf(), path });
    const first = await openLedger({ ...optionsOf(), path });
    const clock = fakeClock();
    const second = openLedger({ ...optionsOf({ key: 'svc_live_b', codes: ['a'] }), clock, path });
    await clock.run(until(() => waits.length > 0));
    expect(waits).toEqual([path]);
    await first.close();
    await (await clock.run(second)).close();
  });

  it('do not wait for a run that failed to open its ledger', async () => {
    const path = join(directory, 'mine.jsonl');
    await make('a', { ...optionsOf(), path });
    const text = readFileSync(path);
    writeFileSync(path, 'torn\n{}\n');
    await expect(openLedger({ ...optionsOf(), path })).rejects.toThrow('not a qrctl ledger');
    writeFileSync(path, text);
    await (await openLedger({ ...optionsOf(), path })).close();
    expect(waits).toEqual([]);
  });
});

describe('a ledger specified with --ledger', () => {
  it('is the specified file, or the target of a specified link, and no other file is created', async () => {
    const path = join(directory, 'mine.jsonl');
    symlinkSync(path, join(directory, 'link'));
    await make('a', { ...optionsOf(), path });
    await make('b', { ...optionsOf(), path: join(directory, 'link') });
    expect(await claimsOf({ ...optionsOf(), path })).toEqual(['a', 'b']);
    expect(readdirSync(directory).sort()).toEqual(['link', 'mine.jsonl']);
  });

  it('is refused if it belongs to another workspace', async () => {
    const path = join(directory, 'mine.jsonl');
    await make('a', { ...optionsOf(), path });
    const other = { ...optionsOf({ key: 'svc_live_b' }), path };
    for (const open of [openLedger, readLedger])
      await expect(open(other)).rejects.toMatchObject({
        name: 'UsageError',
        message: expect.stringContaining('another workspace'),
      });
  });

  it('is refused and left in place by runs and dry runs if it is damaged', async () => {
    const path = join(directory, 'mine.jsonl');
    await make('a', { ...optionsOf(), path });
    writeFileSync(path, readFileSync(path, 'utf8').replace('"n":1', '"n":2'));
    for (const open of [openLedger, readLedger])
      await expect(open({ ...optionsOf(), path })).rejects.toThrow(`${path} is damaged at line 3`);
    expect([readdirSync(directory), notes]).toEqual([['mine.jsonl'], []]);
  });

  it('requires an existing directory when it is opened, and is read as empty without one', async () => {
    const path = join(directory, 'no', 'mine.jsonl');
    await expect(openLedger({ ...optionsOf(), path })).rejects.toMatchObject({ name: 'UsageError' });
    expect(await claimsOf({ ...optionsOf(), path })).toEqual([]);
  });
});

describe('without a directory for a ledger', () => {
  it.each([
    ['no home directory', {}, ': there is no home directory. Set QRCTL_STATE_DIR'],
    [
      'a directory that cannot be created',
      { QRCTL_STATE_DIR: '/proc/qrctl/state' },
      'its directory does not exist (ENOENT)',
    ],
    ['a directory in which nothing can be created', { QRCTL_STATE_DIR: `/proc/${process.pid}` }, '(ENOENT)'],
    ['a file in place of the directory', { QRCTL_STATE_DIR: '/dev/null' }, 'EEXIST'],
  ])(
    'a run keeps only its own requests in its ledger, and prints one note with the reason (%s)',
    async (_, env, reason) => {
      const ledger = await openLedger({ ...optionsOf(), env });
      expect(ledger.path).toBeUndefined();
      await ledger.append(lines('a'));
      expect([...ledger.view().claims.keys()]).toEqual(['a']);
      await ledger.close();
      expect(notes).toEqual([expect.stringContaining(reason)]);
    },
  );
});

describe('reading a ledger for a dry run', () => {
  it('creates no file and no directory, and prints nothing, if there is no ledger', async () => {
    expect(await claimsOf()).toEqual([]);
    expect(await claimsOf({ ...optionsOf(), env: {} })).toEqual([]);
    expect([readdirSync(directory), notes]).toEqual([[], []]);
  });

  it('does not wait for a run in progress, and changes no byte of the ledger', async () => {
    const ledger = await openLedger(optionsOf());
    await ledger.append(lines('a'));
    const before = readFileSync(ledger.path ?? '');
    expect(await claimsOf(optionsOf({ key: 'svc_live_b', codes: ['a'] }))).toEqual(['a']);
    expect(readFileSync(ledger.path ?? '')).toEqual(before);
    expect(waits).toEqual([]);
    await ledger.close();
  });

  it('passes each record of the ledger to the callback', async () => {
    await make('a');
    const read: LedgerLine[] = [];
    await readLedger(optionsOf(), (line) => read.push(line));
    expect(read).toMatchObject(lines('a'));
  });

  it("prints a note if the state directory can't be read", async () => {
    mkdirSync(join(directory, 'x'));
    writeFileSync(join(directory, 'x', 'file'), '');
    const env = { QRCTL_STATE_DIR: join(directory, 'x', 'file') };
    expect(await claimsOf({ ...optionsOf(), env })).toEqual([]);
    expect(notes).toEqual([
      `earlier runs are unknown: cannot read ${env.QRCTL_STATE_DIR}: part of the path is not a directory (ENOTDIR). ${OTHER_DIRECTORY}`,
    ]);
  });
});
