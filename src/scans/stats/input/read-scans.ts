import { basename } from 'node:path';
import { UsageError } from '#base/errors';
import { keepMemoryFlat } from '#base/run/v8-flags';
import { shown } from '#base/text/quote';
import { letSignalsIn } from '#base/time/time';
import { notOurs, type Records } from '#files/formats/read/input-text';
import { stemOfLog } from '#files/formats/read/rotated-names';
import type { Row } from '#files/formats/row-sink';
import { type CodeOfScans, createCodes } from '#scans/stats/code-of-scans';
import type { ValueDimension } from '#scans/stats/dimensions';
import { isUuid } from '#service/checks';
import { parseScanTime } from '#service/scan-times';
import { createMemory, createOrderCheck, type IsNew, OutOfOrderError } from './distinct.ts';
import { checkNames, readRecords } from './scan-records.ts';

export type TakeScan = (ms: number, scan: Row, code: CodeOfScans, owner: string, id: number | bigint) => void;

interface ReadInputs {
  paths: readonly string[];
  /** Files to which no export appends. Their last line may lack its line end. */
  closed?: ReadonlySet<string>;
  fields: readonly ValueDimension[];
  start(): TakeScan;
  note(line: string): void;
  onPiece?(): Promise<void> | void;
  signal?: AbortSignal;
}

export interface FileSpan {
  firstMs: number;
  lastMs: number;
}

/** Passes each scan once to the last function that `start` returned. Returns the time span of each file. */
export async function readInputs(job: ReadInputs): Promise<Map<string, FileSpan>> {
  const found: Naming = {};
  const inMemory = () => readAll({ ...job, note: () => undefined }, createMemory(), found);
  const ifOutOfOrder = (error: unknown) => {
    if (error instanceof OutOfOrderError) return inMemory();
    throw error;
  };
  // Reads a third time if the first file without code IDs comes after the first scan out of order.
  return readAll(job, createOrderCheck(), found).catch(ifOutOfOrder).catch(ifOutOfOrder);
}

/** Reads all rows, even duplicates. `owner` is the code ID in lower case, or empty. */
export function readEveryRow(
  job: Omit<ReadInputs, 'start'>,
  take: (owner: string, id: number | bigint, ms: number, scan: Row) => void,
): Promise<Map<string, FileSpan>> {
  const start = (): TakeScan => (ms, scan, _, owner, id) => take(owner, id, ms, scan);
  return readAll({ ...job, start }, () => true, {});
}

interface Naming {
  byRow?: string;
  byFile?: string;
  without?: string;
}

async function readAll(job: ReadInputs, isNew: IsNew, naming: Naming): Promise<Map<string, FileSpan>> {
  const take = job.start();
  const keepFlat = keepMemoryFlat();
  const spans = new Map<string, FileSpan>();
  const wasPooled = isPooled(naming);
  for (const path of job.paths) {
    let first: Row | undefined;
    const span = { firstMs: Infinity, lastMs: -Infinity };
    const owner = wasPooled ? '' : ownerOf(path);
    const codeOf = createCodes({ owner: ownerOf(path), stem: stemOfLog(basename(path)) });
    const isClosed = job.closed?.has(path) ?? false;
    for await (const records of readRecords(path, job.fields, { isClosed, signal: job.signal })) {
      const [row] = records.rows;
      if (row && !first) {
        checkNames(Object.keys(row), path, job.fields);
        refuseMixture(row, path, naming);
        if (isPooled(naming) !== wasPooled) throw new OutOfOrderError('a file has no code IDs');
        first = row;
      }
      if (first) refuseOtherColumns(records, first, path, job.fields);
      takeRows(records, { path, owner, codeOf, span }, isNew, take);
      if (records.torn)
        job.note(
          `The last line of ${path} is incomplete and was not counted. An export may still be writing the file`,
        );
      await job.onPiece?.();
      keepFlat();
      await letSignalsIn(job.signal);
    }
    if (span.firstMs <= span.lastMs) spans.set(path, span);
  }
  return spans;
}

/** F6: returns whether only some file names have code IDs. If so, files may overlap. */
function isPooled({ byFile, without }: Naming): boolean {
  return byFile !== undefined && without !== undefined;
}

/** F6: throws if one file has code columns and another has no code IDs, because duplicates would remain. */
function refuseMixture(row: Row, path: string, naming: Naming): void {
  if ('qr_id' in row) naming.byRow ??= path;
  else if (ownerOf(path) !== '') naming.byFile ??= path;
  else naming.without ??= path;
  if (naming.byRow === undefined || naming.without === undefined) return;
  throw new UsageError(
    `cannot count ${naming.byRow} and ${naming.without} together: only ${naming.byRow} has the code IDs (qr_id) needed to detect duplicates`,
    { hint: 'Count the files separately, or export the codes again into one file.' },
  );
}

function refuseOtherColumns(
  { rows, line }: Records,
  first: Row,
  path: string,
  fields: readonly ValueDimension[],
): void {
  const isNamed = first.qr_id !== undefined;
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as Row;
    const other =
      (row.qr_id !== undefined) !== isNamed ? 'qr_id' : fields.find((field) => row[field] === undefined);
    if (other === undefined) continue;
    throw notOurs(path, `near line ${line + i}: only some rows have the column ${other}`);
  }
}

interface Source {
  path: string;
  owner: string;
  codeOf: ReturnType<typeof createCodes>;
  span: FileSpan;
}

function takeRows(
  { rows, line }: Records,
  { path, owner: ownerOfFile, codeOf, span }: Source,
  isNew: IsNew,
  take: TakeScan,
): void {
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as Row;
    const { ts, qr_id } = row;
    const ms = typeof ts === 'string' ? parseScanTime(ts) : undefined;
    if (ms === undefined) throw badRow(path, line + i, 'ts', ts);
    const id = idOf(row.id);
    if (id === undefined) throw badRow(path, line + i, 'id', row.id);
    if (ms < span.firstMs) span.firstMs = ms;
    if (ms > span.lastMs) span.lastMs = ms;
    const owner = typeof qr_id === 'string' ? qr_id.toLowerCase() : ownerOfFile;
    if (isNew(owner, id, ms)) take(ms, row, codeOf(row), owner, id);
  }
}

function ownerOf(path: string): string {
  const stem = stemOfLog(basename(path)).replace(/\.scans$/, '');
  return isUuid(stem) ? stem.toLowerCase() : '';
}

function idOf(id: unknown): number | bigint | undefined {
  if (typeof id === 'number') return Number.isSafeInteger(id) ? id : undefined;
  if (typeof id !== 'bigint' && !(typeof id === 'string' && /^-?\d{1,40}$/.test(id))) return undefined;
  const value = Number(id);
  return Number.isSafeInteger(value) ? value : BigInt(id);
}

function badRow(path: string, line: number, column: string, value: unknown): UsageError {
  if (value === undefined || value === null) return notOurs(path, `near line ${line}: ${column} is missing`);
  const expected = column === 'ts' ? 'a time' : 'a whole number';
  return notOurs(path, `near line ${line}: ${column} is "${shown(String(value))}", not ${expected}`);
}
