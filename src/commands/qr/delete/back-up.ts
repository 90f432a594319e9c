/** `--backup`: what a code is, and every scan of it, on the disk for good before its DELETE is sent. */
import { join } from 'node:path';
import type { Context } from '../../../context.ts';
import { nodeDisk, readPieces } from '../../../durable/disk.ts';
import { cannotOpen, systemCode } from '../../../durable/path-errors.ts';
import { realPath } from '../../../durable/trusted-file.ts';
import { UnprovenError } from '../../../errors.ts';
import { createFormatter } from '../../../output/create-formatter.ts';
import { createDocumentSink, type DocumentSink } from '../../../output/document-sink.ts';
import { makeOutputDirectory, openWholeFile, writeWholeFile } from '../../../output/whole-file.ts';
import { codeInShell, countOf, quote } from '../../../quote.ts';
import type { CodeSink } from '../../../row-sink.ts';
import { addFile } from '../../../run-summary.ts';
import { fetchInOrder } from '../../../service/fetch-in-order.ts';
import type { Service } from '../../../service/service.ts';
import { MAX_SCANS_PAGE, type QrCode } from '../../../service/shapes.ts';

const OTHER_DIRECTORY = 'choose another directory with --backup';
/** How often scans that came in while the others were written are gone back for. */
const ROUNDS = 3;
const NEWLINE = 10;

/**
 * Resolves when a code is backed up; rejects where that cannot be proven, and the code must stay. `found` is the code, where this run has just read
 * it; else it is asked for.
 */
export type BackUp = (id: string, found?: QrCode) => Promise<void>;

/**
 * A function that writes `ID.json`, the code as the service has it, and `ID.scans.ndjson`, its scans with every field, in the directory,
 * which is made now. Throws UsageError where it cannot be. The function rejects with UnprovenError where the scans cannot be proven to
 * be all, with NotFoundError where there is no such code, and with what a disk that is full is told by.
 */
export async function openBackup(context: Context, directory: string): Promise<BackUp> {
  await makeOutputDirectory(directory, OTHER_DIRECTORY);
  const { processes } = context;
  return async (id, found) => {
    const service = await context.service();
    const code = found ?? (await service.getCode(id));
    // Only an id that was checked to be a uuid is a file's name.
    const place = join(directory, code.id.toLowerCase());
    await writeWholeFile(`${place}.json`, `${JSON.stringify(code, null, 2)}\n`, {
      processes,
      elsewhere: OTHER_DIRECTORY,
      keeps: true,
    });
    addFile(context.facts, `${place}.json`);
    for (let round = 1; ; round++) {
      const untilMs = await exportAll(context, service, code, `${place}.scans.ndjson`);
      if (untilMs === undefined || !(await hasNewer(service, id, untilMs)))
        return addFile(context.facts, `${place}.scans.ndjson`);
      if (round === ROUNDS) throw unproven(code, 'it is scanned while its scans are written');
    }
  };
}

/** How many scans a code has, and what its backup costs while the service holds still, but for the request that reads the code. Asks for page 1. */
export async function foreseeBackup(service: Service, id: string): Promise<{ scans: number; requests: number }> {
  const [{ foreseeAfter }, { readFirst, widened }] = await Promise.all([
    import('../../../complete/export-scans.ts'),
    import('../../../complete/range.ts'),
  ]);
  const read = (request: Parameters<Service['listScans']>[1]) => service.listScans(id, request);
  const first = await readFirst(read, widened({ sinceMs: undefined, untilMs: undefined }));
  const untilMs = service.nowMs() ?? Number.POSITIVE_INFINITY;
  const after = await foreseeAfter(read, first, { isKnown: true, proveBeyond: true, untilMs });
  // Page 1, what follows it, and the look for newer ones.
  return { scans: first.total, requests: 1 + after + 1 };
}

/** Writes all scans up to now, proven complete; resolves to the end of their range, ms since the epoch. */
async function exportAll(context: Context, service: Service, code: QrCode, path: string): Promise<number | undefined> {
  const { exportCodes } = await import('../../../complete/export-codes.ts');
  const file = await openWholeFile(path, { processes: context.processes, elsewhere: OTHER_DIRECTORY, keeps: true });
  const formatter = createFormatter('ndjson', {
    columns: [],
    shape: 'list',
    keepExtra: true,
    header: true,
    rawCells: true,
    excel: false,
  });
  const document = createDocumentSink(file, formatter);
  const before = await countLines(path);
  const { concurrency: width } = await context.settings();
  const { failures, range } = await exportCodes({
    ...{ service, codes: [code], untilMs: undefined, fetchInOrder, width },
    // There is no second time: a total that is cut off at any number is found out.
    proveBeyond: true,
    now: context.clock.now,
    openSink: async () => sinkOf(document, code, before),
    note: context.console.note,
    progress: () => undefined,
  });
  const [failure] = failures;
  if (failure) throw failure.error;
  return range?.untilMs;
}

/** Lines of the backup of a run before, whose DELETE did not come through; 0 where there is none. */
async function countLines(path: string): Promise<number> {
  let lines = 0;
  try {
    const file = await nodeDisk.open(await realPath(nodeDisk, path), 'r');
    try {
      const stat = await file.stat();
      if (!stat.isFile()) throw Object.assign(new Error(`${path} is not a regular file`), { code: 'ENOTSUP' });
      for await (const piece of readPieces(file, 0, stat.size)) for (const byte of piece) lines += byte === NEWLINE ? 1 : 0;
    } finally {
      await file.close();
    }
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw cannotOpen(`read ${path}`, error, OTHER_DIRECTORY);
  }
  return lines;
}

/** The document of one code; `before`: the scans that its place holds already. */
function sinkOf(document: DocumentSink, code: QrCode, before: number): CodeSink {
  let added = 0;
  return {
    sinceMs: undefined,
    added: () => added,
    async write({ rows }) {
      added += rows.length;
      return document.write(rows);
    },
    checkpoint: () => document.checkpoint(),
    async commit() {
      // Scans only become more: a service that shows fewer now is not one to believe with the last copy of them.
      if (added < before) {
        throw unproven(code, `the backup that is there has ${countOf(before, 'scan')}, and the service shows ${added}`);
      }
      await document.commit();
    },
    discard: () => document.discard(),
  };
}

/** Whether scans came in after the end of the range, or are dated there. */
async function hasNewer(service: Service, id: string, untilMs: number): Promise<boolean> {
  // A second wider: which bounds are inclusive, and how fine they are, is not known.
  const newest = await service.listScans(id, { page: 1, limit: MAX_SCANS_PAGE, sinceMs: untilMs - 1000 });
  return newest.total > newest.rows.length || newest.times.some((time) => time >= untilMs);
}

function unproven(code: QrCode, reason: string): UnprovenError {
  return new UnprovenError(`${quote(code.slug)} was not deleted: ${reason}`, {
    hint: `pause it first: qrctl qr update ${codeInShell(code)} --status paused`,
  });
}
