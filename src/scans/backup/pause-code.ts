/**
 * Pauses a code while it is backed up, so that scans which the service counts for active codes only don't arrive between its backup and its
 * DELETE. The specification doesn't state whether a paused code is scanned: the checks of back-up.ts verify it, and the pause only makes
 * them succeed.
 */
import { basename, dirname, join } from 'node:path';
import { NotFoundError, RejectedError, UnexpectedAnswerError } from '../../base/errors.ts';
import type { RunFacts } from '../../base/run/run-summary.ts';
import { parseBounded } from '../../base/text/bounded-json.ts';
import { codeInShell, quote } from '../../base/text/quote.ts';
import type { Clock } from '../../base/time/time.ts';
import { ifPresent } from '../../files/durable/disk.ts';
import { readBack, removeFile } from '../../files/durable/held-directory.ts';
import { nodeDisk } from '../../files/durable/node-disk.ts';
import { cannotOpen } from '../../files/durable/path-errors.ts';
import type { Processes } from '../../files/durable/replace-file.ts';
import { realPath } from '../../files/durable/trusted-file.ts';
import { writeWholeFile } from '../../files/formats/whole-file.ts';
import { isObject } from '../../service/json.ts';
import type { Service } from '../../service/service.ts';
import type { QrCode } from '../../service/shapes.ts';

/** The parts of a command's context that a backup uses. */
export interface BackupContext {
  console: { note(line: string): void; warn(line: string, evenQuiet?: boolean): void };
  processes: Processes;
  facts: RunFacts;
  clock: Clock;
  signal: AbortSignal;
  service(): Promise<Service>;
}

/** Alternative if the directory can't be used. */
export const OTHER_DIRECTORY = 'specify a different directory with --backup';
const MOST_BYTES = 64 * 1024 * 1024;

export interface Pause {
  /** The code as it was before a run paused it: this one, or one that was killed. */
  readonly before: QrCode;
  /** Pauses an active code. If the service refuses, resolves and notes it. */
  begin(): Promise<void>;
  /** Removes the record of the pause, because the code is deleted. */
  end(): Promise<void>;
  /** Restores the status of a code that isn't deleted, or notes that it stays paused. Never rejects. */
  undo(reason: unknown): Promise<void>;
}

/**
 * Creates the Pause of one code. `place` is the path of its backup without an extension: `PLACE.paused.json` records the code as it was, from before
 * its PATCH is sent until it is deleted or has its status again. So the next run can complete the work of a killed one.
 */
export async function openPause(context: BackupContext, place: string, code: QrCode): Promise<Pause> {
  const path = `${place}.paused.json`;
  const kept = code.status === 'paused' ? await readPauseRecord(path, code) : undefined;
  const before = kept ?? code;
  let mayBePaused = kept !== undefined;
  const removeRecord = () => removePauseRecord(place);

  return {
    before,
    async begin() {
      if (code.status !== 'active') return;
      const content = `${JSON.stringify(code, null, 2)}\n`;
      // B5: on disk before the PATCH, so that the run after a kill can restore the status.
      await writeWholeFile(path, content, { processes: context.processes, elsewhere: OTHER_DIRECTORY, keeps: true });
      mayBePaused = true;
      // B4: before its scans are read.
      const service = await context.service();
      await service.updateCode(code.id, { status: 'paused' }).catch(async (error) => {
        if (!isRefusal(error)) throw error;
        mayBePaused = false;
        await removeRecord();
        context.console.note(`The service refused to pause ${quote(code.slug)}. Backing up the code while it is active`);
      });
    },
    end: removeRecord,
    async undo(reason) {
      if (!mayBePaused) return;
      try {
        const service = await context.service();
        if (!(reason instanceof NotFoundError)) await service.updateCode(code.id, { status: before.status });
        await removeRecord();
      } catch (error) {
        // A DELETE whose response was lost has deleted it.
        if (error instanceof NotFoundError) return removeRecord();
        const command = `qrctl qr update ${codeInShell(code)} --status ${before.status}`;
        const what = `${quote(code.slug)} was not deleted and may still be paused (it was ${before.status})`;
        context.console.warn(
          `${what}. Run the command again to delete the code, or restore its status with \`${command}\``,
          true,
        );
      }
    },
  };
}

/**
 * Removes `PLACE.paused.json`, also below a relative directory or a link to one; ignores errors. If it is a link, only the link is removed: its target
 * is not a file of this run (B7).
 */
export async function removePauseRecord(place: string): Promise<void> {
  await realPath(nodeDisk, dirname(place))
    .then((directory) => removeFile(nodeDisk, join(directory, `${basename(place)}.paused.json`)))
    .catch(() => undefined);
}

/** Returns whether the service's response shows that it did not pause the code. After an unexpected 2xx, it may have. */
function isRefusal(error: unknown): boolean {
  if (error instanceof RejectedError) return true;
  return error instanceof UnexpectedAnswerError && error.status !== undefined && error.status >= 400 && error.status < 500;
}

/** Returns the code as a killed run found it, with later changes; undefined if no run paused it. */
async function readPauseRecord(path: string, code: QrCode): Promise<QrCode | undefined> {
  try {
    const bytes = await ifPresent(readBack(nodeDisk, path, MOST_BYTES));
    const kept: unknown = bytes && parseBounded(bytes.toString('utf8'));
    if (!isObject(kept) || kept.id !== code.id || kept.status !== 'active') return undefined;
    const isSame = kept.name === code.name && kept.destination === code.destination;
    return { ...code, status: 'active', ...(isSame && { updated_at: String(kept.updated_at) }) };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw cannotOpen(`read ${path}`, error, OTHER_DIRECTORY);
  }
}
