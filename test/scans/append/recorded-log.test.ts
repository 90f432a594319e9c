/** What a state file records of a log, compared with the files that are there. */
import { readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { emptyOverlap } from '#scans/append/overlap';
import { codesOfLogs, lossOfLog, wasRotated } from '#scans/append/recorded-log';
import { type AppendState, formatState, parseState, stampOf } from '#scans/append/state';
import { useDirectory } from '../../support/cli.ts';
import { keepFile } from '../../support/kept-log.ts';

const ROWS = 'id,ts\n1,2026-01-01T00:00:00Z\n';

let file: string;

beforeEach(async () => {
  file = join(await useDirectory(), 'scans.csv');
  await writeFile(file, ROWS);
  await keepFile(file);
});

async function record(changes: Partial<AppendState>): Promise<void> {
  const state = `${file}.state.json`;
  await writeFile(state, formatState({ ...parseState(await readFile(state)), ...changes }, 0));
}

const damage = () => writeFile(`${file}.state.json`, '{"version":2,"half');
const remove = () => rm(file);
const edit = () => writeFile(file, ROWS.replace('1,', '2,'));
const grow = () => writeFile(file, `${ROWS}2,2026-01-01T01:00:00Z\n`);
const shorten = () => truncate(file, 6);
const none = async () => undefined;

describe('wasRotated', () => {
  it.each<[string, () => Promise<unknown>, boolean | undefined]>([
    ['undefined without a state', () => rm(`${file}.state.json`), undefined],
    ['true if the state is damaged', damage, true],
    ['true if the state has rotated rows', () => keepFile(file, { isRotated: true }), true],
    ['true if the file is shorter than recorded', shorten, true],
    ['true if the file is missing', remove, true],
    ['false if the file has the recorded size', none, false],
    ['false if the file is longer than recorded', grow, false],
  ])('returns %s', async (_, change, expected) => {
    await change();
    expect(await wasRotated(file)).toBe(expected);
  });
});

describe('lossOfLog reports', () => {
  it.each<[string, () => Promise<unknown>, string | undefined]>([
    ['nothing for a file without a state', () => rm(`${file}.state.json`), undefined],
    ['nothing for the recorded bytes', none, undefined],
    ['nothing for the recorded bytes and others after them', grow, undefined],
    ['a damaged state', damage, 'its state file cannot be read (truncated or changed)'],
    ['a truncated file', shorten, 'the file was truncated: 6 of 29 bytes remain'],
    ['an edited file', edit, 'the file was edited or replaced since the last run'],
  ])('%s', async (_, change, expected) => {
    await change();
    expect(await lossOfLog(file, [file])).toBe(expected);
  });

  it('a missing file, unless it had no rows or another file has them', async () => {
    const [old, kept] = [`${file}.1`, `${file}.2`];
    await remove();
    expect(await lossOfLog(file, [])).toBe('the file no longer exists, but its state file records 29 bytes');
    await writeFile(old, ROWS);
    await writeFile(kept, ROWS.replace('1,', '2,'));
    expect(await lossOfLog(file, [kept, old])).toBeUndefined();
    await record({ bytes: 0 });
    expect(await lossOfLog(file, [])).toBeUndefined();
  });

  it('nothing for a file with the recorded stamp and size, without reading it', async () => {
    const found = await stat(file, { bigint: true });
    await record({ stamp: stampOf(found as never, found.ctimeNs + 1n), sha256: '0'.repeat(64) });
    expect(await lossOfLog(file, [file])).toBeUndefined();
    await grow();
    expect(await lossOfLog(file, [file])).toMatch('was edited');
  });

  it.each<[string, string | Buffer, number[], boolean]>([
    ['scans.csv.1', 'six by', [6], false],
    ['scans.csv.1', 'seven b', [6], true],
    ['scans.csv.1', 'of the size of the log itself', [6], false],
    ['scans.csv.1', 'seven b', [6, 0], false],
    ['scans.csv.1.gz', gzipSync('six by'), [6], false],
    ['scans.csv.1.GZ', gzipSync('seven b'), [6], true],
    ['scans.csv.1.gz', 'abc', [3], false],
    ['scans.csv.1.gz', Buffer.from([6, 0, 0, 0]), [6], false],
    ['scans.csv.gz.1', 'six by', [6], false],
  ])(
    'whether %s (%s), after rotated files of %j bytes, is an unrelated file: case %#',
    async (name, content, sizes, isForeign) => {
      const other = join(file, '..', name);
      await writeFile(other, content);
      await grow();
      await record({ rotated: sizes.map((bytes) => ({ bytes, sha256: '', newestMs: {} })) });
      expect(await lossOfLog(file, [other, file])).toBe(
        isForeign ? `${name} is not one of the files that were rotated from it, or it was edited` : undefined,
      );
    },
  );
});

it('codesOfLogs returns the codes that logs were written for or have rows of, and ignores files without a state', () => {
  const identity = { codes: ['a', 'b'] } as unknown as AppendState['identity'];
  const state = { identity, overlaps: new Map([['c', emptyOverlap()]]) };
  expect(codesOfLogs([{ state }, {}])).toEqual(new Set(['a', 'b', 'c']));
});
