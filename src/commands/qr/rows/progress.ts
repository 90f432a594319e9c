/** Shows the progress of a run over rows, and says what it waits for. */
import { countOf, quote } from '../../../base/text/quote.ts';
import { formatDuration } from '../../../base/time/time.ts';
import type { RunEvent } from '../../../codes/engine/executor/job.ts';
import type { Plan } from '../../../codes/engine/plan/model.ts';
import { hasChanges } from '../../../codes/engine/plan/values.ts';
import type { Context } from '../../../context.ts';
import { costOf } from '../../../service/rate-limit/rate-limit.ts';
import type { Service } from '../../../service/service.ts';

export interface RunProgress {
  /** Shows the progress bar of a plan; nothing if it sends nothing. */
  begin(plan: Plan): void;
  take(event: RunEvent): void;
  stop(): void;
}

/** Creates the progress of a run; `verb` names the success: `created`. */
export function createProgress({ console }: Context, service: Service, verb: string): RunProgress {
  let progress: ReturnType<typeof console.progress> | undefined;
  const counts = { rows: 0, done: 0, failed: 0 };

  function draw(more?: string): void {
    const { rows, done, failed } = counts;
    const left = rows - done - failed;
    const { waitMs } = costOf(left, service.rateLimit());
    const parts = [`${done} ${verb}`, `${failed} failed`, `${left} left`, more];
    progress?.update({
      done: done + failed,
      before: 0,
      total: rows,
      waitMs,
      detail: parts.filter(Boolean).join(', '),
    });
  }

  return {
    begin({ items }) {
      counts.rows = items.filter(
        ({ action, send }) => action === 'create' || action === 'delete' || hasChanges(send),
      ).length;
      if (counts.rows === 0) return;
      progress = console.progress('rows');
      draw();
    },
    take(event) {
      switch (event.is) {
        case 'done':
          counts.done += 1;
          return draw();
        case 'failed':
          counts.failed += 1;
          return draw();
        case 'waiting':
          console.note(
            `Waiting ${formatDuration(event.ms)}, then checking which codes were created: a response was lost, or a request repeated`,
          );
          return draw('waiting for slow writes');
        case 'restored':
          return console.note(
            `Restored the status of ${quote(event.code.slug)}, which an interrupted backup had paused`,
          );
        case 'still-paused':
          return console.warn(`${quote(event.code.slug)} is still paused after an interrupted backup`);
        case 'lost':
          return;
      }
    },
    stop: () => progress?.stop(),
  };
}

/** Words a number of rows with what they need. */
export function noteUnusedFlags({ console }: Context, fields: readonly string[], rows: number): void {
  for (const field of fields)
    console.warn(
      `--${field} had no effect: the column ${quote(field)} has a value in each of ${countOf(rows, 'row')}`,
    );
}
