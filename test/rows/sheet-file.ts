/** Files of people: a sheet is written as a person saves it, and results are read as a person sees them. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatBase, parseBase } from '#codes/engine/plan/base';
import type { RowDecision } from '#codes/engine/plan/model';
import type { SheetRow } from '../codes/engine/plan/world/sheet.ts';

/** Cells of a line, by column. */
export type Cells = Readonly<Record<string, string>>;

export interface SheetFile {
  readonly directory: string;
  /** `codes.csv`, or `codes.results.csv` if a person works on results. */
  readonly name: string;
}

export function pathOf({ directory, name }: SheetFile): string {
  return join(directory, name);
}

export function resultsPath({ directory }: SheetFile): string {
  return join(directory, 'codes.results.csv');
}

export function lockPath({ directory, name }: SheetFile): string {
  return join(directory, name.replace('.csv', '.lock.json'));
}

/** Writes the rows of a sheet. */
export async function writeSheet(
  file: SheetFile,
  rows: readonly SheetRow[],
  isKeyed: boolean,
): Promise<void> {
  await mkdir(file.directory, { recursive: true });
  const isResults = file.name.includes('.results.');
  const columns = ['ref', ...(isKeyed ? ['key'] : []), 'name', 'type', 'destination', 'status'];
  if (isResults || rows.some(({ id, slug }) => id !== undefined || slug !== undefined))
    columns.push('id', 'slug');
  if (rows.some(({ updatedAtMs }) => updatedAtMs !== undefined)) columns.push('updated_at');
  if (isResults) columns.push('outcome', 'error');
  if (isResults || rows.some(({ base }) => base)) columns.push('base');
  if (isResults || rows.some(({ decision }) => decision)) columns.push('decision');
  const lines = [columns, ...rows.map((row) => columns.map((column) => cellOf(row, column)))];
  await writeFile(pathOf(file), `${lines.map((line) => line.map(quoted).join(',')).join('\n')}\n`);
}

function quoted(cell: string): string {
  return /[",\n\r]/.test(cell) || cell !== cell.trim() ? `"${cell.replaceAll('"', '""')}"` : cell;
}

function cellOf(row: SheetRow, column: string): string {
  switch (column) {
    case 'ref':
      return `row-${row.token}`;
    case 'updated_at':
      return row.updatedAtMs === undefined ? '' : new Date(row.updatedAtMs).toISOString();
    case 'base':
      return row.base ? formatBase(row.base) : '';
    case 'decision':
      return row.decision === undefined
        ? ''
        : row.decision.is === 'code'
          ? row.decision.name
          : row.decision.is;
    case 'outcome':
    case 'error':
      return '';
    default:
      return row[column as 'name'] ?? '';
  }
}

/** Reads a CSV file of the command; undefined if there is none. */
export async function readCells(path: string): Promise<Cells[] | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : parseCells(text);
}

/** Parses CSV by RFC 4180. */
function parseCells(text: string): Cells[] {
  const lines: string[][] = [[]];
  const cell = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r?\n|$)/gy;
  for (let match = cell.exec(text); match; match = cell.exec(text)) {
    const [whole, value = '', end] = match;
    lines.at(-1)?.push(value.startsWith('"') ? value.slice(1, -1).replaceAll('""', '"') : value);
    if (whole === '' || end === '') break;
    if (end !== ',') lines.push([]);
  }
  const [columns = [], ...rows] = lines;
  return rows
    .filter((row) => row.length === columns.length)
    .map((row) => Object.fromEntries(columns.map((column, index) => [column, row[index] ?? ''])));
}

/** Returns a row as the person has it after reading its line of the results. */
export function rowOfResults(row: SheetRow, cells: Cells): SheetRow {
  return {
    ...row,
    name: cells.name ?? row.name,
    destination: cells.destination ?? row.destination,
    status: cells.status ?? row.status,
    id: cells.id || undefined,
    slug: cells.slug || undefined,
    base: cells.base ? parseBase(cells.base) : undefined,
    updatedAtMs: cells.updated_at ? Date.parse(cells.updated_at) : undefined,
    decision: decisionOf(cells.decision ?? ''),
    seen: { ...row.seen },
  };
}

function decisionOf(cell: string): RowDecision | undefined {
  if (cell === '') return undefined;
  return cell === 'new' || cell === 'mine' || cell === 'theirs' || cell === 'skip'
    ? { is: cell }
    : { is: 'code', name: cell };
}
