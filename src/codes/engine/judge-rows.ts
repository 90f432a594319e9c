/**
 * Judges changes once their codes are known: a cell that equals the value of its code was not edited, and is valid whatever it contains.
 */
import { quote } from '../../base/text/quote.ts';
import type { Fault } from '../../files/formats/read/input.ts';
import type { QrCode } from '../../service/shapes.ts';
import type { UpdateRow } from '../input/check-rows.ts';
import type { Doubt } from '../input/read-changes.ts';
import { differences } from './change-rows.ts';
import type { Lookup } from './find-codes.ts';

/** Resolves the doubts of each row. A row whose code does not exist fails by itself. */
export function judgeRows(rows: readonly UpdateRow[], lookup: Lookup): { faults: Fault[]; warnings: Fault[] } {
  const faults: Fault[] = [];
  const warnings: Fault[] = [];
  for (const row of rows) {
    const code = lookup(row);
    if (code === undefined) continue;
    for (const { fault, isOdd } of (row.doubts ?? []).filter((doubt) => isChange(doubt, row, code)))
      (isOdd ? warnings : faults).push(fault);
    if (row.type !== undefined && row.type !== code.type.toLowerCase()) {
      const message = `the type of a code can't be changed; it remains ${quote(code.type)}`;
      warnings.push({ line: row.line, column: 'type', message });
    }
  }
  return { faults, warnings };
}

function isChange({ field }: Doubt, { changes, through }: UpdateRow, code: QrCode): boolean {
  if (field === 'destination' && code.type !== 'url') return false;
  return Object.keys(differences(code, { [field]: changes[field] }, through)).length > 0;
}
