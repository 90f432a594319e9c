/**
 * Pauses a code while it is backed up, so that scans which the service counts for active codes only don't arrive between its backup and its
 * DELETE. The specification doesn't state whether a paused code is scanned: the checks of back-up.ts verify it, and the pause only makes
 * them succeed.
 */
import { NotFoundError, RejectedError, UnexpectedAnswerError } from '../../base/errors.ts';
import type { RunFacts } from '../../base/run/run-summary.ts';
import { codeInShell, quote } from '../../base/text/quote.ts';
import type { Clock } from '../../base/time/time.ts';
import type { Processes } from '../../files/durable/replace-file.ts';
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

/** B5: sends the status of a code if it has another one, and remembers what it was, so that the next run can restore it after a kill. */
export type SetStatus = (status: string) => Promise<void>;

export interface Pause {
  /** Pauses an active code. If the service refuses, resolves and notes it. */
  begin(): Promise<void>;
  /** Restores the status of a code that isn't deleted, or notes that it stays paused. Never rejects. */
  undo(reason: unknown): Promise<void>;
}

/** Creates the pause of one code; `code` is as it was before a run paused it. */
export function createPause({ console }: BackupContext, code: QrCode, setStatus: SetStatus): Pause {
  let isRefused = false;
  return {
    async begin() {
      if (code.status !== 'active') return;
      // B4: before its scans are read.
      await setStatus('paused').catch((error) => {
        if (!isRefusal(error)) throw error;
        isRefused = true;
        console.note(
          `The service refused to pause ${quote(code.slug)}. Backing up the code while it is active`,
        );
      });
    },
    async undo(reason) {
      // A code that does not exist has no status.
      if (isRefused || code.status !== 'active' || reason instanceof NotFoundError) return;
      await setStatus(code.status).catch((error) => {
        // A DELETE whose response was lost has deleted it.
        if (error instanceof NotFoundError) return;
        const command = `qrctl qr update ${codeInShell(code)} --status ${code.status}`;
        const what = `${quote(code.slug)} was not deleted and may still be paused (it was ${code.status})`;
        console.warn(
          `${what}. Run the command again to delete the code, or restore its status with \`${command}\``,
          true,
        );
      });
    },
  };
}

/** Returns whether the service's response shows that it did not pause the code. After an unexpected 2xx, it may have. */
function isRefusal(error: unknown): boolean {
  if (error instanceof RejectedError) return true;
  return (
    error instanceof UnexpectedAnswerError &&
    error.status !== undefined &&
    error.status >= 400 &&
    error.status < 500
  );
}
