/** Every row of a create file checked before the first request. */

import { valuesKey } from '../once/same-values.ts';
import type { NewCode } from '../service/shapes.ts';
import { checkAddress, readName, readText, readType } from './cells.ts';
import { type Cell, matchColumns } from './columns.ts';
import { type Fault, refuseFaults } from './faults.ts';
import { RESULT_COLUMNS } from './results.ts';
import type { Input, InputRow } from './rows.ts';

export const CREATE_COLUMNS = ['name', 'type', 'destination'] as const;

/** A row that may be sent. */
export interface CreateRow extends InputRow {
  readonly code: NewCode;
}

/** The rows with the codes they ask for, and warnings. Throws UsageError with every fault by line and column. */
export function checkCreate(input: Input): { rows: CreateRow[]; warnings: Fault[] } {
  const { has, cell, faults } = matchColumns(input, { known: CREATE_COLUMNS, reserved: RESULT_COLUMNS });
  const warnings: Fault[] = [];
  if (!has('name') && (input.rows.length > 0 || input.headerLine !== undefined)) {
    faults.push({ line: input.headerLine, column: 'name', message: 'is missing; every code needs a name' });
  }
  const rows = input.rows.map((row): CreateRow => ({ ...row, code: readCode(row, cell, has('name'), faults, warnings) }));
  refuseFaults(input.name, faults);
  return { rows, warnings: [...warnings, ...noteRepeated(rows)] };
}

function readCode(row: InputRow, cell: Cell, named: boolean, faults: Fault[], warnings: Fault[]): NewCode {
  const at = (column: string) => ({ line: row.line, column, faults, warnings });
  const before = faults.length;
  const name = readName(cell(row, 'name'), at('name'));
  if (name === undefined && named && faults.length === before)
    faults.push({ line: row.line, column: 'name', message: 'is empty' });
  const type = readType(cell(row, 'type'), at('type'));
  const destination = readText(cell(row, 'destination'), at('destination'));
  if (type === undefined || type === 'url') {
    if (destination !== undefined) checkAddress(destination, at('destination'));
    else warnings.push({ line: row.line, column: 'destination', message: 'is empty: the code will point nowhere' });
  }
  return { name: name ?? '', ...(type === undefined ? {} : { type }), ...(destination === undefined ? {} : { destination }) };
}

/** Repeated rows are wanted at times (two posters, one address), so they are noted, not refused. */
function noteRepeated(rows: readonly CreateRow[]): Fault[] {
  const first = new Map<string, CreateRow>();
  return rows.flatMap((row) => {
    const same = first.get(valuesKey(row.code));
    if (same) return [{ line: row.line, message: `has the same values as line ${same.line}: both will be created` }];
    first.set(valuesKey(row.code), row);
    return [];
  });
}
