import { exitCodeOf, InterruptedError } from '#base/errors';
import { after } from '#base/time/time';

const GRACE_MS = 1500;

/** Aborts the run at the first signal. Ends the process at the second, or 1.5 s after the first. */
export function listenForSignals(process: NodeJS.Process) {
  const controller = new AbortController();
  const onSignal = (name: NodeJS.Signals) => {
    const reason = new InterruptedError(name === 'SIGINT' ? 'SIGINT' : 'SIGTERM');
    if (controller.signal.aborted) endByForce(reason);
    controller.abort(reason);
    after(GRACE_MS, () => endByForce(reason));
  };
  const endByForce = (reason: InterruptedError) => {
    // Ends by signal if a FIFO or name server blocks a thread, because `process.exit` would wait.
    const stuck = process.getActiveResourcesInfo().some((name) => /FSReq|GetAddrInfoReq/.test(name));
    process.off(reason.signal, onSignal);
    if (stuck) process.kill(process.pid, reason.signal);
    process.exit(exitCodeOf(reason));
  };
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const name of names) process.on(name, onSignal);
  // Listens for SIGXFSZ, so that a write beyond `ulimit -f` fails (EFBIG) instead of ending the process.
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
