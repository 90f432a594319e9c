/** Reads what a run wrote about its rows: the results file, or the carried out plan of `qr apply`. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sheet } from '../codes/engine/plan/world/sheet.ts';
import type { RunOrder } from './run.ts';
import { type Cells, readCells, resultsPath, type SheetFile } from './sheet-file.ts';

/** Returns the results of the command, a line for each row; undefined if it wrote none. */
export async function readSaid(
  { sheet, file, policy }: RunOrder,
  earlier: string | undefined,
): Promise<Cells[] | undefined> {
  if (policy.verb === 'apply')
    return appliedLines(await readFile(appliedPath(file), 'utf8').catch(() => ''), sheet);
  // Results of an earlier run stay if a run is refused.
  return (await identityOf(resultsPath(file))) === earlier ? undefined : readCells(resultsPath(file));
}

/** Changes each time that a file is written whole. */
export async function identityOf(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found && `${found.ino} ${found.mtimeMs}`;
}

interface Applied {
  readonly line: number | null;
  readonly id: string | null;
  readonly slug: string | null;
  readonly outcome?: string;
  readonly error?: string | null;
}

/** Path of what `qr apply` prints. */
export function appliedPath({ directory }: SheetFile): string {
  return join(directory, 'applied.json');
}

function appliedLines(stdout: string, { rows }: Sheet): Cells[] | undefined {
  if (stdout.trim() === '') return undefined;
  const entries = (JSON.parse(stdout) as Applied[]).filter(({ line }) => line !== null);
  if (entries.some(({ outcome }) => outcome === undefined)) return undefined;
  return rows.map((_, index) => {
    const entry = entries.find(({ line }) => line === index + 2);
    if (!entry) throw new Error(`line ${index + 2} is missing in the output`);
    const { id, slug, outcome = '', error } = entry;
    return { id: id ?? '', slug: slug ?? '', outcome, error: error ?? '' };
  });
}
