/**
 * Reads CSV with mixed delimiters: a file with commas that went through a spreadsheet whose list separator is the semicolon (German
 * Excel). It shows each line in one cell, and saves that as `name,type,destination;;`. Values that a user adds in the next columns are
 * separated by semicolons.
 */
import { type CsvError, parse } from 'csv-parse';
import { type Fault, refuseFaults } from '../../files/formats/read/input.ts';
import { checkExtent } from './csv-extent.ts';

/** Record of a CSV as text, with the line it begins on, 1-based. */
export interface RawRecord {
  line: number;
  cells: string[];
}

/**
 * Splits the cells that are whole lines with commas, in records that were read by semicolons. Throws UsageError if only some rows are
 * written this way: which commas separate cells would be a guess.
 */
export async function joinHalves(records: readonly RawRecord[], name: string): Promise<readonly RawRecord[]> {
  const [header, ...data] = records;
  if (!header || !isWholeLine(header)) return records;
  const whole = data.filter(isWholeLine);
  if (whole.length > 0 && whole.length < data.length) {
    const line = data.find((record) => !isWholeLine(record))?.line;
    const message = `mixed delimiters: this line uses semicolons, but line ${header.line} and others use commas`;
    refuseFaults({ name }, [{ line, message: `${message}. Put each column name in its own cell` }]);
  }
  const lines = [header, ...whole].map(({ cells: [text = ''] }) => text);
  checkExtent(Buffer.from(lines.join('\n')), ',', name, header.line);
  const faults: Fault[] = [];
  const apart = await Promise.all([header, ...whole].map((record) => takeApart(record, faults)));
  refuseFaults({ name }, faults);
  return whole.length > 0 ? apart : [...apart, ...data];
}

/** All values of the record are in its first cell, with commas. */
function isWholeLine({ cells: [first = '', ...others] }: RawRecord): boolean {
  return others.length > 0 && others.every((cell) => cell.trim() === '') && first.includes(',');
}

async function takeApart({ line, cells: [text = ''] }: RawRecord, faults: Fault[]): Promise<RawRecord> {
  return new Promise((resolve) => {
    parse(
      text,
      { relax_column_count: true },
      (error: CsvError | Error | undefined, records: string[][] = []) => {
        if (error)
          faults.push({ line, message: 'cannot be split at commas: a quote (") appears inside a cell' });
        resolve({ line, cells: records[0] ?? [] });
      },
    );
  });
}
