/** Backs up a code and all of its scans to disk before its DELETE is sent (`--backup`). PROTOCOL.md states the guarantee. */
import { join } from 'node:path';
import type { ReadScans } from '../complete/range.ts';
import { NotFoundError, UnprovenError } from '../errors.ts';
import { makeOutputDirectory, writeWholeFile } from '../rows/whole-file.ts';
import { addFile } from '../run/run-summary.ts';
import { isUuid } from '../service/checks.ts';
import type { Service } from '../service/service.ts';
import { MAX_SCANS_PAGE, type QrCode } from '../service/shapes.ts';
import { countOf, quote } from '../text/quote.ts';
import { formatInstant } from '../time/time.ts';
import type { SendDelete } from './delete-rows.ts';
import { type BackupContext, forgetPause, OTHER_DIRECTORY, openPause } from './pause-code.ts';
import { type SavedScans, saveScans } from './scans-file.ts';

/** How often scans that came in while the others were written are gone back for, before one DELETE. */
const ROUNDS = 3;
/** Wait before scans are read again: the service's clock is known to the second (Date), and a scan of this second may be after the end. */
const SETTLE_MS = 1000;
/** How often in a row a DELETE may wait for the rate limit after the look that it needs right before it. */
const MOST_LOOKS = 10;
/** An older check no longer shows that there is no newer scan. */
const FRESH_MS = 1000;

export interface Backup {
  /**
   * Backs a code up and has its DELETE sent. `found`: the code, if this run has just read it; otherwise it is requested. Rejects with
   * UnprovenError if the scans cannot be verified as complete, with NotFoundError if the code does not exist, with the errors of `send`,
   * and with LocalError for a full disk.
   */
  backUp(id: string, send: SendDelete, found?: QrCode): Promise<void>;
  /** Reports up to which moment the backups have the scans. */
  tellEnd(): void;
}

/**
 * Backups in a directory, which is created now: `ID.json`, the code as the service returned it, and `ID.scans.ndjson`, its scans with every
 * field. Throws UsageError if it cannot be created.
 */
export async function openBackup(context: BackupContext, directory: string): Promise<Backup> {
  await makeOutputDirectory(directory, OTHER_DIRECTORY);
  // Only an id that was checked to be a uuid is a file's name.
  const placeOf = (id: string) => join(directory, id.toLowerCase());
  let codes = 0;
  let untilMs = Number.POSITIVE_INFINITY;

  async function readCode(id: string): Promise<QrCode> {
    const service = await context.service();
    return service.getCode(id).catch(async (error) => {
      if (error instanceof NotFoundError && isUuid(id)) await forgetPause(placeOf(id));
      throw error;
    });
  }

  return {
    async backUp(id, send, found) {
      const code = found ?? (await readCode(id));
      const place = placeOf(code.id);
      const pause = await openPause(context, place, code);
      try {
        // B1, B7: flushed, and a regular file, or the code is not deleted.
        await writeWholeFile(`${place}.json`, `${JSON.stringify(pause.before, null, 2)}\n`, {
          processes: context.processes,
          elsewhere: OTHER_DIRECTORY,
          keeps: true,
        });
        addFile(context.facts, `${place}.json`);
        await pause.begin();
        const saved = await deleteSaved(context, code, `${place}.scans.ndjson`, send);
        codes += 1;
        untilMs = Math.min(untilMs, saved.untilMs);
      } catch (error) {
        await pause.takeBack(error);
        throw error;
      }
      await pause.end();
    },
    tellEnd() {
      if (codes === 0) return;
      const until = `up to ${formatInstant(untilMs)}. No newer scan existed right before the deletion`;
      context.console.note(`Backed up every scan of ${countOf(codes, 'code')} ${until}`);
    },
  };
}

/**
 * Saves the scans, and sends the DELETE right after a check without newer scans. A DELETE that waited, or is sent again, is checked again
 * first. Resolves to the saved scans.
 */
async function deleteSaved(context: BackupContext, code: QrCode, path: string, send: SendDelete): Promise<SavedScans> {
  const { clock, facts, signal } = context;
  const service = await context.service();
  let saved = await saveScans(context, code, path);
  let looks = 0;
  let look: { atMs: number; pausedMs: number } | undefined;

  async function lookAgain(): Promise<void> {
    for (let round = 1; await hasNewer(service, code.id, saved); round++) {
      if (round === ROUNDS) throw unproven(code, 'new scans kept arriving during the backup');
      await clock.sleep(SETTLE_MS, signal);
      saved = await saveScans(context, code, path);
    }
    look = { atMs: clock.monotonic(), pausedMs: service.stats().pausedMs };
  }
  const isFresh = () => look && look.pausedMs === service.stats().pausedMs && clock.monotonic() - look.atMs <= FRESH_MS;

  await lookAgain();
  addFile(facts, path);
  await send(async () => {
    // B3: scans may have arrived while the DELETE waited.
    if (!isFresh()) {
      looks += 1;
      if (looks > MOST_LOOKS) throw unproven(code, 'the rate limit delayed each DELETE after the last check for newer scans');
      return lookAgain;
    }
    // A DELETE that is sent again was delayed meanwhile.
    look = undefined;
    looks = 0;
    return undefined;
  });
  return saved;
}

/**
 * Returns the number of scans of a code, and the cost of its backup if no scans arrive, without the request that reads the code. Requests
 * page 1.
 */
export async function foreseeBackup(service: Service, { id, status }: QrCode): Promise<{ scans: number; requests: number }> {
  const [{ requestsAfter }, { readFirst, widened }] = await Promise.all([
    import('../complete/export-scans.ts'),
    import('../complete/range.ts'),
  ]);
  const read: ReadScans = (request) => service.listScans(id, request);
  const first = await readFirst(read, widened({ sinceMs: undefined, untilMs: undefined }));
  const untilMs = service.nowMs() ?? Number.POSITIVE_INFINITY;
  const after = requestsAfter(first, { isKnown: true, proveBeyond: true, untilMs });
  const pausing = status === 'active' ? 1 : 0;
  // Page 1, the pages after it, and the check for newer scans.
  return { scans: first.total, requests: pausing + 1 + after + 1 };
}

/** Returns whether there are scans that were not saved: with one request, unless the total is or may be capped. */
async function hasNewer(service: Service, id: string, { scans, untilMs }: SavedScans): Promise<boolean> {
  const { mayBeTruncated } = await import('../complete/truncated-total.ts');
  // Also one that is dated before the end, and came late.
  if (!mayBeTruncated({ total: scans, pageSize: MAX_SCANS_PAGE })) {
    const { total, times } = await service.listScans(id, { page: 1, limit: 1 });
    if (total >= scans) return total > scans || times.some((time) => time >= untilMs);
  }
  // A second wider: which bounds are inclusive, and how fine they are, is not known.
  const newest = await service.listScans(id, { page: 1, limit: MAX_SCANS_PAGE, sinceMs: untilMs - 1000 });
  return newest.total > newest.rows.length || newest.times.some((time) => time >= untilMs);
}

function unproven(code: QrCode, reason: string): UnprovenError {
  return new UnprovenError(`${quote(code.slug)} was not deleted: ${reason}`, {
    hint: 'Run the same command again when the code is scanned less often.',
  });
}
