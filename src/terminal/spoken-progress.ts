/** Progress for a screen reader: a plain line now and then, and nothing that is drawn again. */
import { type Clock, every, formatDuration } from '../base/time/time.ts';
import type { Progress } from './progress.ts';
import { describeWork, type Work } from './progress-bar.ts';

/** Often enough to hear that the work goes on, seldom enough to hear anything else. */
const LINE_MS = 30_000;
/** How often that is looked at, because pauses move it. */
const LOOK_MS = 1000;

/** Creates progress that notes one line per 30 seconds of work, pauses left out, and one per pause, each with the work done so far. */
export function createSpokenProgress(
  unit: string,
  note: (line: string) => void,
  clock: Clock,
  startTicking: typeof every = every,
): Progress {
  const started = clock.monotonic();
  let work: Work | undefined;
  let pausedMs = 0;
  let pausedSince: number | undefined;
  let toldMs = 0;
  const workedMs = () => (pausedSince ?? clock.monotonic()) - started - pausedMs;
  const tell = () => {
    const elapsedMs = workedMs();
    if (pausedSince !== undefined || work === undefined || elapsedMs - toldMs < LINE_MS) return;
    toldMs = elapsedMs;
    note(`Working for ${formatDuration(elapsedMs)}: ${describeWork({ unit, ...work, elapsedMs })}`);
  };
  const stop = startTicking(LOOK_MS, tell);
  return {
    update(next) {
      work = next;
    },
    pause(ms) {
      if (pausedSince !== undefined) pausedMs += clock.monotonic() - pausedSince;
      pausedSince = clock.monotonic();
      // A run that mostly waits would otherwise never say how far it is.
      const far =
        work === undefined
          ? ''
          : `: ${describeWork({ unit, ...work, elapsedMs: workedMs(), pauseLeftMs: ms })}`;
      note(`Waiting ${formatDuration(ms)} for the rate limit${far}`);
    },
    resume() {
      if (pausedSince !== undefined) pausedMs += clock.monotonic() - pausedSince;
      pausedSince = undefined;
    },
    stop,
  };
}
