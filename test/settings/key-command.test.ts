import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { AuthError, InterruptedError, UsageError } from '#base/errors';
import { inShell } from '#base/text/quote';
import { systemClock } from '#base/time/time';
import { commandHint, parseKeyCommand } from '#settings/key-command';
import { loadKey } from '#settings/load-key';
import type { CommandProblem } from '#settings/planted';
import { resolveSettings } from '#settings/resolve';
import { until } from '../support/cli.ts';
import { temporaryDirectory } from './temporary.ts';

const KEY = 'svc_live_canaryCANARYcanary';
const BASE = 'https://qr.example/api/v1';

interface Limits {
  signal?: AbortSignal;
  timeoutMs?: number;
  problem?: CommandProblem;
}

/** Runs a script as the key-command of a profile. */
async function load(
  script: string,
  { signal = new AbortController().signal, timeoutMs = 20_000, problem }: Limits = {},
) {
  const told: string[] = [];
  const profile = { baseUrl: BASE, keyBaseUrl: BASE, keyCommand: `sh -c ${inShell(script)}` };
  const stored = { current: undefined, profiles: new Map([['default', profile]]), commandProblem: problem };
  const settings = resolveSettings({}, {}, stored);
  expect(settings).toMatchObject({ apiKey: undefined, keySource: 'command' });
  const env = { PATH: process.env.PATH, QRCTL_API_KEY: 'svc_live_other' };
  const note = (line: string) => told.push(line);
  const { apiKey } = await loadKey(settings, {
    env,
    clock: systemClock,
    signal,
    canAsk: false,
    note,
    timeoutMs,
  });
  return { apiKey, told };
}

describe('a key-command', () => {
  test('provides the key in its first line of output, and its standard error is printed with the key redacted', async () => {
    // The shell puts the parts together: a command line with a key in it is refused.
    const script = `key=$(printf %s%s svc_live_ ${KEY.slice('svc_live_'.length)}); echo "unlocking $key" >&2; printf '%s\\r\\n\\n' $key`;
    expect(await load(script)).toEqual({ apiKey: KEY, told: ['key-command: unlocking svc_live_cana…'] });
  });

  test('runs without QRCTL_API_KEY in its environment, and with empty standard input', async () => {
    const file = join(temporaryDirectory(), 'env');
    await load(`env > ${file}; cat; echo ${'x'.repeat(9)}`);
    expect(readFileSync(file, 'utf8')).not.toContain('QRCTL_API_KEY');
  });

  test('provides the key without waiting for a process that it started in the background', async () => {
    const started = systemClock.monotonic();
    expect((await load('sleep 20 & echo abcdefgh; echo the account')).apiKey).toBe('abcdefgh');
    expect(systemClock.monotonic() - started).toBeLessThan(10_000);
  });

  test.each([
    [
      'fails',
      'echo "vault is locked" >&2; exit 4',
      'the key-command failed with exit code 4: vault is locked',
    ],
    ['is killed', 'kill -9 $$', 'the key-command was ended by SIGKILL'],
    ['prints nothing', 'true', 'the key-command printed no key on its first line'],
    [
      'prints a key that no header can hold',
      'echo a b',
      'the key from the key-command contains an invalid character',
    ],
    [
      'prints a key of more than 512 characters',
      'head -c 600 /dev/zero | tr "\\0" x',
      'the key from the key-command is longer than 512 characters',
    ],
    ['prints without end', 'yes', 'the key-command printed far more than a key'],
  ])('that %s is refused with an error that states this reason', async (_, script, words) => {
    const refusal = await load(script).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(AuthError);
    expect(String(refusal)).toContain(words);
  });

  test('that exceeds its time limit is ended with its process group, even if it ignores SIGTERM', async () => {
    const file = join(temporaryDirectory(), 'pid');
    const script = `trap '' TERM; (trap '' TERM; sleep 60) & echo $! > ${file}; wait`;
    await expect(load(script, { timeoutMs: 700 })).rejects.toThrow(
      'the key-command did not finish within 0.7 s and was ended',
    );
    await until(() => !isRunning(Number(readFileSync(file, 'utf8'))));
  });

  test('is ended if the run is interrupted by Ctrl-C', async () => {
    const file = join(temporaryDirectory(), 'pid');
    const abort = new AbortController();
    const loading = load(`echo $$ > ${file}; sleep 60`, { signal: abort.signal });
    await until(() => existsSync(file) && readFileSync(file, 'utf8').includes('\n'));
    abort.abort(new InterruptedError('SIGINT'));
    await expect(loading).rejects.toThrow(InterruptedError);
    await until(() => !isRunning(Number(readFileSync(file, 'utf8'))));
  });

  test('is not run if another user may have written it', async () => {
    const file = join(temporaryDirectory(), 'ran');
    const refused = load(`touch ${file}`, {
      problem: { reason: 'the config file belongs to user 7', hint: '', isOpen: false },
    });
    await expect(refused).rejects.toThrow('cannot run the key-command: the config file belongs to user 7');
    expect(existsSync(file)).toBe(false);
  });

  test.each([
    ['', 'it is empty'],
    ['  ', 'it is empty'],
    ["''", 'it is empty'],
    ['./key.sh', './key.sh depends on the current directory'],
    ['tools/key.sh', 'tools/key.sh depends on the current directory'],
    ['tools\\key.exe', 'tools\\key.exe depends on the current directory'],
    ['cat key | head -1', 'it runs without a shell, so an unquoted | has no effect'],
    ["cat 'key", "it has an opening ' without a closing one"],
    ['cat "key', 'it has an opening " without a closing one'],
    ['cat \0', 'it contains a NUL character'],
    [`echo ${KEY}`, 'it contains an API key, and other users can read arguments'],
  ])('is refused by parseKeyCommand if it is %j', (line, reason) => {
    const hints: Readonly<Record<string, string>> = {
      'it is empty': 'Specify a command that prints the key, such as `op read op://VAULT/ITEM/FIELD`.',
      'depends on the current directory': 'Specify the program by its absolute path or its name.',
      'it contains a NUL character': 'Remove that character.',
      'it contains an API key': 'To store a key, run `qrctl auth login`.',
    };
    const [, hint = "Quote the word, or run a shell: `sh -c 'COMMAND'`."] =
      Object.entries(hints).find(([words]) => reason.includes(words)) ?? [];
    const refuse = () => parseKeyCommand(line);
    expect(refuse).toThrow(UsageError);
    expect(refuse).toThrow(
      expect.objectContaining({ message: `cannot use the key-command: ${reason}`, hint }),
    );
  });

  test.each([
    [
      'op read a',
      'stored',
      "Run `op read a` in a terminal, or change it with `qrctl config set key-command 'COMMAND'`.",
    ],
    [
      'op read a',
      'passed',
      'Run `op read a` in a terminal, or specify a different command with --key-command.',
    ],
    ['a\nb', 'passed', 'Run `COMMAND` in a terminal, or specify a different command with --key-command.'],
  ] as const)('has a hint for %j (%s): %s', (line, place, hint) => {
    expect(commandHint(line, place)).toBe(hint);
  });
});

/** A process that was killed may stay as a zombie until its new parent has looked. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
