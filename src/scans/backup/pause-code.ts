import { NotFoundError, RejectedError, UnexpectedResponseError } from '../../base/errors.ts';
import type { RunFacts } from '../../base/run/run-summary.ts';
import { codeInShell, quote } from '../../base/text/quote.ts';
import type { Clock } from '../../base/time/time.ts';
import type { Processes } from '../../files/durable/replace-file.ts';
import type { Service } from '../../service/service.ts';
import type { QrCode } from '../../service/shapes.ts';

export interface BackupContext {
  console: { note(line: string): void; warn(line: string, evenQuiet?: boolean): void };
  processes: Processes;
  facts: RunFacts;
  clock: Clock;
  signal: AbortSignal;
  service(): Promise<Service>;
}

export const OTHER_DIRECTORY = 'specify a different directory with --backup';

/** B5: the next run can restore the old status after a kill. */
export type SetStatus = (status: string) => Promise<void>;

export interface Pause {
  begin(): Promise<void>;
  /** Warns that the code may be paused. Never throws. */
  undo(reason: unknown): Promise<void>;
}

/** Creates a `pause` that bounds the heap, and throws the reason of an aborted signal. */
export function createPause({ console }: BackupContext, code: QrCode, setStatus: SetStatus): Pause {
  let isRefused = false;
  return {
    async begin() {
      if (code.status !== 'active') return;
      // B4: paused before its scans are read.
      await setStatus('paused').catch((error) => {
        if (!isRefusal(error)) throw error;
        isRefused = true;
        const refused = `The service refused to pause ${quote(code.slug)}`;
        console.note(`${refused}. Backing up the code while it is active`);
      });
    },
    async undo(reason) {
      if (isRefused || code.status !== 'active' || reason instanceof NotFoundError) return;
      await setStatus(code.status).catch((error) => {
        // A DELETE without a response may have deleted the code.
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

/** Excludes an unexpected 2xx, after which the code may be paused. */
function isRefusal(error: unknown): boolean {
  if (error instanceof RejectedError) return true;
  const { status = 0 } = error instanceof UnexpectedResponseError ? error : {};
  return status >= 400 && status < 500;
}
