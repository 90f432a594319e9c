/** Formats `--summary FILE.prom` for node_exporter (prometheus.io/docs/instrumenting/exposition_formats). */
import { exitCodeOf } from '../errors.ts';
import { clean } from '../text/clean.ts';
import { redactKeys } from '../text/key.ts';
import type { RunEnd } from './run-summary.ts';

const HELP = {
  exit_code: 'Exit code of the last run, 0 if it completed.',
  started_timestamp_seconds: 'Time at which the last run started.',
  finished_timestamp_seconds: 'Time at which the last run ended.',
  duration_seconds: 'Duration of the last run.',
  codes: 'Number of completed codes.',
  rows: 'Total number of rows in the output.',
  added_rows: 'Number of rows that the run added to the output.',
  range_start_timestamp_seconds: 'Start of the range of scans that the run read.',
  range_end_timestamp_seconds: 'End of the range of scans that the run read.',
  watermark_timestamp_seconds: 'Time of the newest row in the output.',
  requests: 'Number of requests sent.',
  retries: 'Number of requests that were repeated.',
  pauses: 'Number of waits for the rate limit.',
  paused_seconds: 'Total time spent waiting for the rate limit.',
  files: 'Number of files written.',
  outcomes: 'Number of rows, codes or images by outcome.',
} as const;

type Metric = keyof typeof HELP;

type Labels = Readonly<Record<string, string>>;

/** Labels make each series unique, as required. */
export function formatRunMetrics(
  { command, startedMs, finishedMs, error, profile, stats, facts }: RunEnd,
  file: string,
): string {
  const labels = { command, profile: profile ?? '', file };
  const { range, watermarkMs, outcomes = {} } = facts;
  const values: Readonly<Record<Exclude<Metric, 'outcomes'>, number | undefined>> = {
    exit_code: error === undefined ? 0 : exitCodeOf(error),
    started_timestamp_seconds: startedMs / 1000,
    finished_timestamp_seconds: finishedMs / 1000,
    duration_seconds: (finishedMs - startedMs) / 1000,
    codes: facts.codes,
    rows: facts.rows,
    added_rows: facts.added,
    range_start_timestamp_seconds: secondsOf(range?.sinceMs),
    range_end_timestamp_seconds: secondsOf(range?.untilMs),
    watermark_timestamp_seconds: secondsOf(watermarkMs),
    requests: stats?.requests ?? 0,
    retries: stats?.retries ?? 0,
    pauses: stats?.pauses ?? 0,
    paused_seconds: Math.round(stats?.pausedMs ?? 0) / 1000,
    files: facts.files?.length ?? 0,
  };
  const gauges = Object.entries(values).map(([name, value]) =>
    formatGauge(name as Metric, value === undefined ? [] : [{ labels, value }]),
  );
  const ends = Object.entries(outcomes).map(([outcome, value]) => {
    return { labels: { ...labels, outcome }, value };
  });
  return [...gauges, formatGauge('outcomes', ends)].join('');
}

function formatGauge(metric: Metric, samples: readonly { labels: Labels; value: number }[]): string {
  if (samples.length === 0) return '';
  const name = `qrctl_run_${metric}`;
  const lines = samples.map(({ labels, value }) => `${name}{${formatLabels(labels)}} ${value}\n`);
  return `# HELP ${name} ${HELP[metric]}\n# TYPE ${name} gauge\n${lines.join('')}`;
}

function formatLabels(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escapeLabel(value)}"`)
    .join(',');
}

function escapeLabel(value: string): string {
  const shown = clean(redactKeys(value)).toWellFormed();
  return shown.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}

function secondsOf(ms: number | undefined): number | undefined {
  return ms === undefined || !Number.isFinite(ms) ? undefined : ms / 1000;
}
