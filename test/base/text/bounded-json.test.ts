import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { ExcessiveJsonError, parseBounded } from '#base/text/bounded-json';
import { BrokenJsonError, elementsOf } from '#base/text/json-elements';
import { firstRows, runs } from '../../support/property-runs.ts';

const source = fileURLToPath(new URL('../../../src/', import.meta.url));

test('only bounded-json.ts parses JSON, except for service/json.ts and scripts that build qrctl', () => {
  const names = readdirSync(source, { recursive: true, encoding: 'utf8' });
  const code = names.filter((name) => /\.(ts|mjs)$/.test(name) && !name.startsWith('build/'));
  expect(code.length).toBeGreaterThan(300);
  const parsing = code.filter((name) =>
    /\bJSON\s*\.\s*parse\s*\(|\.json\(\)/.test(readFileSync(source + name, 'utf8')),
  );
  expect(parsing).toEqual(['base/text/bounded-json.ts']);
  const lossless = code.filter((name) => /lossless-json/.test(readFileSync(source + name, 'utf8')));
  expect(lossless).toEqual(['service/json.ts']);
});

describe('a large text', () => {
  const long = ' '.repeat(2 ** 20);

  const kinds: [string, () => string][] = [
    ['numbers', () => `[${'1,'.repeat(4_000_000)}1]`],
    ['members', () => `{${'"a":0,'.repeat(800_000)}"b":1}`],
    ['levels', () => `${long}${'['.repeat(101)}${']'.repeat(101)}`],
    ['objects', () => `[${'{},'.repeat(800_000)}{}]`],
    ['arrays', () => `[${'[],'.repeat(800_000)}[]]`],
    ['texts', () => `[${'"a",'.repeat(1_400_000)}1]`],
  ];
  it.each(firstRows(3, kinds))('with more than the maximum number of %s is refused', (_, make) => {
    expect(() => parseBounded(make())).toThrow(ExcessiveJsonError);
  });

  it('is accepted with 100 levels of nesting, or with many brackets, commas and quotes in its strings', () => {
    const strings = Array.from({ length: 1000 }, () => '[{,:"\\'.repeat(1000));
    expect(parseBounded(JSON.stringify(strings))).toEqual(strings);
    expect(parseBounded(`${long}${'['.repeat(100)}${']'.repeat(100)}`)).toHaveLength(1);
  });
});

describe('the elements of an array, and the members of an object', () => {
  const spaces = fc.stringMatching(/^[ \t\r\n]{0,3}$/);

  it('are the values that JSON.parse returns, and elements have the lines on which they begin', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(spaces, fc.json(), spaces)), spaces, (items, around) => {
        const text = `${around}[${items.map((parts) => parts.join('')).join(',')}]${around}`;
        const found = [...elementsOf(text, '[')];
        expect(found.map((element) => JSON.parse(element.text))).toEqual(JSON.parse(text));
        let line = 1 + around.split('\n').length - 1;
        for (const [at, [before, json, after]] of items.entries()) {
          line += before.split('\n').length - 1;
          expect(found[at]?.line).toBe(line);
          line += `${json}${after}`.split('\n').length - 1;
        }
      }),
      runs(30, 10_000),
    );
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
        const members = [...elementsOf(JSON.stringify(object, null, 1), '{')];
        expect(JSON.parse(`{${members.map(({ text }) => text).join(',')}}`)).toEqual(
          JSON.parse(JSON.stringify(object)),
        );
      }),
      runs(30, 10_000),
    );
  });

  it.each(['', ' ', '{}', '[', '[1', '["a]', '[1,]', '[,1]', '[1,,2]', '[] 1', '[1]]', '7'])(
    'in the invalid text %j cause an error',
    (text) => {
      expect(() => [...elementsOf(text, '[')]).toThrow(BrokenJsonError);
    },
  );
});
