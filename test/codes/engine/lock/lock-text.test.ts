/** The exact text of lock files, and lock files that were merged by git, edited or damaged. */
import { describe, expect, it } from 'vitest';
import { UsageError } from '#base/errors';
import { formatLock, type LockEntry, parseLock } from '#codes/engine/lock/lock-file';
import { codeOf, idOf } from '../plan/make.ts';
import { entryOf } from './make-entry.ts';

const KEY = `${'0'.repeat(32)}:${'a'.repeat(64)}`;
const OTHER_KEY = `${'0'.repeat(32)}:${'b'.repeat(64)}`;
const workspace = { baseUrl: 'https://qr.example/api/v1', key: KEY };

function textOf(...entries: LockEntry[]): string {
  return formatLock({ workspace, entries: new Map(entries.map((entry) => [entry.key, entry])) });
}

/** Returns the text of a lock file with this text as the entries of its codes. */
function withCodes(codes: string): string {
  return textOf().replace('null\n', `${codes}\n`);
}

async function refusalOf(text: string, signal?: AbortSignal): Promise<UsageError> {
  const error = await parseLock(text, 'codes.lock.json', signal).catch((reason) => reason);
  expect(error).toBeInstanceOf(UsageError);
  return error;
}

async function keysOf(text: string): Promise<string[]> {
  return [...(await parseLock(text, 'codes.lock.json')).entries.keys()];
}

const line = (key: string, number: number) => `${JSON.stringify(entryOf(key, codeOf(number)))},`;

describe('the text of a lock file', () => {
  it('has the same bytes for equal entries, whatever the order of their keys and fields', () => {
    const a = entryOf('a', codeOf(1), { removed: 'kept', sent: { name: 'Sent' } });
    const b = entryOf('b', codeOf(2, { destination: null }));
    const expected = [
      '{',
      '"version": 1,',
      '"base_url": "https://qr.example/api/v1",',
      `"workspace": "${KEY}",`,
      '"codes": [',
      `{"key":"a","id":"${idOf(1)}","slug":"n0001","name":"Code 1","type":"url","destination":"https://example.com/1","status":"active","removed":"kept","sent":{"name":"Sent"}},`,
      `{"key":"b","id":"${idOf(2)}","slug":"n0002","name":"Code 2","type":"url","destination":null,"status":"active"},`,
      'null',
      ']}',
      '',
    ].join('\n');
    expect(textOf(a, b)).toBe(expected);
    const reversed = Object.fromEntries(Object.entries(b).reverse()) as unknown as LockEntry;
    expect(textOf(reversed, a)).toBe(expected);
  });

  it('preserves every field of its entries when it is parsed', async () => {
    const all = [
      entryOf('a', codeOf(1), { removed: true, sent: { name: 'A', destination: 'https://a.example' } }),
      entryOf('b', codeOf(2), { removed: 'paused', sent: { destination: 'https://b.example' } }),
      entryOf('c', codeOf(3), { removed: 'kept' }),
    ];
    const { entries } = await parseLock(textOf(...all), 'codes.lock.json');
    expect([...entries.values()]).toEqual(all);
  });
});

describe('a lock file that git merged by line (E22)', () => {
  const head = (key: string) => [
    '"version": 1,',
    '"base_url": "https://qr.example/api/v1",',
    `"workspace": "${key}",`,
    '"codes": [',
  ];
  const joined = [
    '{',
    ...head(KEY),
    line('a', 1),
    ...head(OTHER_KEY),
    ` ${line('b', 2)}\r`,
    line('c', 3).slice(0, -1),
    'null',
    ']}',
    '',
  ];

  it('has all codes of both sides, and the workspace of the first side', async () => {
    const lock = await parseLock(joined.join('\n'), 'codes.lock.json');
    expect([...lock.entries.keys()]).toEqual(['a', 'b', 'c']);
    expect(lock.workspace).toEqual(workspace);
  });

  it('is refused if its sides belong to different services', async () => {
    const text = joined.join('\n').replace('qr.example', 'other.example');
    expect((await refusalOf(text)).message).toBe(
      'codes.lock.json: line 15 is not valid JSON: the end is missing (the lock file is damaged)',
    );
  });

  it.each(['version', 'base_url', 'workspace'])('is refused if neither side has %s', async (name) => {
    const text = joined.filter((each) => !each.startsWith(`"${name}"`)).join('\n');
    expect((await refusalOf(text)).message).toBe(
      'codes.lock.json: line 13 is not valid JSON: the end is missing (the lock file is damaged)',
    );
  });

  it('is refused if one of its entries is also damaged', async () => {
    const text = joined.toSpliced(5, 1, line('a', 1).replace('"slug":', '"slug"')).join('\n');
    expect((await refusalOf(text)).message).toContain('(the lock file is damaged)');
  });

  it('is distinguished from a truncated lock file with complete lines, which is refused', async () => {
    const text = textOf(entryOf('a', codeOf(1))).replace('null\n]}\n', '');
    const { message, hint } = await refusalOf(text);
    expect(message).toBe(
      'codes.lock.json: line 7 is not valid JSON: the end is missing (the lock file is damaged)',
    );
    expect(hint).toBe('Restore the lock file from git. If it is lost, delete it and add --adopt-existing.');
  });
});

