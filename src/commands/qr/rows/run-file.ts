import { ClosedPipeError } from '#base/errors';
import { keepMemoryFlat } from '#base/run/v8-flags';
import type { RunEnd } from '#codes/engine/executor/job';
import { failureOfRun, type RunFacts } from '#codes/engine/results/run-failure';
import { checkRows } from '#codes/engine/rows/read-rows';
import { readInput } from '#commands/bulk-input';
import { shortUrlParser } from '#commands/short-urls';
import type { Context } from '#context';
import { refuseChecked } from '#files/formats/read/input';
import { carryOut, previewRows, type RowsFile, type RowsVerb } from './carry-out.ts';
import { readEarlierIds } from './earlier-results.ts';
import { type RowsFlags, resultsPathOf } from './flags.ts';
import {
  finishOutput,
  noteColumns,
  noteEnds,
  noteOffline,
  noteStop,
  noteSummary,
  noteUnusedFlags,
  noteWarnings,
  resultOf,
} from './notes.ts';
import { openResultsOutput } from './results-output.ts';

/** Reads and checks a file of rows without requests. Throws UsageError with the faults. */
export async function readRowsFile(
  context: Context,
  from: string,
  flags: RowsFlags,
  verb: RowsVerb,
): Promise<RowsFile> {
  const { policy, keyColumn, common = {}, bareNames } = verb;
  keepMemoryFlat();
  const key = policy.verb === 'delete' ? undefined : (keyColumn ?? 'key');
  const input = await readInput(context, from, {
    ...flags,
    bareNames,
    key,
    isDated: common.readAt !== undefined,
  });
  const checked = await checkRows(input, {
    ...common,
    verb: policy.verb,
    keyColumn,
    force: policy.force,
    signal: context.signal,
    slugOfShortUrl: await shortUrlParser(context),
  });
  const more = verb.faultsOf?.(input, checked.rows) ?? [];
  refuseChecked(input, { ...checked, faults: [...checked.faults, ...more] }, flags.strict);
  noteColumns(context, checked);
  noteUnusedFlags(context, checked.unusedFlags, input.rows.length);
  // Shares the checked rows' values, so that memory holds them once.
  return { input: { ...input, rows: checked.rows }, checked };
}

/**
 * Runs, previews or checks the rows of a file. Unless interrupted, a run that fails after a change still
 * writes results.
 */
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
    if (flags.results !== undefined) context.console.note(`A dry run writes no results to ${flags.results}`);
    const earlierIds = await readEarlierIds(path === from ? undefined : path);
    return previewRows(context, { file, flags, verb: { ...verb, earlierIds } });
  }
  noteWarnings(context, input, checked.warnings);
  await context.service();
  const isTagged = verb.common?.utm !== undefined;
  const output = await openResultsOutput(context, input, path, { ...flags, isTagged });
  try {
    const { earlierIds } = output;
    const end = await carryOut(context, { file, flags, verb: { ...verb, earlierIds } });
    verb.ended?.(end);
    const ends = verb.endsByRow?.(end.ends) ?? end.ends;
    const finish = {
      verb: verb.policy.verb,
      resultsPath: path,
      thing: 'row',
      place: path && `Results: ${path}`,
      isResumable: path !== undefined,
    };
    await finishRun(context, file, { ...end, ends }, finish, async () => {
      const rows = ends.filter(({ item }) => item.row !== undefined);
      const results = rows.map((row) => resultOf(row, verb.policy.verb));
      await output.commit(results, verb.isNews);
      context.facts.rows = checked.rows.length;
    });
  } finally {
    await output.discard();
  }
}

interface Finish extends Pick<RunFacts, 'verb' | 'resultsPath'> {
  thing: string;
  place: string | undefined;
  isResumable: boolean;
}

export async function finishRun(
  context: Context,
  { input, checked }: RowsFile,
  end: RunEnd,
  { thing, place, isResumable, ...facts }: Finish,
  print: (failure: unknown) => Promise<void>,
): Promise<void> {
  const { ends, stop, isUnproven, plan } = end;
  noteEnds(context, ends, input);
  noteStop(context, end, isResumable);
  const failure = failureOfRun(ends, { ...facts, file: input, stop, isUnproven });
  const warnings = checked.warnings.length + plan.warnings.length;
  await finishOutput(print(failure), failure).catch(async (error) => {
    // Prints the summary unless a pipe was closed, because codes may have changed.
    if (!(error instanceof ClosedPipeError)) await noteSummary(context, ends, { warnings, thing });
    throw error;
  });
  await noteSummary(context, ends, { warnings, place, thing });
  if (failure !== undefined) throw failure;
}
