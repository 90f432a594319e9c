import { join } from 'node:path';
import { NotFoundError, RejectedError, UnexpectedResponseError, UnprovenError } from '#base/errors';
import { addFile, type RunFacts } from '#base/run/run-summary';
import { asSentence, codeInShell, countOf, inShellOr, quote } from '#base/text/quote';
import { type Clock, formatInstant } from '#base/time/time';
import { closing, ifPresent, readPieces } from '#files/durable/disk';
import { nodeDisk } from '#files/durable/node-disk';
import type { Processes } from '#files/durable/replace-file';
import { realPath } from '#files/durable/trusted-file';
import { createFormatter } from '#files/formats/create-formatter';
import { createDocumentSink, type DocumentSink } from '#files/formats/document-sink';
import type { CodeSink } from '#files/formats/row-sink';
import { makeOutputDirectory, openWholeFile, writeWholeFile } from '#files/formats/whole-file';
import { countRange, mayBeTruncated } from '#scans/export/truncated-total';
import type { Service } from '#service/service';
import type { SendDelete } from '#service/service-options';
import { MAX_SCANS_PAGE, type QrCode } from '#service/shapes';
import { backupPath } from './backup-files.ts';

export interface BackupContext {
  console: { note(line: string): void; warn(line: string, evenQuiet?: boolean): void };
  processes: Processes;
  facts: RunFacts;
  clock: Clock;
  signal: AbortSignal;
  service(): Promise<Service>;
}

const OTHER_DIRECTORY = 'specify a different directory with --backup';

const ROUNDS = 3;
const SETTLE_MS = 1000;
const MOST_DELAYED_CHECKS = 10;
const FRESH_MS = 1000;

/** B5: sets a code's status, and lets the next run restore the old status after a kill. */
type SetStatus = (status: string) => Promise<void>;

export type Backup = Awaited<ReturnType<typeof openBackup>>;

export async function openBackup(context: BackupContext, directory: string) {
  await makeOutputDirectory(directory, OTHER_DIRECTORY);
  let codes = 0;
  let untilMs = Infinity;
  let record = '';

  return {
    /** Backs up a code, then deletes it. On failure, restores the status of a code that it paused. */
    async backUp(code: QrCode, send: SendDelete, setStatus: SetStatus): Promise<void> {
      const path = backupPath(directory, code, 'json');
      let isRefused = false;
      try {
        // B1, B7: flushes the code to a regular file before the deletion.
        await writeWholeFile(path, `${JSON.stringify(code, null, 2)}\n`, {
          processes: context.processes,
          elsewhere: OTHER_DIRECTORY,
          keeps: true,
        });
        addFile(context.facts, path);
        isRefused = code.status === 'active' && !(await pause(context, code, setStatus));
        const saved = await deleteSaved(context, code, backupPath(directory, code, 'scans.ndjson'), send);
        codes += 1;
        record = path;
        untilMs = Math.min(untilMs, saved.untilMs);
      } catch (error) {
        if (!isRefused && code.status === 'active' && !(error instanceof NotFoundError))
          await resume(context, code, setStatus);
        throw error;
      }
    },
    reportEnd(): void {
      if (codes === 0) return;
      const until = `up to ${formatInstant(untilMs)}. No newer scan existed right before the deletion`;
      context.console.note(`Backed up every scan of ${countOf(codes, 'code')} ${until}`);
      const again = inShellOr('DIR/ID.json', codes === 1 ? record : join(directory, 'ID.json'));
      const which = codes === 1 ? 'the code' : 'one of them';
      context.console.note(`To create ${which} again, with a new slug: \`qrctl qr create --from ${again}\``);
    },
  };
}

async function deleteSaved(
  context: BackupContext,
  code: QrCode,
  path: string,
  send: SendDelete,
): Promise<SavedScans> {
  const { clock, facts, signal } = context;
  const service = await context.service();
  let saved = await saveScans(context, code, path);
  let delayedChecks = 0;
  let lastCheck: { atMs: number; pausedMs: number } | undefined;

  async function checkAgain(): Promise<void> {
    for (let round = 1; await hasNewerScans(service, code.id, saved); round++) {
      if (round === ROUNDS) throw unverified(code, 'new scans kept arriving during the backup');
      await clock.sleep(SETTLE_MS, signal);
      saved = await saveScans(context, code, path);
    }
    lastCheck = { atMs: clock.monotonic(), pausedMs: service.stats().pausedMs };
  }
  const isFresh = () =>
    lastCheck &&
    lastCheck.pausedMs === service.stats().pausedMs &&
    clock.monotonic() - lastCheck.atMs <= FRESH_MS;

  await checkAgain();
  addFile(facts, path);
  await send(async () => {
    // B3: repeats a check that is not fresh, because scans may have arrived while the DELETE waited.
    if (!isFresh()) {
      delayedChecks += 1;
      if (delayedChecks > MOST_DELAYED_CHECKS)
        throw unverified(code, 'the rate limit delayed each DELETE after the last check for newer scans');
      return checkAgain;
    }
    lastCheck = undefined;
    delayedChecks = 0;
    return undefined;
  });
  return saved;
}