describe('a lock file with faults', () => {
  it('is refused with the line of each conflict marker, even before the opening brace', async () => {
    const lines = ['<<<<<<< HEAD', ...textOf().split('\n').slice(0, -1), '=======', '>>>>>>> other'];
    const text = `\n${lines.join('\n')}`;
    const { message, rows } = await refusalOf(text);
    expect(message).toContain('codes.lock.json: 3 faults');
    const fault = (at: number, marker: string) => ({
      file: 'codes.lock.json',
      line: at,
      message: `is a git conflict marker (${marker}): resolve the merge and keep one line per key`,
    });
    expect(rows).toEqual([fault(2, '<<<<<<<'), fault(10, '======='), fault(11, '>>>>>>>')]);
  });

  it('is refused with a report of at most 1,000 faults', async () => {
    const markers = withCodes(`${'<<<<<<< a\n'.repeat(1500)}null`);
    const entries = withCodes(`${'{"key":"a"},\n'.repeat(1500)}null`);
    for (const text of [markers, entries]) {
      const { rows, message } = await refusalOf(text);
      expect(rows).toHaveLength(1000);
      expect(message).toContain('at least 1,000 faults');
    }
  });

  it('is refused with both lines of a key that has two codes, or of a code that has two keys', async () => {
    const same = 'a different code on line 6: keep the line with the correct code';
    expect((await refusalOf(withCodes(`${line('a', 1)}\n${line(' A', 2)}\nnull`))).rows).toEqual([
      { file: 'codes.lock.json', line: 7, message: `the key " A" has ${same}` },
    ]);
    const code = 'a different key on line 6: keep the line with the correct key';
    expect((await refusalOf(withCodes(`${line('a', 1)}\n${line('b', 1)}\nnull`))).rows).toEqual([
      { file: 'codes.lock.json', line: 7, message: `the code ${idOf(1)} has ${code}` },
    ]);
  });

  it.each([
    ['a string as its sent values', { sent: 'x' }],
    ['a number in the sent values', { sent: { name: 'A', destination: 7 } }],
    ['an unknown removal state', { removed: 'yes' }],
    ['a number as its destination', { destination: 7 }],
    ['a list as its ID', { id: [idOf(1)] }],
    ['no slug', { slug: undefined }],
    ['no name', { name: undefined }],
    ['no type', { type: undefined }],
    ['no status', { status: undefined }],
  ])('is refused if an entry has %s', async (_name, changes) => {
    const text = withCodes(`${JSON.stringify({ ...entryOf('a', codeOf(1)), ...changes })},\nnull`);
    expect((await refusalOf(text)).rows).toMatchObject([
      { line: 6, message: 'is not a complete entry (key, id, slug and values)' },
    ]);
  });

  it('is refused if a value is nested more than 100 levels deep', async () => {
    const deep = `{"key":${'['.repeat(200)}${']'.repeat(200)},"name":"${'x'.repeat(1024 * 1024)}"}`;
    expect((await refusalOf(withCodes(deep))).message).toBe(
      'codes.lock.json: line 6 is nested more than 100 levels deep (the lock file is damaged)',
    );
  });
});

describe('a file that is read as a lock file', () => {
  const members = (count: number) => Array.from({ length: count }, (_, at) => `"m${at}": 1,\n`).join('');

  it('is refused if it has more than 100 members in addition to its codes', async () => {
    const text = (count: number) => textOf().replace('{\n', `{\n${members(count)}`);
    expect(await keysOf(text(97))).toEqual([]);
    expect((await refusalOf(text(98))).message).toBe('codes.lock.json is not a lock file of `qr apply`');
  });

  it('is refused if its version, workspace or codes are missing or have the wrong type', async () => {
    const whole = textOf();
    for (const text of [
      '[]',
      '[{}]',
      'text',
      whole.replace(/"version".*\n/, ''),
      whole.replace(/"base_url".*\n/, ''),
      whole.replace(/"base_url".*\n/, '"base_url": 7,\n'),
      whole.replace(/"codes".*/s, '"codes": 7}'),
      whole.replace(/"codes".*/s, '"other": [null]}'),
    ])
      expect(await refusalOf(text), text).toMatchObject({
        message: 'codes.lock.json is not a lock file of `qr apply`',
        hint: 'Specify a different file with --lock.',
      });
  });

  it('is refused if it is empty', async () => {
    for (const text of ['', ' \n'])
      expect(await refusalOf(text)).toMatchObject({
        message: 'codes.lock.json is not valid JSON: it is empty',
        hint: 'Restore the lock file from git. If it is lost, delete it and add --adopt-existing.',
      });
  });

  it('is accepted with white space around it and between its parts', async () => {
    const text = `\n  ${textOf(entryOf('a', codeOf(1))).replace('"codes": [', '"codes" :\n[')}\n`;
    expect(await keysOf(text)).toEqual(['a']);
  });

  it('is refused if it was written by a newer version of qrctl', async () => {
    expect((await refusalOf(textOf().replace('"version": 1', '"version": 2'))).message).toBe(
      'codes.lock.json was written by a newer version of qrctl',
    );
  });
});

it('reading a lock file of 1,000 keys can be interrupted', async () => {
  const stop = new AbortController();
  const entries = Array.from({ length: 1000 }, (_, at) => entryOf(`k${at}`, codeOf(at)));
  const reading = parseLock(textOf(...entries), 'codes.lock.json', stop.signal);
  stop.abort(new Error('interrupted'));
  await expect(reading).rejects.toThrow('interrupted');
});
