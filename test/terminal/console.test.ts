import { PassThrough, Writable } from 'node:stream';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ClosedPipeError, InterruptedError, LocalError, UsageError } from '#base/errors';
import { loadColors } from '#terminal/color';
import { type ConsoleOptions, createConsole } from '#terminal/console';
import { fakeClock } from '../support/clock.ts';

const ESC = '\x1b';
const BAR = `${ESC}[?7l0 scans${ESC}[?7h\r`;

function setUp({ tty = false, ...options }: Partial<ConsoleOptions> & { tty?: boolean } = {}) {
  const stream = () => Object.assign(new PassThrough(), { isTTY: tty, columns: 60 });
  const streams = { stdin: stream(), stdout: stream(), stderr: stream() };
  const closed: true[] = [];
  const console = createConsole({
    ...streams,
    env: {},
    quiet: false,
    verbose: false,
    noColor: false,
    clock: fakeClock(),
    signal: new AbortController().signal,
    onClosedPipe: () => closed.push(true),
    ...options,
  });
  const said = () => String(streams.stderr.read() ?? '');
  /** Types when the next question is on the screen. */
  const type = async (...keys: string[]) => {
    while (streams.stderr.readableLength === 0) await new Promise((resolve) => setImmediate(resolve));
    for (const key of keys) streams.stdin.write(key);
  };
  return { console, ...streams, said, type, closed };
}

/** A stream whose writes fail with a system error. */
function broken(code: string): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done(Object.assign(new Error(code), { code })) });
}

