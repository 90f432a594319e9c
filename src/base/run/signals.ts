/** How signals end a run: the first leaves a command time to put things in order, the second does not. */
import { exitCodeOf, InterruptedError } from '../errors.ts';
import { after } from '../time/time.ts';

/** Work that has not ended this long after the first signal (a write to a pipe without a reader) is ended by force. */
const GRACE_MS = 1500;

/** The first SIGINT, SIGTERM or SIGHUP aborts the signal, so that a command can leave things tidy; a second ends at once. */
export function listenForSignals(process: NodeJS.Process) {
  const controller = new AbortController();
  const onSignal = (name: NodeJS.Signals) => {
    const reason = new InterruptedError(name === 'SIGINT' ? 'SIGINT' : 'SIGTERM');
    if (controller.signal.aborted) endByForce(reason);
    controller.abort(reason);
    after(GRACE_MS, () => endByForce(reason));
  };
  const endByForce = (reason: InterruptedError) => {
    // `process.exit` waits for blocked threads: for a FIFO without a writer, a name server that does not respond. A signal does not.
    const stuck = process.getActiveResourcesInfo().some((name) => /^(FSReq|GetAddrInfoReq)/.test(name));
    process.off(reason.signal, onSignal);
    if (stuck) process.kill(process.pid, reason.signal);
    process.exit(exitCodeOf(reason));
  };
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const name of names) process.on(name, onSignal);
  // A file that would exceed `ulimit -f` is a failed write (EFBIG) with a listener, and the end of the process without one. Windows has
  // neither.
  const stayAlive = () => undefined;
  if (process.platform !== 'win32') process.on('SIGXFSZ', stayAlive);
  return {
    signal: controller.signal,
    abort: (reason: unknown) => controller.abort(reason),
    stopListening() {
      for (const name of names) process.off(name, onSignal);
      process.off('SIGXFSZ', stayAlive);
    },
  };
}
