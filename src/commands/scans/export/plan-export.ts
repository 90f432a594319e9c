/** What the flags of `scans export` ask for together: checked before anything is sent. */
import type { Context } from '../../../context.ts';
import { UsageError } from '../../../errors.ts';
import type { Column } from '../../../output/columns.ts';
import { type OutputPlan, planOutput } from '../../../output/plan-output.ts';
import { SCAN_FIELDS } from '../../../service/shapes.ts';
import type { ExportFlags } from './export.ts';

const DEFAULT_OVERLAP_MS = 3_600_000;
const LABELS = ['qr_id', 'qr_slug', 'qr_name'] as const;
const IMPORTANCE: Readonly<Record<string, number>> = {
  ts: 9,
  id: 8,
  qr_slug: 7,
  country: 6,
  device: 5,
  city: 4,
  os: 3,
  browser: 2,
};

/** Half of an id or a time is worth nothing. */
const WHOLE: ReadonlySet<string> = new Set(['qr_id', 'qr_slug', 'id', 'ts']);

export interface ExportPlan {
  all: boolean;
  /** Rows begin with `qr_id,qr_slug,qr_name`: several codes share one output. */
  labelled: boolean;
  /** ms since the epoch, half-open; undefined: no bound, and the service's clock at the first answer. */
  sinceMs: number | undefined;
  untilMs: number | undefined;
  output: OutputPlan;
  /** Ask by time whether anything lies beyond the last page, whatever the total is. */
  proveBeyond: boolean;
  /** One file a code goes here. */
  directory: string | undefined;
  append: { path: string; overlapMs: number; restart: boolean } | undefined;
}

/** Throws UsageError on flags that contradict each other, unknown fields, and times that are none. */
export async function planExport(context: Context, names: readonly string[], flags: ExportFlags): Promise<ExportPlan> {
  const settings = await context.settings();
  refuseContradictions(names, flags);
  const all = flags.all ?? false;
  const directory = flags.outputDir;
  const labelled = directory === undefined && (all || names.length > 1);
  const output = planOutput(flags, {
    columns: columns(labelled),
    shape: 'list',
    setting: settings.format,
    isTerminal: context.console.isTerminal && directory === undefined && !flags.append,
  });
  if (directory !== undefined && output.format === 'table') {
    throw new UsageError('--output-dir is for CSV, JSON and NDJSON, not for tables', { hint: 'add --format csv' });
  }
  const append = flags.append ? planAppend(flags, output) : undefined;
  const proveBeyond = flags.proveBeyond ?? false;
  return { all, labelled, output, directory, append, proveBeyond, ...(await planRange(context, flags, settings.timezone)) };
}

function columns(labelled: boolean): Column[] {
  return [...(labelled ? LABELS : []), ...SCAN_FIELDS].map((name) => {
    return { name, importance: IMPORTANCE[name] ?? 1, keepWhole: WHOLE.has(name) };
  });
}

function refuseContradictions(names: readonly string[], flags: ExportFlags): void {
  const { all, output, outputDir, append, restart, overlap } = flags;
  if (all && names.length > 0) throw new UsageError('--all exports every code: leave out the codes, or --all');
  if (!all && names.length === 0) {
    throw new UsageError('which code?', { hint: 'name codes by id or slug, or add --all; `qrctl qr list` shows them' });
  }
  if (output !== undefined && outputDir !== undefined)
    throw new UsageError('--output is one file, --output-dir one a code: choose one');
  if (append && outputDir === undefined && (output === undefined || output === '-')) {
    throw new UsageError('--append needs a file to add to', {
      hint: 'add -o scans.csv, or --output-dir DIR for one file a code',
    });
  }
  if (restart && !append)
    throw new UsageError('--restart goes with --append', { hint: 'without --append a file is always made anew' });
  if (overlap !== undefined && !append) throw new UsageError('--overlap goes with --append');
}

function planAppend(flags: ExportFlags, output: OutputPlan): ExportPlan['append'] {
  if (output.gzip) throw new UsageError('--append cannot add to a compressed file', { hint: 'leave out .gz' });
  if (output.format !== 'csv' && output.format !== 'ndjson') {
    throw new UsageError(`--append adds to CSV and NDJSON, not to ${output.format}`, {
      hint: 'add --format csv or --format ndjson',
    });
  }
  for (const name of ['id', 'ts']) {
    if (output.columns.some((column) => column.name === name)) continue;
    throw new UsageError('--append needs the fields id and ts: by them it knows which scans it has', {
      hint: `add ${name} to --fields`,
    });
  }
  return { path: flags.output ?? '', overlapMs: flags.overlap ?? DEFAULT_OVERLAP_MS, restart: flags.restart ?? false };
}

async function planRange(context: Context, flags: ExportFlags, fromProfile: string | undefined) {
  if (flags.since === undefined && flags.until === undefined && flags.timezone === undefined)
    return { sinceMs: undefined, untilMs: undefined };
  const { checkTimezone, parseMoment } = await import('../../../moments.ts');
  const timezone = flags.timezone ?? fromProfile;
  if (timezone !== undefined) checkTimezone(timezone);
  const nowMs = context.clock.now();
  const moment = (flag: string, text: string | undefined) =>
    text === undefined ? undefined : parseMoment(text, { flag, nowMs, timezone });
  const [sinceMs, untilMs] = [moment('--since', flags.since), moment('--until', flags.until)];
  if (sinceMs !== undefined && untilMs !== undefined && sinceMs >= untilMs) {
    throw new UsageError(`--since ${flags.since} is not before --until ${flags.until}: no scan can be in that range`);
  }
  return { sinceMs, untilMs };
}
