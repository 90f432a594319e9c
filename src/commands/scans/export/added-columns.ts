/** The columns of a row that are not of its scan: whose it is, and its time by a clock on the wall. */
import type { CodeLabel } from '../../../complete/export-codes.ts';
import type { LocalTime } from '../../../local-time.ts';
import type { CodeSink } from '../../../row-sink.ts';

export const LABELS = ['qr_id', 'qr_slug', 'qr_name'] as const;
export const LOCAL_TIME = 'ts_local';

/** Puts the code's label in front of each row. */
export function addLabels({ id, slug, name }: CodeLabel, sink: CodeSink): CodeSink {
  const label = { qr_id: id, qr_slug: slug ?? null, qr_name: name ?? null };
  const write: CodeSink['write'] = ({ rows, times }) =>
    sink.write({ rows: rows.map((row) => ({ ...label, ...row, ...label })), times });
  return { ...sink, write };
}

/** Adds to each row its `ts_local`, such as `2026-10-01 01:08:15`. */
export function addLocalTime({ format }: LocalTime, sink: CodeSink): CodeSink {
  const write: CodeSink['write'] = ({ rows, times }) =>
    sink.write({ rows: rows.map((row, i) => ({ ...row, [LOCAL_TIME]: format(times[i] as number) })), times });
  return { ...sink, write };
}