describe('standard output', () => {
  test('receives only data, while standard error receives notes', async () => {
    const { console, stdout, said } = setUp();
    console.note('a note');
    await console.write('data\n');
    await console.write(Buffer.from('more\n'));
    expect(String(stdout.read())).toBe('data\nmore\n');
    expect(said()).toBe('a note\n');
  });

  test('completes a write only after a slow reader has accepted the data', async () => {
    let release: () => void = () => undefined;
    const slow = new Writable({
      write: (_chunk, _encoding, done) => {
        release = done;
      },
    });
    const { console } = setUp({ stdout: slow });
    let accepted = false;
    const written = console.write('data').then(() => {
      accepted = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(accepted).toBe(false);
    release();
    await written;
  });

  test('reports a closed pipe once, and rejects the next write, too', async () => {
    const { console, closed } = setUp({ stdout: broken('EPIPE') });
    await expect(console.write('a')).rejects.toThrow(ClosedPipeError);
    await expect(console.write('b')).rejects.toThrow(ClosedPipeError);
    expect(closed).toHaveLength(1);
  });

  test('reports an error from its device, and rejects the next write with that error', async () => {
    const { console, closed } = setUp({ stdout: broken('EIO') });
    const failure = await console.write('a').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(LocalError);
    expect(failure).toMatchObject({
      message: 'cannot write to standard output: the device reported an input/output error (EIO)',
      hint: expect.stringContaining('incomplete'),
    });
    await expect(console.write('b')).rejects.toBe(failure);
    expect(closed).toEqual([]);
  });
});

describe('standard error', () => {
  test.each(['EPIPE', 'ENOSPC', 'EIO'])(
    'may fail without an effect on standard output (%s)',
    async (code) => {
      const { console, stdout } = setUp({ stderr: broken(code), verbose: true });
      console.note('a');
      console.warn('b');
      console.verbose('c');
      const progress = console.progress('scans');
      progress.pause(1000);
      progress.stop();
      await console.write('data');
      expect(String(stdout.read())).toBe('data');
    },
  );

  test('shows one line per note, with invisible characters escaped', () => {
    const { console, said } = setUp();
    console.note(`name: a${ESC}[2J\nqrctl: forged\u202e`);
    expect(said()).toBe('name: a\\x1b[2J\\nqrctl: forged\\u{202e}\n');
  });

  test('omits notes, warnings and progress with --quiet', () => {
    const { console, said } = setUp({ quiet: true, tty: true });
    console.note('a');
    console.warn('b');
    const progress = console.progress('scans');
    progress.pause(1000);
    progress.stop();
    expect(said()).toBe('');
  });

  test('shows no progress bar if standard output is piped to another program', () => {
    const { console, said } = setUp({ tty: true, isPiped: () => true });
    console.progress('scans').update({ done: 5 });
    expect(said()).toBe('');
  });

  test('wraps notes between words only if it is a terminal', () => {
    const long =
      'the results of this run, and what is not done yet, are in /a/path/that-is-longer/than-what-is-left-of-the-line.csv';
    const { console, said } = setUp({ tty: true });
    console.note(long);
    expect(said().split('\n')).toEqual([
      'the results of this run, and what is not done yet, are in',
      '  /a/path/that-is-longer/than-what-is-left-of-the-line.csv',
      '',
    ]);
    const plain = setUp();
    plain.console.note(long);
    expect(plain.said()).toBe(`${long}\n`);
  });

  test('shows verbose lines only with --verbose, each preceded by the time', () => {
    const { console, said } = setUp({ verbose: true });
    console.verbose('GET /qr 200');
    expect(said()).toBe('2026-01-15T12:00:00.000Z GET /qr 200\n');
    const other = setUp();
    other.console.verbose('GET /qr 200');
    expect(other.said()).toBe('');
  });

  test('shows at most 4,000 characters of a note', () => {
    const { console, said } = setUp();
    console.note('x'.repeat(4000));
    expect(said()).toBe(`${'x'.repeat(4000)}\n`);
    console.note('x'.repeat(4001));
    expect(said()).toBe(`${'x'.repeat(4000)}…\n`);
  });

  test('is 80 columns wide if the terminal does not report its width', () => {
    const { console, said, stderr } = setUp({ tty: true });
    stderr.columns = 0;
    console.note(`${'x'.repeat(70)} ${'y'.repeat(9)} z`);
    expect(said()).toBe(`${'x'.repeat(70)} ${'y'.repeat(9)}\n  z\n`);
  });
});

test.each<[number | undefined, string | undefined, number]>([
  [60, undefined, 60],
  [60, '100', 60],
  [undefined, '100', 100],
  [0, '1', 1],
  [undefined, '0', 80],
  [undefined, '-5', 80],
  [undefined, '99.5', 80],
  [undefined, 'wide', 80],
  [undefined, undefined, 80],
])('the width of a terminal with %s columns and the variable COLUMNS=%s is %d', (columns, COLUMNS, width) => {
  const stdout = Object.assign(new PassThrough(), { columns });
  expect(setUp({ stdout, env: { COLUMNS } }).console.width).toBe(width);
});

describe('color', () => {
  test.each<[Record<string, string>, { tty: boolean; noColor?: boolean }, boolean]>([
    [{}, { tty: true }, true],
    [{}, { tty: false }, false],
    [{}, { tty: true, noColor: true }, false],
    [{ NO_COLOR: '1' }, { tty: true }, false],
    [{ NO_COLOR: '' }, { tty: true }, true],
    [{ NO_COLOR: '1', FORCE_COLOR: '1' }, { tty: true }, false],
    [{ FORCE_COLOR: '1' }, { tty: false }, true],
    [{ FORCE_COLOR: 'true' }, { tty: false }, true],
    [{ FORCE_COLOR: '3' }, { tty: false }, true],
    [{ FORCE_COLOR: '0' }, { tty: true }, false],
    [{ FORCE_COLOR: 'false' }, { tty: true }, false],
    [{ FORCE_COLOR: '1' }, { tty: false, noColor: true }, false],
    [{ TERM: 'dumb' }, { tty: true }, false],
    [{ TERM: 'dumb', FORCE_COLOR: '1' }, { tty: true }, true],
  ])('with the variables %j and the options %j is used: %s', async (env, { tty, noColor = false }, color) => {
    const { console, said } = setUp({ env, tty, noColor });
    expect(console.color).toBe(color);
    await loadColors(true);
    console.warn('look out');
    expect(said()).toBe(color ? `${ESC}[33mwarning:${ESC}[39m look out\n` : 'warning: look out\n');
  });
});

describe('progress', () => {
  test('is a bar on a terminal, drawn when it is created and removed when it stops', () => {
    const { console, said } = setUp({ tty: true });
    const progress = console.progress('scans');
    expect(said()).toBe(BAR);
    progress.stop();
    progress.stop();
    expect(said()).toBe(`\r${ESC}[J`);
  });

  test('is hidden while notes, or data on the same terminal, are printed', async () => {
    const { console, stdout, said } = setUp({ tty: true });
    console.progress('scans');
    console.note('above');
    await console.write('row\n');
    expect(said()).toBe(`${BAR}\r${ESC}[Jabove\n${BAR}\r${ESC}[J${BAR}`);
    expect(String(stdout.read())).toBe('row\n');
  });

  test('is not redrawn for data that is written to a file', async () => {
    const stdout = new PassThrough();
    const { console, said } = setUp({ tty: true, stdout });
    const progress = console.progress('scans');
    expect(console.activeProgress()).toBe(progress);
    await console.write('row\n');
    progress.stop();
    expect(said()).toBe(`${BAR}\r${ESC}[J`);
    expect(String(stdout.read())).toBe('row\n');
  });

  test('is not shown if data is written to a terminal without a progress bar', async () => {
    const { console, stdout, said } = setUp({ tty: true });
    await console.write('row\n');
    expect(String(stdout.read())).toBe('row\n');
    expect(said()).toBe('');
  });

  test.each<[string, Record<string, string>, boolean]>([
    ['off a terminal', {}, false],
    ['in CI', { CI: 'true' }, true],
    ['on a dumb terminal', { TERM: 'dumb' }, true],
  ])('is only one plain line per pause %s', (_where, env, tty) => {
    const { console, said } = setUp({ env, tty });
    const progress = console.progress('scans');
    progress.update({ done: 500, total: 1000 });
    progress.pause(42_000);
    progress.resume();
    progress.stop();
    expect(said()).toBe('Waiting 42 s for the rate limit\n');
  });
});

describe('for a screen reader', () => {
  const isAccessible = () => true;

  test('a question is printed as a plain line, and the reply is read as a line', async () => {
    const { console, type, said } = setUp({ tty: true, isAccessible });
    const answer = console.ask('Delete 2 codes?');
    await type('yes\n');
    expect(await answer).toBe('yes');
    expect(said()).toBe('Delete 2 codes? ');
  });

  test('a question ends with an error if it is aborted or its input ends', async () => {
    const ended = setUp({ tty: true, isAccessible });
    const first = ended.console.ask('?');
    ended.stdin.end();
    await expect(first).rejects.toThrow(UsageError);

    const controller = new AbortController();
    const aborted = setUp({ tty: true, isAccessible, signal: controller.signal });
    const second = aborted.console.ask('?');
    await new Promise((resolve) => setImmediate(resolve));
    controller.abort(new InterruptedError('SIGINT'));
    await expect(second).rejects.toThrow(InterruptedError);
  });
});

describe('questions', () => {
  test.each<[Record<string, string>, boolean, boolean]>([
    [{}, true, true],
    [{ CI: '1' }, true, false],
    [{ CI: 'false' }, true, true],
    [{}, false, false],
  ])('with the variables %j on a terminal (%s) can be asked: %s', (env, tty, canAsk) => {
    expect(setUp({ env, tty }).console.canAsk).toBe(canAsk);
    expect(setUp({ env, tty, stdin: new PassThrough() }).console.canAsk).toBe(false);
  });

  test('that are wrapped are printed once, and only their last line is redrawn', async () => {
    const { console, type, said } = setUp({ tty: true });
    const start = 'Delete spring-menu and 11 other codes with all their scans?';
    const answer = console.ask(`${start} Type the number of codes:`);
    await type('12', '\x08', '\r');
    expect(await answer).toBe('1');
    const [first, ...rest] = said().split('\n');
    expect(first).toBe(start);
    expect(rest.join('\n')).toContain('  Type the number of codes: 1');
    expect(rest.join('\n')).not.toContain('Delete');
  });

  test('return the typed line as the reply', async () => {
    const { console, type, said } = setUp({ tty: true });
    const answer = console.ask('Delete 2 codes?');
    await type('yes\r');
    expect(await answer).toBe('yes');
    expect(said()).toContain('Delete 2 codes? ');
  });

  test('for secrets echo nothing, and accept backspace and text pasted in several parts', async () => {
    const { console, type, said } = setUp({ tty: true });
    const answer = console.askSecret('Key:');
    await type('svc_live_aX', '\x7f', 'bc\x08d', '\r');
    expect(await answer).toBe('svc_live_abd');
    expect(said()).toBe('Key: \n');
  });

  test('on a dumb terminal leave line editing to the terminal, except for secrets', async () => {
    vi.stubEnv('TERM', 'dumb');
    onTestFinished(() => void vi.unstubAllEnvs());
    const { console, stdin, type, said } = setUp({ env: { TERM: 'dumb' }, tty: true });
    const secret = console.askSecret('Key:');
    await type('svc_live_aX', '\x7f', 'bc\x08d', '\r');
    expect(await secret).toBe('svc_live_abd');
    expect(said()).toBe('Key: \n');
    const setRawMode = vi.fn();
    Object.assign(stdin, { setRawMode });
    const answer = console.ask('Delete 2 codes?');
    await type('yes\n');
    expect(await answer).toBe('yes');
    expect(setRawMode).not.toHaveBeenCalledWith(true);
  });

  test('that are asked one after the other return separate replies', async () => {
    const { console, type, said } = setUp({ tty: true });
    const first = console.ask('Profile:');
    await type('work\r');
    expect(await first).toBe('work');
    said();
    const second = console.askSecret('Key:');
    await type('svc\r');
    expect(await second).toBe('svc');
  });

  test.each(['ask', 'askSecret'] as const)('from %s continue after Ctrl-Z and `fg`', async (ask) => {
    const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
    onTestFinished(() => kill.mockRestore());
    const { console, stdin, type, said } = setUp({ tty: true });
    const answer = console[ask]('Key:');
    await type('ab', '\x1a');
    expect(kill).toHaveBeenCalledWith(process.pid, 'SIGTSTP');
    process.emit('SIGCONT', 'SIGCONT');
    expect(stdin.isPaused()).toBe(false);
    await type('c', '\r');
    expect(await answer).toBe('abc');
    expect(said().split('Key: ').length).toBeGreaterThan(2);
  });

  test.each(['ask', 'askSecret'] as const)(
    'from %s fail as interrupted on Ctrl-C, as a usage error on Ctrl-D, and with the reason on an abort',
    async (ask) => {
      const interrupted = setUp({ tty: true });
      const first = interrupted.console[ask]('?');
      interrupted.stdin.write('ab\x03');
      await expect(first).rejects.toThrow(InterruptedError);

      const ended = setUp({ tty: true });
      const second = ended.console[ask]('?');
      ended.stdin.write('\x04');
      await expect(second).rejects.toThrow(UsageError);
      expect(ended.said().match(/\n/g)).toHaveLength(1);

      const controller = new AbortController();
      const aborted = setUp({ tty: true, signal: controller.signal });
      const third = aborted.console[ask]('?');
      await new Promise((resolve) => setImmediate(resolve));
      controller.abort(new InterruptedError('SIGTERM'));
      await expect(third).rejects.toThrow('terminated');
      await expect(aborted.console[ask]('?')).rejects.toThrow('terminated');
    },
  );
});
