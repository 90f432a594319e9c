/** Every invariant of a PROTOCOL.md is cited by the code that guards it and by the test that dies without it, and nothing else is. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** In a protocol: `- **C1.** …`. */
const DECLARED = /^- \*\*([LCAEDTIKPFBWSV]\d+)\.\*\* /gm;
/** In a comment of the code: `C1: …` or `C1, C3: …`. */
const IN_COMMENT = /\b([LCAEDTIKPFBWSV]\d{1,2}(?:, [LCAEDTIKPFBWSV]\d{1,2})*):/g;
/** At the end of a test's title: `… (C1)` or `… (C1, C3)`. */
const IN_TITLE = / \(([LCAEDTIKPFBWSV]\d{1,2}(?:, [LCAEDTIKPFBWSV]\d{1,2})*)\)[`'"],/g;

const declared = find('src', 'PROTOCOL.md').flatMap((text) => matches(DECLARED, text));
const guards = new Set(
  find('src', '.ts').flatMap((text) => comments(text).flatMap((comment) => matches(IN_COMMENT, comment))),
);
const tests = new Set(find('test', '.test.ts').flatMap((text) => matches(IN_TITLE, text)));

describe('the protocols', () => {
  it('number each invariant once', () => {
    expect(declared).toEqual([...new Set(declared)]);
  });

  it('declare only invariants that a comment in src/ mentions', () => {
    expect(declared.filter((number) => !guards.has(number))).toEqual([]);
  });

  it('declare only invariants that a test title mentions', () => {
    expect(declared.filter((number) => !tests.has(number))).toEqual([]);
  });

  it('declare every number that a comment or a test title mentions', () => {
    expect([...guards, ...tests].filter((number) => !declared.includes(number))).toEqual([]);
  });
});

/** The texts of all files below a folder whose names end so. */
function find(folder: string, ending: string): string[] {
  const names = readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith(ending))
    .map((name) => readFileSync(`${root}${folder}/${name}`, 'utf8'));
}

/** What a pattern finds, lists (`C1, C3`) taken apart. */
function matches(pattern: RegExp, text: string): string[] {
  return [...text.matchAll(pattern)].flatMap(([, found = '']) => found.split(', '));
}

/** The comment of each line that has one. */
function comments(text: string): string[] {
  return text.split('\n').flatMap((line) => /(?:\/\/ |^\s*\/?\*\*? ).*$/.exec(line)?.[0] ?? []);
}
