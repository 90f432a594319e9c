/** The place of the results of a file. Pure. */
import { join, parse } from 'node:path';
import { formatOfPath } from '../../files/formats/plan-output.ts';
import { fold, type Input } from '../../files/formats/read/input.ts';

/**
 * Returns `codes.results.csv` next to `codes.csv`, with the extension of the input, because the same program opens both. Results that are
 * the input are written into the file itself.
 */
export function resultsPathBeside(from: string, { form, columns }: Pick<Input, 'form' | 'columns'>): string {
  const { dir, name, ext } = parse(from.replace(/\.gz$/i, ''));
  const isOwn = formatOfPath(ext) === form?.is;
  const names = new Set(columns.map(fold));
  const isResults = ['outcome', 'base', 'decision'].every((column) => names.has(column));
  if (isOwn && (isResults || /.\.results$/i.test(name))) return from;
  return join(dir, `${name}.results${isOwn ? ext : `.${form?.is ?? 'csv'}`}`);
}
