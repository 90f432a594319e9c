/** Annotations of GitHub Actions, read as its runner reads them. */
import { resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatAnnotations } from '#base/run/annotations';
import { withoutCommands, withoutCommandsInJson } from '#base/text/workflow-commands';
import { HOSTILE } from '../../support/hostile-strings.ts';
import { runs } from '../../support/property-runs.ts';
import { COMMANDS, commandsIn } from '../../support/workflow-runner.ts';

const PLACE = { workspace: '/home/runner/work/menus', directory: '/home/runner/work/menus/codes' };

describe('an annotation', () => {
  test.each([
    [
      { file: 'codes.csv', line: 12, message: 'column type: is unknown' },
      '::error file=codes/codes.csv,line=12::column type: is unknown\n',
    ],
    [{ file: '../a,b:c%.csv', line: 1, message: '100%' }, '::error file=a%2Cb%3Ac%25.csv,line=1::100%25\n'],
    [{ file: '/tmp/codes.csv', message: 'is empty' }, '::error file=/tmp/codes.csv::is empty\n'],
    [{ file: undefined, line: 3, message: 'line 3: is empty' }, '::error::line 3: is empty\n'],
    [
      { file: 'a.csv', line: 1, message: 'a\r\n::add-mask::b' },
      '::error file=codes/a.csv,line=1::a\\r\\n::add-mask::b\n',
    ],
  ])('for %j is %j', (problem, line) => {
    expect(formatAnnotations([problem], PLACE)).toBe(line);
  });

  test('is omitted for the tenth and later errors if there are more than ten, and the tenth line counts these errors', () => {
    const rows = Array.from({ length: 12 }, (_, at) => ({
      file: 'a.csv',
      line: at + 2,
      message: 'is empty',
    }));
    expect(formatAnnotations(rows.slice(0, 10), PLACE)).toMatch(/^(::error file=\S+::is empty\n){10}$/);
    const lines = formatAnnotations(rows, PLACE).trimEnd().split('\n');
    expect(lines).toHaveLength(10);
    expect(lines[9]).toBe('::error::and 3 more rows with errors');
  });

  test.each([undefined, ''])('has the file path as passed if GITHUB_WORKSPACE is %j', (workspace) => {
    const place = { ...(workspace !== undefined && { workspace }), directory: resolve('codes') };
    const problem = { file: 'codes.csv', line: 2, message: 'is empty' };
    expect(formatAnnotations([problem], place)).toBe('::error file=codes.csv,line=2::is empty\n');
  });

  test('truncates a message after 500 characters, and adds an ellipsis', () => {
    const messageOf = (message: string) => formatAnnotations([{ file: undefined, message }], PLACE);
    expect(messageOf('x'.repeat(500))).toBe(`::error::${'x'.repeat(500)}\n`);
    expect(messageOf('x'.repeat(501))).toBe(`::error::${'x'.repeat(500)}…\n`);
  });

  test('has fewer than 600 characters even if the message has more than 9,000, and an API key in the message is redacted', () => {
    const [line = ''] = formatAnnotations(
      [{ file: 'a.csv', message: `svc_live_0123456789canary ${'x'.repeat(9000)}` }],
      PLACE,
    ).split('\n');
    expect(line.length).toBeLessThan(600);
    expect(line).not.toContain('canary');
  });

  test('contains no other command, whatever the file and the message are', () => {
    const check = (file: string, message: string) => {
      const found = commandsIn(formatAnnotations([{ file, line: 7, message }], PLACE));
      expect(found).toHaveLength(1);
      expect(found[0]).toMatchObject({ command: 'error', properties: { line: '7' } });
      expect(Object.keys(found[0]?.properties ?? {}).sort()).toEqual(
        file === '' ? ['line'] : ['file', 'line'],
      );
    };
    for (const text of [...Object.values(HOSTILE), ...COMMANDS]) check(`a${text}`, text);
    const text = fc.string({
      unit: fc.constantFrom(':', ',', '=', '%', '\r', '\n', '#', '[', ']', 'a', '0', 'A', 'D', ' ', '\u2028'),
    });
    fc.assert(
      fc.property(text, text, (file, message) => check(`a${file}`, message)),
      runs(200, 50_000),
    );
  });
});

describe('untrusted text', () => {
  const text = fc.array(
    fc.constantFrom(':', '::', '##[', '#', '[', ']', 'error', '\r', '\n', ' ', '\t', '\u2028', '\u3000'),
  );

  test('contains no workflow command after withoutCommands', () => {
    const check = (said: string) => {
      expect(commandsIn(withoutCommands(said))).toEqual([]);
    };
    for (const said of COMMANDS) check(said);
    fc.assert(
      fc.property(text, (parts) => check(parts.join(''))),
      runs(200, 50_000),
    );
  });

  test('in JSON contains no workflow command after withoutCommandsInJson, and has the same values', () => {
    fc.assert(
      fc.property(text, (parts) => {
        const line = JSON.stringify({ error: parts.join('') });
        expect(commandsIn(withoutCommandsInJson(line))).toEqual([]);
        expect(JSON.parse(withoutCommandsInJson(line))).toEqual(JSON.parse(line));
      }),
      runs(120, 30_000),
    );
  });
});
