import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UsageError } from '#base/errors';
import { foldKey } from '#base/text/clean';
import { formatLock, type LockEntry, type LockFile, parseLock } from '#codes/engine/lock/lock-file';
import { anyCharacter } from '../../../support/any-character.ts';
import { runs } from '../../../support/property-runs.ts';

const workspace = { baseUrl: 'https://qr.example/api/v1', key: `${'0'.repeat(32)}:${'a'.repeat(64)}` };
const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const entry = (key: string, n: number): LockEntry => {
  return { key, id: idOf(n), slug: `s${n}`, name: key, type: 'url', destination: null, status: 'active' };
};
const lockOf = (...entries: LockEntry[]): LockFile => ({
  workspace,
  entries: new Map(entries.map((one) => [one.key, one])),
});

const text = fc.string({ unit: anyCharacter, maxLength: 20 });
const entries = fc
  .uniqueArray(
    text.filter((key) => key.trim() !== ''),
    { maxLength: 12, selector: (key) => key.normalize('NFC').toLowerCase().replace(/\s+/gu, '') },
  )
  .chain((keys) =>
    fc.tuple(
      ...keys.map((key, at) =>
        fc.record({
          key: fc.constant(key),
          id: fc.constant(idOf(at)),
          slug: text,
          name: text,
          type: text,
          destination: fc.option(text),
          status: text,
          removed: fc.constantFrom(undefined, true as const, 'paused' as const),
        }),
      ),
    ),
  );

/** The faults that a lock file is refused with, one per line. */
async function faultsOf(content: string): Promise<string> {
  try {
    await parseLock(content, 'codes.lock.json');
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    return String(error);
  }
  return '';
}

async function hintOf(content: string): Promise<string | undefined> {
  try {
    await parseLock(content, 'codes.lock.json');
  } catch (error) {
    return error instanceof UsageError ? error.hint : String(error);
  }
  return undefined;
}