export function requestsOfBackup({ status }: QrCode, scans: number): number {
  const pages = scans === 0 ? 1 : Math.ceil(scans / MAX_SCANS_PAGE) + 1;
  return (status === 'active' ? 1 : 0) + pages + 1;
}

async function hasNewerScans(service: Service, id: string, { scans, untilMs }: SavedScans): Promise<boolean> {
  // Compares totals first, because they include late scans dated before `untilMs`.
  if (!mayBeTruncated(scans, MAX_SCANS_PAGE)) {
    const { total, times } = await service.listScans(id, { page: 1, limit: 1 });
    if (total >= scans) return total > scans || times.some((time) => time >= untilMs);
  }
  const range = { sinceMs: untilMs, untilMs: undefined };
  return (await countRange((request) => service.listScans(id, request), range)).scans > 0;
}

function unverified(code: QrCode, reason: string): UnprovenError {
  return notDeleted(code, reason, 'When the code is scanned less often, run the same command again.');
}

/** B4: pauses a code before its scans are read. Returns false if the service refused. */
async function pause({ console }: BackupContext, code: QrCode, setStatus: SetStatus): Promise<boolean> {
  try {
    await setStatus('paused');
    return true;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const refused = `The service refused to pause ${quote(code.slug)}`;
    console.note(`${refused}. Backing up the code while it is active`);
    return false;
  }
}

async function resume({ console }: BackupContext, code: QrCode, setStatus: SetStatus): Promise<void> {
  await setStatus(code.status).catch((error) => {
    // Ignores a deleted code, because a DELETE without a response may have deleted it.
    if (error instanceof NotFoundError) return;
    const command = `qrctl qr update ${codeInShell(code)} --status ${code.status}`;
    const what = `${quote(code.slug)} was not deleted and may still be paused (it was ${code.status})`;
    console.warn(
      `${what}. Run the command again to delete the code, or restore its status with \`${command}\``,
      true,
    );
  });
}

/** Returns whether an error shows that nothing changed. An unexpected 2xx may have paused the code. */
function isRefusal(error: unknown): boolean {
  if (error instanceof RejectedError) return true;
  const { status = 0 } = error instanceof UnexpectedResponseError ? error : {};
  return status >= 400 && status < 500;
}

type SavedScans = Awaited<ReturnType<typeof saveScans>>;

/** Writes all scans of a code. Throws UnprovenError if some may be missing or are only in an old backup. */
async function saveScans(context: BackupContext, code: QrCode, path: string) {
  const { exportCodes } = await import('#scans/export/export-codes');
  const options = { processes: context.processes, elsewhere: OTHER_DIRECTORY, keeps: true };
  const file = await openWholeFile(path, options);
  const style = { shape: 'list' as const, keepExtra: true, header: true, rawCells: true, excel: false };
  const formatter = createFormatter('ndjson', { columns: [], ...style });
  const document = createDocumentSink(file, formatter);
  const sink = sinkOf(document, code, await readIds(path));
  const service = await context.service();
  const { failures, range } = await exportCodes({
    service,
    codes: [code],
    untilMs: undefined,
    // B2: requests scans beyond each total, because totals may be capped.
    proveBeyond: true,
    clock: context.clock,
    signal: context.signal,
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
  let rest = '';
  const opened = await ifPresent(nodeDisk.open(await realPath(nodeDisk, path), 'r'));
  if (!opened) return ids;
  await closing(opened, async (file) => {
    const { size } = await file.stat();
    for await (const piece of readPieces(file, 0, size)) {
      const lines = `${rest}${decoder.decode(piece, { stream: true })}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) ids.add(idIn(line));
    }
  });
  if (rest !== '') ids.add(idIn(rest));
  return ids;
}

function idIn(line: string): string {
  return /"id":\s*(-?\d+)/.exec(line)?.[1] ?? line;
}

function sinkOf(document: DocumentSink, code: QrCode, before: Set<string>): CodeSink {
  let added = 0;
  return {
    ...document,
    sinceMs: undefined,
    added: () => added,
    async write({ rows }) {
      added += rows.length;
      for (const { id } of rows) before.delete(String(id));
      return document.write(rows);
    },
    async commit() {
      // B6: an existing backup may be the only record of scans that the service no longer returns.
      if (before.size > 0) {
        const reason = `the existing backup has ${countOf(before.size, 'scan')} that the service did not return`;
        throw notDeleted(code, reason, asSentence(OTHER_DIRECTORY));
      }
      await document.commit();
    },
  };
}

function notDeleted({ slug }: QrCode, reason: string, hint: string): UnprovenError {
  return new UnprovenError(`${quote(slug)} was not deleted: ${reason}`, { hint });
}
