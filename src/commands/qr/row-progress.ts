/** The progress line of a bulk run: done, failed, left, and the time to go under the limit. */

import type { Context } from '../../context.ts';
import { costOf } from '../../limit/rate-limit.ts';
import type { Service } from '../../service/service.ts';
import { formatDuration } from '../../time.ts';

export interface RowProgress {
  /** One row more is done, or failed. */
  count(done: boolean): void;
  /** Waits for slow writes to land. */
  settling(ms: number): void;
  stop(): void;
}

/** `rows` are to be done; `verb` says what done means: `created`. */
export function showRowProgress({ console }: Context, service: Service, rows: number, verb: string): RowProgress {
  const progress = console.progress('rows');
  let done = 0;
  let failed = 0;
  const draw = (more?: string) => {
    const left = rows - done - failed;
    const { waitMs } = costOf(left, service.rateLimit());
    const toGo = waitMs > 0 ? `about ${formatDuration(waitMs)} to go` : undefined;
    const parts = [`${done} ${verb}`, `${failed} failed`, `${left} left`, more ?? toGo];
    progress.update({ done: done + failed, total: rows, detail: parts.filter(Boolean).join(', ') });
  };
  draw();
  return {
    count(isDone) {
      if (isDone) done += 1;
      else failed += 1;
      draw();
    },
    settling(ms) {
      const why = `answers were lost: waiting ${formatDuration(ms)} to see what was created`;
      console.note(why);
      draw('waiting for slow writes');
    },
    stop: progress.stop,
  };
}