describe('a lock file', () => {
  it('is read back with all its values, even if another program reformatted it (E22)', async () => {
    await fc.assert(
      fc.asyncProperty(
        entries,
        fc.constantFrom('written', 'pretty', 'one line', 'crlf', 'bom'),
        async (all, form) => {
          const lock = lockOf(...all);
          const written = formatLock(lock);
          const content = {
            written,
            pretty: JSON.stringify(JSON.parse(written), undefined, 2),
            'one line': JSON.stringify(JSON.parse(written)),
            crlf: written.replaceAll('\n', '\r\n'),
            bom: `\ufeff${written}`,
          }[form];
          const read = await parseLock(content, 'codes.lock.json');
          expect(read.entries).toEqual(lock.entries);
          expect(formatLock(read)).toBe(written);
        },
      ),
      runs(100, 20_000),
    );
  });

  it('has one line per key, sorted by key, and a new key changes no other line (E22)', async () => {
    const before = formatLock(lockOf(entry('b', 1), entry('a', 2))).split('\n');
    const after = formatLock(lockOf(entry('b', 1), entry('a', 2), entry('c', 3))).split('\n');
    expect(after.filter((line) => !before.includes(line))).toHaveLength(1);
    expect(before.filter((line) => !after.includes(line))).toEqual([]);
    expect(before.findIndex((line) => line.includes('"a"'))).toBeLessThan(
      before.findIndex((line) => line.includes('"b"')),
    );
  });

  it('is refused with the line numbers of its git conflict markers (E22)', async () => {
    const [head = '', ...rest] = formatLock(lockOf(entry('a', 1), entry('b', 2))).split('\n');
    const content = [
      head,
      ...rest.slice(0, 4),
      '<<<<<<< HEAD',
      rest[4],
      '=======',
      rest[5],
      '>>>>>>> other',
      ...rest.slice(6),
    ];
    const faults = await faultsOf(content.join('\n'));
    for (const at of ['<<<<<<< HEAD', '=======', '>>>>>>> other']) {
      expect(faults).toContain(
        `line ${content.indexOf(at) + 1}: is a git conflict marker (${at.slice(0, 7)})`,
      );
    }
  });

  it('is refused if a key has two codes or a code has two keys, but may repeat a line (E22)', async () => {
    const lines = formatLock(lockOf(entry('a', 1), entry('b', 2), entry('c', 3))).split('\n');
    const at = lines.findIndex((line) => line.includes('"b"'));
    const twice = (line: string) => faultsOf(lines.with(at, line).join('\n'));
    expect(await twice(lines[at - 1] ?? '')).toBe('');
    expect(await twice((lines[at - 1] ?? '').replace('"name":"a"', '"name":"other"'))).toBe('');
    expect(await twice((lines[at] ?? '').replace('"key":"b"', '"key":"a"'))).toMatch(
      new RegExp(`line ${at + 1}: .*line ${at}:`),
    );
    expect(await twice((lines[at] ?? '').replace(idOf(2), idOf(1)))).toContain('codes.lock.json: 1 fault');
    expect(await twice((lines[at] ?? '').replace(idOf(2), idOf(1)))).toMatch(
      new RegExp(`line ${at + 1}: .*line ${at}:`),
    );
    expect(await twice((lines[at] ?? '').replace('"key":"b"', '"key":" A"'))).toContain(`line ${at + 1}:`);
    expect(await twice(lines[at] ?? '')).toBe('');
  });

  it('ignores case in IDs and keys, and spaces in keys', async () => {
    const hex = 'abcdefab-0000-4000-8000-00000000000a';
    const both = (first: string, second: string) => {
      const [one, two] = [first, second].map((id, n) => JSON.stringify({ ...entry(`k${n}`, 1), id }));
      return faultsOf(formatLock(lockOf()).replace('null\n', `${one},\n${two},\nnull\n`));
    };
    for (const [first, second] of [[hex, hex.toUpperCase()] as const, [hex.toUpperCase(), hex] as const]) {
      expect(await both(first, second)).toMatch(/line 7: .* has a different key on line 6/);
    }
    expect(foldKey(' A\u00a0 b\t')).toBe('ab');
    expect(foldKey('straße')).not.toBe(foldKey('STRASSE'));
  });

  it('keeps byte order marks within its values', async () => {
    const lock = lockOf({ ...entry('a', 1), name: 'x\ufeffy' });
    for (const start of ['', '\ufeff'])
      expect((await parseLock(start + formatLock(lock), 'codes.lock.json')).entries).toEqual(lock.entries);
  });

  it('is refused with the number of its damaged line, and with a hint', async () => {
    const whole = formatLock(lockOf(entry('a', 1), entry('b', 2)));
    const lines = whole.split('\n');
    const at = lines.findIndex((line) => line.includes('"b"'));
    expect(
      await faultsOf(lines.with(at, (lines[at] ?? '').replace('"slug":', '"slug"')).join('\n')),
    ).toContain(`codes.lock.json: line ${at + 1} is not valid JSON`);
    expect(await faultsOf(' \n')).toContain('codes.lock.json is not valid JSON');
    expect(await faultsOf(whole.slice(0, -4))).toMatch(/codes\.lock\.json: line \d+ is not valid JSON/);
    expect(await faultsOf(lines.with(at, (lines[at] ?? '').replace(idOf(2), 'no-id')).join('\n'))).toContain(
      `line ${at + 1}: is not a complete entry`,
    );
    expect(await hintOf(whole.slice(0, -4))).toContain('Restore the lock file from git');
    expect(await hintOf(whole.replace(idOf(2), 'no-id'))).toContain('Restore the lock file from git');
    expect(await hintOf(whole.replace('"version": 1', '"version": 2'))).toBe(
      'Use the latest version of qrctl.',
    );
    expect(await hintOf('{}')).toBe('Specify a different file with --lock.');
  });

  it('is refused if it is damaged, was written by a newer version, or is another kind of file', async () => {
    const whole = formatLock(lockOf(entry('a', 1)));
    expect(await faultsOf(whole.replace('"version": 1', '"version": 2'))).toContain('newer');
    expect(await faultsOf(whole.replace('"version": 1', '"version": "2"'))).toContain('not a lock file');
    expect(await faultsOf(whole.replace(/"codes": .*/s, '"codes": {}}'))).toContain('not a lock file');
    for (const damage of [
      whole.slice(0, -20),
      whole.replace(idOf(1), 'no-id'),
      whole.replace('"slug":"s1"', '"slug":1'),
      whole.replace('"key":"a"', '"key":" "'),
      whole.replace('"status":"active"', '"status":"active","removed":false'),
      whole.replace('"destination":null,', ''),
      whole.replace('"base_url"', '"other"'),
      whole.replace(/"workspace": .*/, '"workspace": "x",'),
      whole.replace('"version": 1', '"version": 0'),
      whole.replace('"key":"a"', '"key":7'),
      whole.replace(`"${idOf(1)}"`, '7'),
      whole.replace('null\n]', '7]'),
      '{"lockfileVersion": 3}',
      'null',
      '7',
      '[]',
      '',
    ])
      expect(await faultsOf(damage), damage).not.toBe('');
  });
});
