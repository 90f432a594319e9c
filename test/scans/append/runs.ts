/** Runs of an append against a service that is a list of rows: what a cron job does, without the network. */
import { NotFoundError, UnprovenError } from '#base/errors';
import { formatInstant, parseInstant, systemClock } from '#base/time/time';
import type { Disk, DiskFile } from '#files/durable/disk';
import { createCsvFormatter } from '#files/formats/csv';
import { createNdjsonFormatter } from '#files/formats/json';
import type { TimedRows } from '#files/formats/row-sink';
import { type AppendOptions, openAppendFile } from '#scans/append/append-file';
import type { AppendIdentity, OwnWorkspace } from '#scans/append/identity';
import { SCAN_FIELDS, type Scan } from '#service/shapes';
import { createWorkspace } from '#service/workspace';
import { createMemoryDisk, type MemoryDisk } from '../../support/memory-disk.ts';

export const FILE = '/data/scans.out';
export const STATE = `${FILE}.state.json`;
export const HOUR = 3_600_000;
export const START = Date.UTC(2026, 0, 1);
export const CODE = '11111111-1111-4111-8111-111111111111';
export const OTHER_CODE = '22222222-2222-4222-8222-222222222222';

export interface TestRow {
  id: number | bigint;
  time: number;
  /** Anything that a cell may hold. */
  referrer?: string | null;
}

/** The scans that the service has, by code; add to it as time goes by. */
export type TestService = Record<string, TestRow[]>;

export interface RunOptions extends Partial<Omit<AppendOptions, 'identity'>> {
  identity?: Partial<AppendIdentity>;
  /** Rows a page holds. */
  pageRows?: number;
  /** Rows after which the service fails. */
  failAfter?: number;
  /** All that was read turns out not to be proven, and is not when it is read again: the run ends with 9. */
  unproven?: boolean;
}

const BASE_URL = 'https://example.test/api/v1';

/** The workspace of a test, whose key and base URL may change; `codes`: those that it has. */
export function ownWorkspace(
  codes: Iterable<string>,
  { apiKey = 'svc_live_aaaa', baseUrl = BASE_URL, profile, ...changes }: Partial<OwnWorkspace> & TestKey = {},
): OwnWorkspace {
  const known = new Set(codes);
  return {
    workspace: createWorkspace({ baseUrl, apiKey, profile }),
    seen: new Set(),
    async getCode(id) {
      if (!known.has(id)) throw new NotFoundError('no such code');
    },
    ...changes,
  };
}

interface TestKey {
  apiKey?: string;
  baseUrl?: string;
  profile?: string;
}

function identityOf(service: TestService, changes: Partial<AppendIdentity> = {}): AppendIdentity {
  const codes = Object.keys(service);
  const several = codes.length > 1 || changes.all === true;
  return {
    codes,
    all: false,
    columns: several ? ['qr_id', ...SCAN_FIELDS] : [...SCAN_FIELDS],
    format: 'csv',
    dialect: { header: true, excel: false, rawCells: false },
    ...changes,
  };
}

/** The disk of `memory`, and how many files that were opened by it are open. */
export function countingDisk(memory: MemoryDisk) {
  const open = new Set<DiskFile>();
  const disk: Disk = {
    ...memory.disk,
    async open(...args) {
      const file = await memory.disk.open(...args);
      open.add(file);
      const close = () => {
        open.delete(file);
        return file.close();
      };
      return { ...file, close };
    },
  };
  return { disk, stillOpen: () => open.size };
}

export function openOn(memory: MemoryDisk, service: TestService, options: RunOptions = {}) {
  const identity = identityOf(service, options.identity);
  const { columns, format, dialect } = identity;
  const formatter = format === 'csv' ? createCsvFormatter(columns, dialect) : createNdjsonFormatter(columns);
  return openAppendFile({
    path: FILE,
    formatter,
    overlapMs: HOUR,
    sinceMs: undefined,
    clock: { ...systemClock, sleep: async () => {} },
    lock: async () => ({ release: async () => {} }),
    disk: memory.disk,
    own: ownWorkspace(Object.keys(service)),
    ...options,
    identity,
  });
}

/** One whole run: every code from its position on, page by page, oldest first. Resolves to the number of rows added. */
export async function run(
  memory: MemoryDisk,
  service: TestService,
  options: RunOptions = {},
): Promise<number> {
  const { pageRows = 3, failAfter = Number.POSITIVE_INFINITY, unproven = false } = options;
  const file = await openOn(memory, service, options);
  let added = 0;
  let read = 0;
  try {
    for (const [code, all] of Object.entries(service)) {
      const sink = file.sinkOf(code);
      const { sinceMs = Number.NEGATIVE_INFINITY } = sink;
      const rewind = await sink.checkpoint();
      const rows = all
        .filter(({ time }) => time >= sinceMs)
        .sort((a, b) => a.time - b.time || Number(a.id) - Number(b.id));
      for (let at = 0; at < rows.length; at += pageRows) {
        const page = rows.slice(at, at + pageRows);
        if (read + page.length > failAfter) throw new Error('the service failed');
        read += page.length;
        await sink.write(timedRows(page, code));
      }
      if (unproven && (await rewind())) throw new UnprovenError('it does not add up');
      await sink.commit();
      added += sink.added();
    }
    await file.commit();
    return added;
  } catch (error) {
    await file.discard();
    throw error;
  }
}

/** Rows as an export hands them over. */
export function timedRows(rows: readonly TestRow[], code = CODE): TimedRows {
  return { rows: rows.map((row) => ({ qr_id: code, ...scanOf(row) })), times: rows.map(({ time }) => time) };
}

function scanOf({ id, time, referrer = null }: TestRow): Scan {
  const ts = formatInstant(time);
  return { id, ts, country: 'DE', city: null, device: 'mobile', os: 'iOS', browser: 'Safari', referrer };
}

/** The rows of the file, `code id` each, in order; throws at a torn line. */
export function idsIn(text: string, format: AppendIdentity['format'] = 'csv'): string[] {
  if (text !== '' && !text.endsWith('\n')) throw new Error(`torn: ${JSON.stringify(text.slice(-80))}`);
  if (format === 'ndjson')
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => `${JSON.parse(line).id}`);
  const [header = '', ...lines] = text.split('\n').slice(0, -1);
  const at = header.split(',').indexOf('id');
  return lines.map((line) => {
    const cells = line.split(',');
    if (cells.length !== header.split(',').length || parseInstant(cells[at + 1] ?? '') === undefined)
      throw new Error(`torn: ${line}`);
    return cells[at] ?? '';
  });
}

/** All ids of a service, sorted as text. */
export function idsOf(service: TestService): string[] {
  return Object.values(service)
    .flat()
    .map(({ id }) => `${id}`)
    .sort();
}

export function rowsAt(...times: number[]): TestRow[] {
  return times.map((time, i) => ({ id: i + 1, time: START + time }));
}

export { createMemoryDisk };
