import { describe, expect, test } from 'vitest';
import { createRedact, excerpt, oneLine, withoutKey } from '#service/excerpt';
import { SOAK } from '../support/property-runs.ts';

const redact = createRedact('svc_live_0123456789abcdef');

test('the excerpt from an HTML page contains the title and the body, but nothing else from the head', () => {
  expect(
    excerpt('<head><style>b{}</style><title lang="en">502 Bad Gateway</title></head><h1>nginx</h1>', redact),
  ).toBe('502 Bad Gateway nginx');
});

test('the excerpt from an HTML page contains no comments, tags or scripts, even if they are not closed', () => {
  expect(excerpt('<!-- a > b\n-->one<br\nclass="x">two <b', redact)).toBe('one two');
  expect(excerpt('<p>one</p><!-- a', redact)).toBe('one');
  expect(excerpt('one<script>\na', redact)).toBe('one');
  expect(excerpt('one<!-- a > b', redact)).toBe('one');
  expect(excerpt('one<!-- a -->two<script>a</script>three<br>four', redact)).toBe('one two three four');
});

test('oneLine collapses spaces, removes invisible characters, and truncates text after 120 characters', () => {
  expect(oneLine(' a\r\n\u00a0b\u200b\u202ec\ud800\u2028', redact)).toBe('a bc');
  expect(oneLine('👍'.repeat(120), redact)).toBe('👍'.repeat(120));
  expect(oneLine('👍'.repeat(121), redact)).toBe(`${'👍'.repeat(119)}…`);
});

test.each(['<title', '<title ', '<head', '<head><title', '<!--', '<'])(
  'the excerpt from a page with 200,000 or more repetitions of %j has at most 120 characters',
  (part) => {
    const page = `<html><head>${part.repeat(SOAK ? 2_000_000 : 200_000)}`;
    expect(excerpt(page, redact).length).toBeLessThanOrEqual(120);
  },
);

test('only the first 20,000 characters of a text are searched for words', () => {
  expect(excerpt(`${'<b>'.repeat(6667)}late`, redact)).toBe('');
  expect(oneLine(`${' '.repeat(19_999)}at`, redact)).toBe('a');
  const long = `0123456789abcdef ${'x '.repeat(50_000)}`;
  expect([excerpt(long, redact), oneLine(long, redact)].map((words) => words.slice(0, 8))).toEqual([
    '[key] x ',
    '[key] x ',
  ]);
});

describe('the key in a text from the service', () => {
  const SECRET = 'SECRETabcdefghijkl0123456789XYZ';
  const KEY = `svc_live_${SECRET}`;
  const redactOne = createRedact(KEY);

  test.each([
    ['whole', KEY],
    ['without its printed prefix', SECRET],
    ['its first half', SECRET.slice(0, 20)],
    ['its last half', SECRET.slice(-20)],
    ['twelve characters from its middle', SECRET.slice(8, 20)],
    ['in lower case', KEY.toLowerCase()],
    ['in upper case', KEY.toUpperCase()],
    ['percent-encoded', KEY.replaceAll('_', '%5F')],
    ['percent-encoded throughout', [...KEY].map((unit) => `%${unit.charCodeAt(0).toString(16)}`).join('')],
    ['with spaces and control characters', [...KEY].join(' \u001b\n')],
    ['with encoded spaces', [...KEY].join('%20')],
  ])('is redacted, and the text around the key is unchanged: %s', (_, text) => {
    for (const around of ['', 'bad ', 'käse 👍 İ % %zz ']) {
      expect(redactOne(`${around}${text}, ${around}(${text})`)).toBe(`${around}[key], ${around}([key])`);
    }
  });

  test('is not redacted if only eleven characters of it appear, and other text is unchanged', () => {
    for (const text of [SECRET.slice(0, 11), 'svc_live_', 'the service rejected the values', ''])
      expect(redactOne(text)).toBe(text);
  });

  test('is redacted in text of more than 40,000 characters only if the complete key appears', () => {
    const long = (text: string) => text.padEnd(40_001, ' -');
    expect(redactOne(long(`a ${KEY}`))).toBe(long(`a ${KEY}`).replace(KEY, '[key]'));
    expect(redactOne(long(SECRET))).toBe(long(SECRET));
    expect(withoutKey(`${KEY} ${SECRET}${KEY}`, KEY)).toBe(`[key] ${SECRET}[key]`);
    expect(withoutKey('all of it', '')).toBe('all of it');
  });

  test('is redacted only as a whole if the key has six characters, and an empty key redacts nothing', () => {
    expect(createRedact('s3cret')('no s3cret here, s3cre')).toBe('no [key] here, s3cre');
    expect(createRedact('')('all of it')).toBe('all of it');
  });

  test.each([
    ['pieces', SECRET.slice(0, 13)],
    ['beginnings', SECRET.slice(0, 11)],
    ['percent signs', '%'],
    ['blanks', ' '],
    ['one letter', 'S'],
  ])('is searched for within the time limit of a test in a million characters that repeat %s', (_, part) => {
    // By the square this would be hours.
    expect(redactOne(part.repeat(1_000_000 / part.length)).length).toBeLessThanOrEqual(1_000_000);
  });
});
