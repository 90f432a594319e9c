import { basename, dirname } from 'node:path';
import { UsageError } from '../base/errors.ts';
import { formatRunMetrics } from '../base/run/run-metrics.ts';
import { formatRunSummary, type RunEnd } from '../base/run/run-summary.ts';
import type { Processes } from '../files/durable/replace-file.ts';
import type { OutputPlace } from '../files/formats/whole-file.ts';

const OTHER_FILE = 'specify a different file with --summary';
const PLACE: OutputPlace = { elsewhere: OTHER_FILE, replaces: ['none', 'summary'] };

/** Throws UsageError if the summary could not be written. Called before the run. */
export async function checkSummaryPlace(path: string): Promise<void> {
  // Takes 2 ms to load, and every command loads this file.
  const { stat } = await import('node:fs/promises');
  const directory = await stat(dirname(path)).catch(() => undefined);
  if (!directory?.isDirectory()) {
    throw new UsageError(`cannot write the summary ${path}: the directory ${dirname(path)} does not exist`, {
      hint: `Create the directory first, or ${OTHER_FILE}.`,
    });
  }
  const { checkWholeFile } = await import('../files/formats/whole-file.ts');
  await checkWholeFile(path, PLACE);
}

/** Writes Prometheus metrics if the file ends in .prom, otherwise JSON. Throws like `writeWholeFile`. */
export async function writeSummary(path: string, end: RunEnd, processes: Processes): Promise<void> {
  const { writeWholeFile } = await import('../files/formats/whole-file.ts');
  const text = /\.prom$/i.test(path) ? formatRunMetrics(end, basename(path)) : formatRunSummary(end);
  await writeWholeFile(path, text, { ...PLACE, processes });
}
