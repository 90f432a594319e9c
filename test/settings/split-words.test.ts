import { describe, expect, test } from 'vitest';
import { splitWords } from '#settings/key-command';

const refuse = (reason: string) => {
  throw new Error(reason);
};
const wordsOf = (line: string) => splitWords(line, refuse);

describe('a command line that runs without a shell', () => {
  test.each<[string, string[]]>([
    ['', []],
    ['  \t ', []],
    ['op read op://ops/qrctl/key', ['op', 'read', 'op://ops/qrctl/key']],
    ['  pass   show\tqrctl ', ['pass', 'show', 'qrctl']],
    ["sh -c 'a | b; c'", ['sh', '-c', 'a | b; c']],
    ['say "two words" \'and "more"\'', ['say', 'two words', 'and "more"']],
    [`a"b c"'d e'f`, ['ab cd ef']],
    [`x '' ""`, ['x', '', '']],
    ['"C:\\Program Files\\op.exe" read', ['C:\\Program Files\\op.exe', 'read']],
    ["get '$HOME'", ['get', '$HOME']],
    ["sh -c 'it'\\''s'", ['sh', '-c', "it's"]],
    ['say "a \\"b\\" \\c"', ['say', 'a "b" \\c']],
  ])('such as %j is split into the words %j', (line, words) => {
    expect(wordsOf(line)).toEqual(words);
  });

  test.each(["say 'it", 'say "it', 'a | b', 'a; b', 'a && b', 'a > b', 'a $HOME', 'a `b`', 'a < b', "it's"])(
    'such as %j is refused, because a quote is open or only a shell could interpret it',
    (line) => {
      expect(() => wordsOf(line)).toThrow();
    },
  );

  test('with 400,000 to 2,000,000 characters is split or refused like a short one', () => {
    expect(wordsOf(`${'a'.repeat(1e6)} ${' '.repeat(1e6)}b`)).toHaveLength(2);
    expect(() => wordsOf(`${'"a" '.repeat(2e5)}'`)).toThrow();
    expect(() => wordsOf(`"${'\\"'.repeat(2e5)}`)).not.toThrow();
  });
});
