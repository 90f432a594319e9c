/** The relations that flags declare (`requires`, `conflicts`), checked on command lines. */
import { describe, expect, test } from 'vitest';
import { UsageError } from '#base/errors';
import { loadManual } from '#cli/manual';
import { interpret } from '#cli/program';
import { leaves } from '#cli/tree';
import { splitWords } from './help/command-lines.ts';

const manual = await loadManual('1.2.3');

async function errorOf(line: string) {
  const terminal = () => ({ columns: 80, color: false });
  const invocation = await interpret(splitWords(line), { version: '1.2.3', terminal });
  if (invocation.kind !== 'refuse') return undefined;
  const { error } = invocation;
  if (!(error instanceof UsageError)) throw error;
  return { message: error.message, hint: error.hint };
}

describe('a flag that requires another flag', () => {
  test.each([
    ['scans export x -o a.csv --restart', '--restart requires --append', 'Add --append, or omit --restart.'],
    [
      'scans export x --append',
      '--append requires --output or --output-dir',
      'Add --output FILE or --output-dir DIR, or omit --append.',
    ],
    [
      'scans export --input x.csv',
      '--input requires --output-dir and --partition-by',
      'Add --output-dir DIR and --partition-by UNIT, or omit --input.',
    ],
    [
      'scans stats x --no-rotated',
      '--no-rotated requires --input',
      'Add --input FILE, or omit --no-rotated.',
    ],
  ])('is refused without the other flag: %s', async (line, message, hint) => {
    expect(await errorOf(line)).toEqual({ message, hint });
  });

  test.each([
    'scans export x -o a.csv --append --restart',
    'scans export x --output-dir d --append',
    'scans stats --input a.csv --no-rotated',
  ])('is accepted with the flag that it requires: %s', async (line) => {
    expect(await errorOf(line)).toBeUndefined();
  });
});

describe("flags that can't be used together", () => {
  test.each([
    [
      'scans export --all --from a.csv -o b.csv',
      "--all can't be used with --from",
      'Omit either --all or --from.',
    ],
    ['qr list --ids --fields id', "--fields can't be used with --ids", 'Omit either --fields or --ids.'],
    [
      'qr list --excel --raw-cells',
      "--raw-cells can't be used with --excel",
      'Omit either --raw-cells or --excel.',
    ],
    ['scans stats x --all', "CODE can't be used with --all", 'Omit either CODE or --all.'],
    [
      'scans stats x --from 2026-10-01',
      "CODE can't be used with --from",
      'To start at a time, use --since 2026-10-01 instead of --from.',
    ],
    [
      'qr create --template --from a.csv',
      "--from can't be used with --template",
      'Omit either --from or --template.',
    ],
    [
      'qr create --template --utm-source mail',
      "--utm-source can't be used with --template",
      'Omit either --utm-source or --template.',
    ],
  ])('are refused: %s', async (line, message, hint) => {
    expect(await errorOf(line)).toEqual({ message, hint });
  });

  test('are reported even if one of them makes qrctl interpret the arguments as files', async () => {
    expect(await errorOf('scans stats --all --input a.csv b.csv')).toMatchObject({
      message: "--all can't be used with --input",
    });
  });

  test('are not refused if --help is passed', async () => {
    expect(await errorOf('scans stats x --all --help')).toBeUndefined();
  });
});

test('relations between flags mention only flags and arguments that exist', async () => {
  const names = new Set(
    manual.commands.flatMap(({ flags, arguments: given }) => [
      ...flags.map(({ long }) => long),
      ...given.map(({ name }) => name.toUpperCase()),
    ]),
  );
  const definitions = await Promise.all([...leaves()].map(({ leaf }) => leaf.load()));
  const related = definitions.flatMap(({ command }) =>
    Object.values(command.options).flatMap(({ requires = [], conflicts = [] }) => [
      ...requires.flat(),
      ...conflicts,
    ]),
  );
  expect(related.length).toBeGreaterThan(0);
  expect(related.filter((name) => !names.has(name))).toEqual([]);
});
