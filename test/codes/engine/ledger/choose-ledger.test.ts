/** Which file of the state directory is the ledger of a workspace. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { NotFoundError } from '#base/errors';
import { chooseLedger, forgetLedger } from '#codes/engine/ledger/choose-ledger';
import { openLedgerFile } from '#codes/engine/ledger/ledger-file';
import type { LedgerRecord } from '#codes/engine/plan/ledger-lines';
import { formatLine } from '#files/durable/log-lines';
import { nodeDisk } from '#files/durable/node-disk';
import { createWorkspace } from '#service/workspace';
import { useDirectory } from '../../../support/cli.ts';

const BASE = 'https://qr.example/api/v1';
const MOVED = 'https://old.example/api/v1';

let directory: string;
let notes: string[];
let asked: string[];

beforeEach(async () => {
  directory = await useDirectory();
  notes = [];
  asked = [];
});

interface Own {
  apiKey?: string;
  baseUrl?: string;
  profile?: string;
  /** Codes of the workspace. */
  codes?: readonly string[];
}

function ownOf({ apiKey = 'svc_live_own', baseUrl = BASE, profile, codes = [] }: Own = {}) {
  return {
    workspace: createWorkspace({ baseUrl, apiKey, profile }),
    async getCode(id: string) {
      asked.push(id);
      if (!codes.includes(id)) throw new NotFoundError('no such code');
    },
    note: (sentence: string) => notes.push(sentence),
  };
}

const pathOf = (number: number) => join(directory, `ledger-${number}.jsonl`);
const choose = (own: Own = {}) => chooseLedger(directory, ownOf(own));
const existing = (number: number) => ({ path: pathOf(number), isNew: false });
const fresh = (number: number) => ({ path: pathOf(number), isNew: true });

/** Writes the ledger with this number for a workspace. If `id` is specified, the ledger contains a code with this ID. */
async function write(number: number, id: string | undefined, own: Own = {}, more: LedgerRecord[] = []) {
  const { log } = await openLedgerFile(pathOf(number), ownOf(own), nodeDisk);
  await log.append([{ is: 'run', run: 'r1', ids: [] }]);
  const row = { name: 'Menu' };
  if (id !== undefined) await log.append([{ is: 'found', run: 'r1', id, row, stored: row }, ...more]);
  await log.close();
}

const deleted = (id: string): LedgerRecord[] => [
  { is: 'delete', run: 'r1', n: 1, id },
  { is: 'deleted', n: 1 },
];

describe('the ledger of a workspace', () => {
  it('is found by API key and base URL among the ledgers of other workspaces', async () => {
    await write(2, 'a', { apiKey: 'svc_live_other' });
    await write(3, 'b', { baseUrl: MOVED });
    await write(10, undefined);
    expect(await choose()).toEqual(existing(10));
    expect([asked, notes]).toEqual([[], []]);
  });

  it('is a new file, numbered after the highest existing ledger, if no ledger belongs to the workspace, and similar file names are ignored', async () => {
    expect(await choose()).toEqual(fresh(1));
    await write(9, undefined, { apiKey: 'svc_live_other' });
    await write(10, undefined, { apiKey: 'svc_live_other' });
    for (const name of ['ledger-70.jsonl.damaged', 'my-ledger-71.jsonl', 'ledger-x.jsonl', 'ledgers'])
      writeFileSync(join(directory, name), '');
    expect(await choose()).toEqual(fresh(11));
    expect(notes).toEqual([]);
  });

  it('is not an empty or truncated file that a killed run left behind', async () => {
    writeFileSync(pathOf(1), '');
    writeFileSync(pathOf(2), '{"is":"ledger","ver');
    expect(await choose()).toEqual(fresh(3));
  });

  it('is found even if another process deletes a ledger during the search', async () => {
    await write(2, undefined);
    const listing = vi.spyOn(nodeDisk, 'readdir').mockResolvedValue(['ledger-1.jsonl', 'ledger-2.jsonl']);
    expect(await choose()).toEqual(existing(2));
    listing.mockRestore();
  });

  it('is found even if the ledger of another workspace is damaged after its first line', async () => {
    const header = { is: 'ledger', version: 1, baseUrl: MOVED };
    writeFileSync(pathOf(1), `${formatLine(header)}torn\n${formatLine({ is: 'end', run: 'r1' })}`);
    await write(2, undefined);
    expect(await choose()).toEqual(existing(2));
  });

  it('is found by one of its codes that exists in the workspace if its header has no key', async () => {
    const header = { is: 'ledger', version: 1, baseUrl: BASE };
    const row = { name: 'Menu' };
    const found = { is: 'found', run: 'r1', id: 'a', row, stored: row };
    writeFileSync(pathOf(1), formatLine(header) + formatLine({ is: 'run', run: 'r1' }) + formatLine(found));
    expect(await choose({ codes: ['a'] })).toEqual(existing(1));
  });

  it('after a key rotation is the ledger of the current profile if several ledgers have existing codes', async () => {
    await write(1, 'a', { apiKey: 'svc_live_1', profile: 'work' });
    await write(2, 'b', { apiKey: 'svc_live_2', profile: 'home' });
    const codes = ['a', 'b'];
    expect(await choose({ profile: 'home', codes })).toEqual(existing(2));
    expect(await choose({ profile: 'work', codes })).toEqual(existing(1));
    expect(await choose({ profile: 'new', codes })).toEqual(existing(1));
    expect(await choose({ profile: 'home', codes: ['a'] })).toEqual(existing(1));
  });

  it('after a key rotation is searched for once in each ledger, starting with ledgers of the current profile', async () => {
    await write(1, 'a', { apiKey: 'svc_live_1', profile: 'work' });
    await write(2, 'b', { apiKey: 'svc_live_2', profile: 'home' });
    expect(await choose({ profile: 'home' })).toEqual(fresh(3));
    expect(asked).toEqual(['b', 'a']);
  });

  it('after a key rotation is never a ledger without codes', async () => {
    await write(1, undefined, { apiKey: 'svc_live_1' });
    expect(await choose()).toEqual(fresh(2));
    expect(notes).toEqual([]);
  });

  it('is refused if its path is a directory, and the error contains the path', async () => {
    mkdirSync(pathOf(1));
    await expect(choose()).rejects.toMatchObject({
      message: expect.stringMatching(/^cannot read the ledger .*ledger-1\.jsonl: .*EISDIR/),
      hint: expect.stringContaining('--ledger'),
    });
  });
});

