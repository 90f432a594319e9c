import { EventEmitter } from 'node:events';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { InterruptedError } from '#base/errors';
import { listenForSignals } from '#base/run/signals';

function listen(platform: string, resources: string[] = []) {
  const exit = vi.fn();
  const kill = vi.fn();
  const process = Object.assign(new EventEmitter(), {
    platform,
    pid: 42,
    exit,
    kill,
    getActiveResourcesInfo: () => resources,
  });
  const listener = listenForSignals(process as unknown as NodeJS.Process);
  return { process, exit, kill, ...listener };
}

describe('a process that listens for signals', () => {
  test.each([
    ['SIGINT', 'SIGINT', 130],
    ['SIGTERM', 'SIGTERM', 143],
    ['SIGHUP', 'SIGTERM', 143],
  ] as const)('aborts at the first %s, and ends as if by %s at the second', (name, reason, exitCode) => {
    const { process, signal, exit, kill } = listen('linux');
    process.emit(name, name);
    expect(signal.reason).toEqual(new InterruptedError(reason));
    expect(exit).not.toHaveBeenCalled();
    process.emit(name, name);
    expect(exit.mock.calls).toEqual([[exitCode]]);
    expect(kill).not.toHaveBeenCalled();
  });

  test.each(['FSReqCallback', 'FSReqPromise', 'GetAddrInfoReqWrap'])(
    'sends the signal to itself at the second SIGTERM if a thread is blocked in %s',
    (resource) => {
      const { process, kill } = listen('linux', ['Timeout', resource]);
      process.emit('SIGTERM', 'SIGTERM');
      process.emit('SIGTERM', 'SIGTERM');
      expect(kill.mock.calls).toEqual([[42, 'SIGTERM']]);
      expect(process.listenerCount('SIGTERM')).toBe(0);
    },
  );

  test('ends 1.5 s after the first signal', () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { process, exit } = listen('linux');
    process.emit('SIGINT', 'SIGINT');
    vi.advanceTimersByTime(1499);
    expect(exit).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(exit.mock.calls).toEqual([[130]]);
  });

  test('listens for SIGXFSZ except on Windows, and has no listeners after stopListening()', () => {
    const [linux, windows] = [listen('linux'), listen('win32')];
    const names = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGXFSZ'];
    expect([linux, windows].map(({ process }) => process.eventNames())).toEqual([names, names.slice(0, 3)]);
    linux.process.emit('SIGXFSZ');
    linux.stopListening();
    expect(linux.process.eventNames()).toEqual([]);
    expect(linux.signal.aborted).toBe(false);
    linux.abort('closed');
    expect(linux.signal.reason).toBe('closed');
  });
});
