/** Runs of a dataset against a service that is a list of rows, on the disk in memory; and a reader that lists and reads as engines do. */
import { expect } from 'vitest';
import { formatInstant, systemClock } from '#base/time/time';
import { createCsvFormatter } from '#files/formats/csv';
import { createNdjsonFormatter } from '#files/formats/json';
import { createParquetFormatter } from '#files/formats/parquet/parquet';
import type { CodeSink } from '#files/formats/row-sink';
import type { DatasetIdentity } from '#scans/dataset/manifest';
import { type DatasetOptions, openDataset } from '#scans/dataset/open-dataset';
import { SCAN_FIELDS } from '#service/shapes';
import type { MemoryDisk } from '../../support/memory-disk.ts';
import { HOUR, ownWorkspace, type TestRow, type TestService } from '../append/runs.ts';

export const LAKE = '/data/lake';
export const MANIFEST = `${LAKE}/_qrctl.json`;
export const DAY = 24 * HOUR;

export interface LakeOptions extends Partial<Omit<DatasetOptions, 'identity'>> {
  identity?: Partial<DatasetIdentity>;
  /** Rows a page holds. */
  pageRows?: number;
  /** Rows after which the service fails. */
  failAfter?: number;
  /** Codes whose proof fails after their first page. */
  failing?: readonly string[];
}

export function openLake(memory: MemoryDisk, service: TestService, options: LakeOptions = {}) {
  const identity: DatasetIdentity = {
    codes: Object.keys(service),
    all: true,
    columns: ['qr_id', 'qr_slug', 'qr_name', ...SCAN_FIELDS],
    format: 'csv',
    dialect: { header: true, excel: false, rawCells: false },
    partition: { by: 'day', timezone: 'UTC' },
    ...options.identity,
  };
  const { columns, format, dialect } = identity;
  const formatters = {
    csv: () => createCsvFormatter(columns, dialect),
    ndjson: () => createNdjsonFormatter(columns),
    parquet: () => createParquetFormatter(columns),
  };
  return openDataset({
    directory: LAKE,
    createFormatter: formatters[format],
    append: true,
    overlapMs: HOUR,
    sinceMs: undefined,
    clock: { ...systemClock, sleep: async () => {} },
    lock: async () => ({ release: async () => {} }),
    disk: memory.disk,
    mostRows: 4,
    own: ownWorkspace(Object.keys(service)),
    ...options,
    identity,
  });
}

/** One whole run: every code from its position on, page by page, oldest first. Resolves to the number of rows added. */
export async function runLake(
  memory: MemoryDisk,
  service: TestService,
  options: LakeOptions = {},
): Promise<number> {
  const { pageRows = 3, failAfter = Number.POSITIVE_INFINITY, failing = [] } = options;
  const lake = await openLake(memory, service, options);
  let added = 0;
  let read = 0;
  try {
    for (const [code, all] of Object.entries(service)) {
      const sink = lake.sinkOf(code);
      const { sinceMs = Number.NEGATIVE_INFINITY } = sink;
      const rows = all
        .filter(({ time }) => time >= sinceMs)
        .sort((a, b) => a.time - b.time || Number(a.id) - Number(b.id));
      try {
        for (let at = 0; at < rows.length; at += pageRows) {
          const page = rows.slice(at, at + pageRows);
          read += page.length;
          if (read > failAfter) throw new Error('the service failed');
          await writePage(sink, code, page);
          if (failing.includes(code)) throw new Error('not proven');
        }
        await sink.commit();
      } catch (error) {
        await sink.discard();
        if (!failing.includes(code)) throw error;
      }
      added += sink.added();
    }
    await lake.commit();
    return added;
  } catch (error) {
    await lake.discard();
    throw error;
  }
}

export function writePage(sink: CodeSink, code: string, page: readonly TestRow[]): Promise<number> {
  return sink.write({
    rows: page.map(({ id, time, referrer = null }) => {
      const scan = {
        id,
        ts: formatInstant(time),
        country: 'DE',
        city: null,
        device: 'mobile',
        os: 'iOS',
        browser: 'Safari',
      };
      return { qr_id: code, qr_slug: 'menu', qr_name: 'Menu', ...scan, referrer };
    }),
    times: page.map(({ time }) => time),
  });
}

/** What an engine sees that lists the directory now: `dt=2026-01-01 id`, sorted. Throws at a file that is not whole. */
export function seen(memory: MemoryDisk): string[] {
  const root = `${memory.realPath(LAKE)}/`;
  const paths = memory
    .names()
    .filter((path) => path.startsWith(root) && /\/dt=[^/]+\/[^._][^/]*\.csv$/.test(path));
  return paths.flatMap((path) => rowsOf(path, memory.read(path) ?? '')).sort();
}

function rowsOf(path: string, text: string): string[] {
  const [header, ...lines] = text.split('\n');
  if (!header?.startsWith('qr_id,') || lines.pop() !== '' || lines.length === 0)
    throw new Error(`${path} is torn: ${text}`);
  return lines.map((line) => {
    const cells = line.split(',');
    if (cells.length !== header.split(',').length) throw new Error(`${path} is torn: ${line}`);
    const [partition] = /dt=[^/]+/.exec(path) ?? [];
    return `${partition} ${cells[3]}`;
  });
}

/** A reader looks at each step of the disk: whole files, no row twice, and none gone that was there. */
export function watched(on: MemoryDisk): MemoryDisk {
  let before: string[] = [];
  const { fault } = on;
  on.fault = (step, operation) => {
    const now = seen(on);
    expect(new Set(now).size).toBe(now.length);
    expect(before.filter((row) => !now.includes(row))).toEqual([]);
    before = now;
    return fault(step, operation);
  };
  return on;
}

/** What should be seen of a service. */
export function wanted(service: TestService): string[] {
  const rows = Object.values(service).flat();
  return rows.map(({ id, time }) => `dt=${formatInstant(time).slice(0, 10)} ${id}`).sort();
}