describe('the note about a new ledger', () => {
  it('names only one earlier ledger, preferably one with the same API key', async () => {
    await write(1, 'a', { apiKey: 'svc_live_1' });
    await write(2, 'b', { baseUrl: MOVED });
    await write(3, 'c', { baseUrl: MOVED });
    expect(await choose()).toEqual(fresh(4));
    expect(notes).toEqual([
      `This run begins a new ledger: earlier runs with this API key used ${MOVED} (${pathOf(2)}). Rows are recognized only by their values`,
    ]);
  });

  it('is omitted if the earlier ledgers are unrelated, damaged or without existing codes', async () => {
    await write(1, undefined, { baseUrl: MOVED });
    await write(2, 'a', { baseUrl: MOVED }, deleted('a'));
    await write(3, 'b', { baseUrl: 'https://third.example/api/v1', apiKey: 'svc_live_other' });
    const { record } = createWorkspace({ baseUrl: MOVED, apiKey: 'svc_live_own' });
    const header = { is: 'ledger', version: 1, ...(await record()) };
    writeFileSync(pathOf(4), `${formatLine(header)}torn\n${formatLine({ is: 'end', run: 'r1' })}`);
    expect(await choose()).toEqual(fresh(5));
    expect(notes).toEqual([]);
  });

  it('is printed if the earlier ledger has at least one code that was not deleted', async () => {
    const more = [{ is: 'found', run: 'r1', id: 'b', row: { name: 'B' }, stored: {} }, ...deleted('a')];
    await write(1, 'a', { baseUrl: MOVED }, more as LedgerRecord[]);
    await choose();
    expect(notes).toHaveLength(1);
  });
});

describe('forgetting the ledger of a workspace', () => {
  const forget = (own: Own = {}) => forgetLedger({ QRCTL_STATE_DIR: directory }, ownOf(own).workspace);
  const present = () => [1, 2, 3].filter((number) => existsSync(pathOf(number)));

  it('deletes only the ledger with the API key and base URL of the workspace', async () => {
    await write(1, 'a', { apiKey: 'svc_live_other' });
    await write(2, 'a', { baseUrl: MOVED });
    await write(3, 'a');
    await forget();
    expect(present()).toEqual([1, 2]);
    await forget();
    expect(present()).toEqual([1, 2]);
  });

  it('skips files without a header', async () => {
    writeFileSync(pathOf(1), '');
    await write(2, 'a');
    await forget();
    expect(present()).toEqual([1]);
  });

  it('does not fail without a state directory, without a home directory or with a damaged ledger', async () => {
    await forgetLedger({}, ownOf().workspace);
    await forgetLedger({ QRCTL_STATE_DIR: join(directory, 'none') }, ownOf().workspace);
    writeFileSync(pathOf(1), 'torn\n{}\n');
    await forget();
    expect(present()).toEqual([1]);
  });
});
