/** A state that was lost is worked out again from the file, when every row of it can be read as ours. */
import type { DiskFile } from '../durable/disk.ts';
import { addRow, type CodeWindow, emptyWindow, trim } from './overlap.ts';
import { ForeignRowError, scanRows } from './read-back.ts';
import type { AppendIdentity } from './state.ts';

/** One row that the service must still have, at the same time, before anything is added to a file whose state was lost. */
export interface Anchor {
  id: string;
  timeMs: number;
}

export interface Rebuilt {
  /** Size of the file up to the end of its last whole row. */
  bytes: number;
  windows: Map<string, CodeWindow>;
  /** Time of the oldest row, or undefined where there is none. */
  oldestMs: number | undefined;
  /**
   * Set where nothing in the file says which code it belongs to: a row of the newest instant. The ids and times of two codes,
   * or of two services, do not agree, so finding this one again proves whose file it is.
   */
  anchor: Anchor | undefined;
}

export interface RebuildJob {
  file: DiskFile;
  size: number;
  identity: AppendIdentity;
  /** What the formatter writes before the first row. */
  begin: string;
  overlapMs: number;
  signal?: AbortSignal | undefined;
}

/** Reads the whole file. Throws ForeignRowError where it is not an export with this identity. */
export async function rebuild({ file, size, identity, begin, overlapMs, signal }: RebuildJob): Promise<Rebuilt> {
  const start = await checkBeginning(file, size, identity, begin);
  const windows = new Map<string, CodeWindow>();
  const codes = new Set(identity.codes);
  const alone = identity.columns.includes('qr_id') ? undefined : identity.codes[0];
  let oldestMs: number | undefined;
  let anchor: Anchor | undefined;

  const bytes = await scanRows(file, { start, end: size, strict: true, signal }, identity, ({ code = alone, id, timeMs }) => {
    if (code === undefined || !codes.has(code)) throw new ForeignRowError(`a row of another code, ${code}`);
    const window = windows.get(code) ?? emptyWindow();
    windows.set(code, window);
    if (window.ids.has(id)) throw new ForeignRowError(`the row ${id} twice`);
    addRow(window, id, timeMs);
    trim(window, overlapMs);
    if (oldestMs === undefined || timeMs < oldestMs) oldestMs = timeMs;
    if (alone !== undefined && timeMs >= (anchor?.timeMs ?? timeMs)) anchor = { id, timeMs };
  });
  return { bytes, windows, oldestMs, anchor };
}

/** The offset of the first row. Only a header or the keys of NDJSON name the columns: without, any columns would pass. */
async function checkBeginning(file: DiskFile, size: number, identity: AppendIdentity, begin: string): Promise<number> {
  if (identity.format === 'csv' && !identity.dialect.header) throw new ForeignRowError('no header');
  const expected = Buffer.from(begin);
  const found = Buffer.alloc(Math.min(expected.length, size));
  const { bytesRead } = await file.read(found, 0, found.length, 0);
  if (bytesRead < expected.length || !found.equals(expected)) throw new ForeignRowError('other columns');
  return expected.length;
}
