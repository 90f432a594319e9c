import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { openAppendLog, readAppendLog } from '../../src/durable/append-log.ts';
import { LocalError, UsageError } from '../../src/errors.ts';
import { runs } from '../support/property-runs.ts';

interface Line {
  is: string;
  n: number;
}

const directory = mkdtempSync(join(tmpdir(), 'qrctl-journal-'));
afterAll(() => rmSync(directory, { recursive: true }));
let files = 0;
const freshPath = () => join(directory, `${files++}.journal`);

const lines = (count: number, from = 0): Line[] => Array.from({ length: count }, (_, n) => ({ is: 'row é', n: n + from }));

async function write(path: string, records: readonly Line[]): Promise<void> {
  const journal = await openAppendLog<Line>(path);
  await journal.append(records);
  await journal.close();
}

describe('a journal', () => {
  it('gives back what was added, run after run', async () => {
    const path = freshPath();
    await write(path, lines(2));
    await write(path, lines(3, 2));
    expect(await readAppendLog<Line>(path)).toEqual(lines(5));
  });

  it('is one JSON object a line, for people who look inside', async () => {
    const path = freshPath();
    await write(path, lines(3));
    const text = await readFile(path, 'utf8');
    expect(
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).n),
    ).toEqual([0, 1, 2]);
  });

  it('keeps the order of what is added at once, and promises nothing before it is written', async () => {
    const path = freshPath();
    const journal = await openAppendLog<Line>(path);
    const kept = lines(200).map(async (line) => {
      await journal.append([line]);
      return (await readFile(path, 'utf8')).includes(`"n":${line.n},`);
    });
    expect(new Set(await Promise.all(kept))).toEqual(new Set([true]));
    await journal.close();
    expect(await readAppendLog<Line>(path)).toEqual(lines(200));
  });

  it('goes on after a power cut at any byte: whole lines stay, the torn one goes', async () => {
    const whole = freshPath();
    await write(whole, lines(4));
    const bytes = await readFile(whole);
    for (let length = 0; length <= bytes.length; length++) {
      const path = freshPath();
      await writeFile(path, bytes.subarray(0, length));
      const left = bytes.subarray(0, length).filter((byte) => byte === 0x0a).length;
      const journal = await openAppendLog<Line>(path);
      expect(journal.found).toEqual(lines(left));
      await journal.append(lines(1, 99));
      await journal.close();
      expect(await readAppendLog<Line>(path)).toEqual([...lines(left), ...lines(1, 99)]);
      await truncate(path, 0);
    }
  });

  it('refuses damage before its end, which could hide a code that was created', async () => {
    const path = freshPath();
    await write(path, lines(6));
    const bytes = await readFile(path);
    const lastLine = bytes.lastIndexOf(0x0a, bytes.length - 2) + 1;
    await fc.assert(
      fc.asyncProperty(fc.nat(lastLine - 2), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const damaged = Buffer.from(bytes);
        damaged[at] = (damaged[at] ?? 0) ^ change;
        await writeFile(path, damaged);
        await expect(openAppendLog(path)).rejects.toThrow(UsageError);
        expect(await readFile(path)).toEqual(damaged);
      }),
      runs(200),
    );
  });

  it('refuses what is no journal, and leaves it alone', async () => {
    for (const text of ['name,type\nA,url\n', '{"is":"x"}\n', 'no', '/']) {
      const path = freshPath();
      await writeFile(path, text);
      await expect(openAppendLog(path)).rejects.toThrow(UsageError);
      expect(await readFile(path, 'utf8')).toBe(text);
    }
    await expect(openAppendLog(directory)).rejects.toThrow(UsageError);
    await expect(openAppendLog('/dev/null')).rejects.toThrow(UsageError);
  });

  it('fails everything after a failed write, because what is on disk is not known any more', async () => {
    const journal = await openAppendLog<Line>(freshPath());
    await journal.append(lines(1));
    const failing = { ...journal };
    // Lines that JSON cannot say fail where they are made, before the disk is touched.
    const circular: Line & { self?: unknown } = { is: 'row', n: 1 };
    circular.self = circular;
    expect(() => failing.append([circular])).toThrow(TypeError);
    await journal.append(lines(1, 1));
    await journal.close();
    await expect(journal.append(lines(1))).rejects.toThrow(LocalError);
    await expect(journal.append(lines(1))).rejects.toThrow(LocalError);
  });
});
