/** Runs a verb over a file of rows. */
import { ClosedPipeError } from '../../../base/errors.ts';
import { codeOfShortUrl } from '../../../base/text/short-url.ts';
import { failureOfRun } from '../../../codes/engine/results/run-failure.ts';
import { checkRows } from '../../../codes/engine/rows/read-rows.ts';
import type { Context } from '../../../context.ts';
import { refuseChecked } from '../../../files/formats/read/input.ts';
import { readInput } from '../../bulk-input.ts';
import { noteColumns, noteOffline, noteWarnings } from '../checked-notes.ts';
import { carryOut, previewRows } from './carry-out.ts';
import { readEarlierIds } from './earlier-results.ts';
import { type RowsFlags, resultsPathOf } from './flags.ts';
import { noteEnds, noteStop, noteSummary, resultOf } from './note-ends.ts';
import { noteUnusedFlags } from './progress.ts';
import { openResultsOutput } from './results-output.ts';
import type { RowsFile, RowsVerb } from './verb.ts';

/** Reads and checks a file of rows. Throws UsageError (2) with every fault; nothing was sent then. */
export async function readRowsFile(
  context: Context,
  from: string,
  flags: RowsFlags,
  verb: RowsVerb,
): Promise<RowsFile> {
  const { policy, keyColumn, common = {}, bareNames } = verb;
  const { shortUrl } = await context.settings();
  const key = policy.verb === 'delete' ? undefined : (keyColumn ?? 'key');
  const input = await readInput(context, from, { ...flags, bareNames, key });
  const checked = await checkRows(input, {
    ...common,
    verb: policy.verb,
    keyColumn,
    force: policy.force,
    signal: context.signal,
    slugOfShortUrl: shortUrl === undefined ? undefined : (url) => codeOfShortUrl(shortUrl, url),
  });
  const more = verb.byCode?.faults(input, checked.rows) ?? [];
  refuseChecked(input, { ...checked, faults: [...checked.faults, ...more] }, flags.strict);
  noteColumns(context, checked);
  noteUnusedFlags(context, checked.unusedFlags, input.rows.length);
  // The checked rows say the same, so that they are in memory once.
  return { input: { ...input, rows: checked.rows }, checked };
}

/** Runs create, update or delete over a file. Throws as listed in errors.ts; after rows were sent, only when the results are written. */
export async function runFile(
  context: Context,
  from: string,
  flags: RowsFlags,
  verb: RowsVerb,
): Promise<void> {
  const file = await readRowsFile(context, from, flags, verb);
  const { input, checked } = file;
  const path = resultsPathOf(context.files, from, flags, input);
  if (flags.offline) return noteOffline(context, input, checked);
  context.facts.rows = checked.rows.length;
  if (flags.dryRun) {
    const earlierIds = await readEarlierIds(path === from ? undefined : path);
    return previewRows(context, file, flags, { ...verb, earlierIds });
  }
  noteWarnings(context, input, checked.warnings);
  await context.service();
  const output = await openResultsOutput(context, input, path, flags);
  try {
    const end = await carryOut(context, file, flags, { ...verb, earlierIds: output.earlierIds });
    verb.ended?.(end);
    const ends = verb.byCode?.endsByRow(end.ends) ?? end.ends;
    noteEnds(context, ends, input);
    noteStop(context, { ...end, ends }, path !== undefined);
    const failure = failureOfRun(ends, {
      verb: verb.policy.verb,
      file: input,
      stop: end.stop,
      resultsPath: path,
      isUnproven: end.isUnproven,
    });
    const rows = ends.filter(({ item }) => item.row !== undefined);
    const results = rows.map((row) => resultOf(row, verb.policy.verb));
    await output.commit(results, verb.byCode?.isNews).catch((error) => {
      throw failure !== undefined && error instanceof ClosedPipeError ? failure : error;
    });
    // Rows that are not news are not printed, but count.
    context.facts.rows = checked.rows.length;
    await noteSummary(context, ends, {
      warnings: checked.warnings.length + end.plan.warnings.length,
      place: path && `Results: ${path}`,
      thing: 'row',
    });
    if (failure !== undefined) throw failure;
  } finally {
    await output.discard();
  }
}
