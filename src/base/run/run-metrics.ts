/** Formats `--summary FILE.prom` for node_exporter (prometheus.io/docs/instrumenting/exposition_formats). */
import { exitCodeOf } from '#base/errors';
import { clean } from '#base/text/clean';
import { redactKeys } from '#base/text/key';
import type { RunEnd } from './run-summary.ts';

type Labels = Readonly<Record<string, string>>;

export function formatRunMetrics(
  { command, startedMs, finishedMs, error, profile, stats, facts }: RunEnd,
  file: string,
): string {
  const labels = { command, profile: profile ?? '', file };
  const { codes, rows, added, range, watermarkMs, files = [], outcomes = {} } = facts;
  const { requests = 0, retries = 0, pauses = 0, pausedMs = 0 } = stats ?? {};
  const gauge = (name: string, help: string, value: number | undefined) =>
    formatGauge(name, help, value === undefined ? [] : [{ labels, value }]);
  const ends = Object.entries(outcomes).map(([outcome, value]) => {
    return { labels: { ...labels, outcome }, value };
  });
  return [
    gauge('exit_code', 'Exit code of the last run.', error === undefined ? 0 : exitCodeOf(error)),
    gauge('started_timestamp_seconds', 'Time at which the last run started.', startedMs / 1000),
    gauge('finished_timestamp_seconds', 'Time at which the last run ended.', finishedMs / 1000),
    gauge('duration_seconds', 'Duration of the last run.', (finishedMs - startedMs) / 1000),
    gauge('codes', 'Number of completed codes.', codes),
    gauge('rows', 'Total number of rows in the output.', rows),
    gauge('added_rows', 'Number of rows that the run added to the output.', added),
    gauge('range_start_timestamp_seconds', 'Start of the range of scans.', secondsOf(range?.sinceMs)),
    gauge('range_end_timestamp_seconds', 'End of the range of scans.', secondsOf(range?.untilMs)),
    gauge('watermark_timestamp_seconds', 'Time of the newest row in the output.', secondsOf(watermarkMs)),
    gauge('requests', 'Number of requests sent.', requests),
    gauge('retries', 'Number of requests that were repeated.', retries),
    gauge('pauses', 'Number of waits for the rate limit.', pauses),
    gauge('paused_seconds', 'Total time spent waiting for the rate limit.', Math.round(pausedMs) / 1000),
    gauge('files', 'Number of files written.', files.length),
    formatGauge('outcomes', 'Number of rows, codes or images by outcome.', ends),
  ].join('');
}

function formatGauge(
  metric: string,
  help: string,
  samples: readonly { labels: Labels; value: number }[],
): string {
  if (samples.length === 0) return '';
  const name = `qrctl_run_${metric}`;
  const lines = samples.map(({ labels, value }) => `${name}{${formatLabels(labels)}} ${value}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${lines.join('')}`;
}

/** Quotes label values as JSON. Prometheus uses the same escapes for text without control characters. */
function formatLabels(labels: Labels): string {
  const visible = (value: string) => clean(redactKeys(value)).toWellFormed();
  const pairs = Object.entries(labels).map(([name, value]) => `${name}=${JSON.stringify(visible(value))}`);
  return pairs.join(',');
}

function secondsOf(ms: number | undefined): number | undefined {
  return ms === undefined || !Number.isFinite(ms) ? undefined : ms / 1000;
}
