import { systemCode, UnprovenError } from '#base/errors';
import type { RunFacts } from '#base/run/run-summary';
import { asSentence, countOf, quote } from '#base/text/quote';
import type { Clock } from '#base/time/time';
import { closing, readPieces } from '#files/durable/disk';
import { nodeDisk } from '#files/durable/node-disk';
import { cannotOpen, notRegular } from '#files/durable/path-errors';
import type { Processes } from '#files/durable/replace-file';
import { realPath } from '#files/durable/trusted-file';
import { createFormatter } from '#files/formats/create-formatter';
import { createDocumentSink, type DocumentSink } from '#files/formats/document-sink';
import type { CodeSink } from '#files/formats/row-sink';
import { openWholeFile } from '#files/formats/whole-file';
import type { Service } from '#service/service';
import type { QrCode } from '#service/shapes';

export interface BackupContext {
  console: { note(line: string): void; warn(line: string, evenQuiet?: boolean): void };
  processes: Processes;
  facts: RunFacts;
  clock: Clock;
  signal: AbortSignal;
  service(): Promise<Service>;
}

export const OTHER_DIRECTORY = 'specify a different directory with --backup';

export interface SavedScans {
  scans: number;
  untilMs: number;
}

/** Writes all scans of a code. Throws UnprovenError if any may be missing, also one of an existing file. */
export async function saveScans(context: BackupContext, code: QrCode, path: string): Promise<SavedScans> {
  const { exportCodes } = await import('#scans/export/export-codes');
  const { processes } = context;
  const file = await openWholeFile(path, { processes, elsewhere: OTHER_DIRECTORY, keeps: true });
  const style = { shape: 'list' as const, keepExtra: true, header: true, rawCells: true, excel: false };
  const formatter = createFormatter('ndjson', { columns: [], ...style });
  const document = createDocumentSink(file, formatter);
  const sink = sinkOf(document, code, await readIds(path));
  const service = await context.service();
  const { failures, range } = await exportCodes({
    service,
    codes: [code],
    untilMs: undefined,
    // B2: looks beyond any total, which may be capped, because the deletion would lose scans.
    proveBeyond: true,
    now: context.clock.now,
    openSink: async () => sink,
    note: context.console.note,
    progress: () => undefined,
  });
  const [failure] = failures;
  if (failure) throw failure.error;
  return { scans: sink.added(), untilMs: range?.untilMs ?? 0 };
}

async function readIds(path: string): Promise<Set<string>> {
  const ids = new Set<string>();
  const decoder = new TextDecoder();
  const take = (line: string) => ids.add(/"id":\s*(-?\d+)/.exec(line)?.[1] ?? line);
  let rest = '';
  try {
    await closing(await nodeDisk.open(await realPath(nodeDisk, path), 'r'), async (file) => {
      const stat = await file.stat();
      if (!stat.isFile()) throw notRegular(path);
      for await (const piece of readPieces(file, 0, stat.size)) {
        const lines = `${rest}${decoder.decode(piece, { stream: true })}`.split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) take(line);
      }
      if (rest !== '') take(rest);
    });
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw cannotOpen(`read ${path}`, error, OTHER_DIRECTORY);
  }
  return ids;
}

function sinkOf(document: DocumentSink, code: QrCode, before: Set<string>): CodeSink {
  let added = 0;
  return {
    sinceMs: undefined,
    added: () => added,
    async write({ rows }) {
      added += rows.length;
      for (const { id } of rows) before.delete(String(id));
      return document.write(rows);
    },
    checkpoint: () => document.checkpoint(),
    async commit() {
      // B6: an existing backup may be the only record of scans that the service no longer returns.
      if (before.size > 0) {
        const reason = `the existing backup has ${countOf(before.size, 'scan')} that the service did not return`;
        throw notDeleted(code, reason, asSentence(OTHER_DIRECTORY));
      }
      await document.commit();
    },
    discard: () => document.discard(),
  };
}

export function notDeleted({ slug }: QrCode, reason: string, hint: string): UnprovenError {
  return new UnprovenError(`${quote(slug)} was not deleted: ${reason}`, { hint });
}
