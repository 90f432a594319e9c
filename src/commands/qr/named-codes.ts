/** Columns of the outcomes of codes and rows. */
import type { Column } from '../../files/formats/columns.ts';
import type { OutputColumns } from '../define.ts';
import { ERROR, OUTCOME } from './code-columns.ts';

/** Columns of ours in results. */
const RESULT_COLUMNS = ['id', 'slug', 'outcome', 'error'] as const;

/** Columns of each code: the argument, then those of a results file. */
export const NAMED_COLUMNS = ['code', ...RESULT_COLUMNS].map(
  (name): Column => [OUTCOME, ERROR].find((column) => column.name === name) ?? placed(name),
);

/** Output of bulk runs: what became of each row. */
export const BULK_OUTPUT: OutputColumns = {
  when: '--from',
  columns: [...RESULT_COLUMNS, 'base', 'decision'].map((name) => ({ name })),
  optional: ['short_url'],
  afterInput: true,
};

/** A truncated ID is useless, and a slug takes less room: on a narrow screen the IDs are omitted first. */
function placed(name: string): Column {
  if (name === 'id') return { name, keepWhole: true };
  if (name === 'code') return { name, keepWhole: true, importance: 1 };
  return { name, importance: 2, keepWhole: name === 'slug' };
}
