/** Columns of a row that are not fields of its scan: the code, and its local time. */
import type { LocalTime } from '../../../base/time/local-time.ts';
import type { CodeSink, Row } from '../../../files/formats/row-sink.ts';
import type { CodeLabel } from '../../../scans/export/export-codes.ts';
import { SCAN_FIELDS } from '../../../service/shapes.ts';
import { labelOf } from '../labels.ts';

export const LOCAL_TIME = 'ts_local';

/** Puts the code's label in front of each row. */
export function addLabels(code: CodeLabel, sink: CodeSink): CodeSink {
  const label = labelOf(code);
  const blank = { ...label, ...Object.fromEntries(SCAN_FIELDS.map((field) => [field, null])) };
  const labelled = (row: Row) => (isPlainScan(row) ? filled(blank, row) : { ...label, ...row, ...label });
  const write: CodeSink['write'] = ({ rows, times }) => sink.write({ rows: rows.map(labelled), times });
  return { ...sink, write };
}

/**
 * Equals spreading the label, the row and the label again, for a row as the service returns it today: filling a copy that has all keys
 * takes a fifteenth of the time, and its object a third of the memory, while a dataset buffers 122,880 of them.
 */
function filled(blank: Row, row: Row): Row {
  const copy: Record<string, unknown> = { ...blank };
  for (const field of SCAN_FIELDS) copy[field] = row[field];
  return copy;
}

function isPlainScan(row: Row): boolean {
  const names = Object.keys(row);
  return names.length === SCAN_FIELDS.length && SCAN_FIELDS.every((name, at) => names[at] === name);
}

/** Adds to each row its `ts_local`, such as `2026-10-01 01:08:15`. */
export function addLocalTime({ format }: LocalTime, sink: CodeSink): CodeSink {
  const write: CodeSink['write'] = ({ rows, times }) =>
    sink.write({ rows: rows.map((row, i) => ({ ...row, [LOCAL_TIME]: format(times[i] as number) })), times });
  return { ...sink, write };
}
