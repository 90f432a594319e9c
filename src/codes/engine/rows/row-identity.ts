import { inQuotes } from '#base/text/quote';
import { parseBase } from '#codes/engine/plan/base';
import type { Policy, Row, RowDecision } from '#codes/engine/plan/model';
import { type ParseShortUrl, readTarget as readNames } from '#codes/input/check-rows';
import { type Columns, readText } from '#codes/input/columns';
import { isShortened } from '#codes/input/shortened-number';
import type { Input, InputRow } from '#files/formats/read/input';
import { isUuid } from '#service/checks';
import { parseScanTime } from '#service/scan-times';

const WORDS = ['new', 'mine', 'theirs', 'skip'] as const satisfies RowDecision['is'][];

export function createIdentityReader(
  input: Input,
  columns: Columns,
  {
    verb,
    keyColumn,
    slugOfShortUrl,
  }: { verb: Policy['verb']; keyColumn: string; slugOfShortUrl?: ParseShortUrl },
) {
  const { cell, has, faults } = columns;
  const text = (row: InputRow, column: string) => readText(cell(row, column))?.trim() || undefined;

  function readTarget(row: InputRow): Pick<Row, 'id' | 'slug'> {
    return verb === 'create' && input.isRecord ? {} : readNames(row, columns, slugOfShortUrl);
  }

  function readKey(row: InputRow): string | undefined {
    if (!has(keyColumn)) return undefined;
    const keyCell = cell(row, keyColumn);
    const before = faults.length;
    const key = readText(keyCell)?.normalize('NFC').trim() ?? '';
    if (verb === 'apply' && key === '' && faults.length === before)
      keyCell.fault('is empty: each row needs a key');
    if (isShortened(key)) {
      keyCell.fault(
        `${inQuotes(key)} was shortened by a spreadsheet: format the column as text and retype the value`,
      );
    }
    return key === '' ? undefined : key;
  }

  function readDecision(row: InputRow): RowDecision | undefined {
    const answer = text(row, 'decision');
    if (answer === undefined) return undefined;
    const word = WORDS.find((one) => one === answer.toLowerCase());
    if (word) return { is: word };
    const name = slugOfShortUrl?.(answer) ?? answer;
    return { is: 'code', name: isUuid(name) ? name.toLowerCase() : name };
  }

  function readSaved(row: InputRow): Pick<Row, 'base' | 'updatedAtMs'> {
    const baseText = text(row, 'base');
    const base = baseText === undefined ? undefined : parseBase(baseText);
    if (baseText !== undefined && base === undefined) {
      const way = 'empty the cell, or rename the column if it is yours';
      cell(row, 'base').fault(`${inQuotes(baseText)} is not a base that qrctl wrote: ${way}`);
    }
    return { base, updatedAtMs: savedMs(cell(row, 'updated_at').value) };
  }

  return { readTarget, readKey, readDecision, readSaved };
}

/**
 * Parses an `updated_at` cell to epoch ms, if it is not empty. Without a valid time and zone, as in a
 * workbook, returns -Infinity, so that the code counts as changed.
 */
function savedMs(cell: unknown): number | undefined {
  if ((cell ?? '') === '') return undefined;
  const isInstant = typeof cell === 'string' && ZONE.test(cell);
  return (isInstant ? parseScanTime(cell.trim()) : undefined) ?? Number.NEGATIVE_INFINITY;
}

const ZONE = /(?:z|[+-]\d\d:?\d\d)\s*$/i;
