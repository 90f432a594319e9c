import { existsSync } from 'node:fs';
import { UsageError } from '#base/errors';
import type { Context } from '#context';
import { type InputLog, refuseLosses } from '#scans/stats/input/input-log';
import { listInputs } from '#scans/stats/input/list-inputs';
import { type CodeChoice, checkChoice, requireWorkbook } from './code-choice.ts';
import { negation, texts } from './define.ts';

export const CHOOSING_FLAGS = ['--all', '--from', '--name', '--status', '--type'];

export const inputOptions = {
  input: texts('--input <file>', 'Exported files or directories to count', {
    complete: 'files',
    conflicts: CHOOSING_FLAGS,
  }),
  rotated: negation('--no-rotated', 'Skip rotated files of --input, such as FILE.1', {
    rare: true,
    requires: ['--input'],
  }),
};

export const FILES_READ = '--from is a file of codes, and --input has exported scans.';
export const FILES_JOINED =
  '--from is a file of codes, --input has exported scans, and --join adds columns to count by.';

type InputFlags = CodeChoice & { input?: readonly string[]; rotated?: boolean };

export function checkInputChoice(names: readonly string[], flags: InputFlags): void {
  if (flags.input) requireWorkbook(flags);
  else checkChoice(names, flags);
}

/**
 * Lists the logs of --input, if any. Throws UsageError for a missing file or one that is also an output, and
 * UnprovenError for lost scans.
 */
export async function listInputFiles(
  { console: { note, warn }, files, signal }: Context,
  names: readonly string[],
  { input, rotated = true }: InputFlags,
): Promise<InputLog[] | undefined> {
  if (!input) return undefined;
  // A shell expands `--input *.csv` to several words, so CODE may be a file.
  const code = names.find((name) => !existsSync(name));
  if (code !== undefined)
    throw new UsageError(`cannot read ${code}: no such file, and CODE can't be used with --input here`, {
      hint: 'Correct the path, or omit the code.',
    });
  const logs = await listInputs([...input, ...names], { rotated, note, warn });
  for (const { paths } of logs) files.use(...paths.map((path) => ({ flag: '--input', path, writes: false })));
  await refuseLosses(logs, { rotated, note, warn }, signal);
  return logs;
}
