import { InvalidArgumentError } from 'commander';
import { systemCode, UsageError } from '#base/errors';
import { keyProblem } from '#base/text/key';
import { DAY_MS, parseInstant } from '#base/time/time';
import type { Context } from '#context';
import { createFaults, FAULT_KINDS, type PlannedFault, SLOW_MS } from '#sandbox/faults';
import { isClockTime, PLANS, type SandboxOptions } from '#sandbox/options';
import type { Sandbox } from '#sandbox/sandbox';
import { createWorkspace } from '#service/workspace';
import { anyOf, choice, defineCommand, duration, integer, parsed, rarely, repeated, text } from './define.ts';

const DEFAULT_PORT = 4010;

export const command = defineCommand({
  description:
    'Runs a local service with sample data until you press Ctrl-C.\n\n' +
    'It has the same endpoints, errors and rate limits as the real service. It prints QRCTL_BASE_URL and QRCTL_API_KEY, and listens on ' +
    '127.0.0.1 only. The data depends only on the seed and the day; changes are lost when the sandbox stops.\n\n' +
    'The plans allow 60, 300 or 1000 requests per window, and 500, 5000 or 50000 new codes in addition to the sample codes.\n\n' +
    'With --fault KIND:N, the Nth request to the API after the start fails. For lose-answer, N counts only requests that change codes: ' +
    'the sandbox applies the change, then closes the connection without a response. drop closes the connection, 500 and 429 are error ' +
    'responses, and html is a login page with status 200. These requests are not applied. ' +
    `slow delays the response by ${SLOW_MS / 1000} s.\n\n` +
    `To advance the clock of the service, send a duration: \`curl -d 24h http://127.0.0.1:${DEFAULT_PORT}/sandbox/clock\`. The real ` +
    'service lacks this address. Sample scans are from before the start; only --live adds later ones.',
  options: {
    port: integer(
      '--port <n>',
      `Port to listen on, or 0 for a free port (default: ${DEFAULT_PORT}, or a free port if it is in use)`,
      { min: 0, max: 65_535 },
    ),
    codes: integer('--codes <n>', 'Number of sample codes (default: 25)', { min: 0, max: 100_000 }),
    scans: integer(
      '--scans <n>',
      'Sample scans per code in the 90 days before today in UTC (default: about 20 to 5500)',
      { min: 0, max: 100_000_000 },
    ),
    plan: choice('--plan <plan>', 'Plan of the workspace (default: business)', PLANS),
    fault: repeated('--fault <kind:n>', 'Fail the Nth request in this way, such as drop:3', readFault),
    ...rarely({
      window: duration('--window <duration>', 'Length of a rate-limit window (default: 60s; at least 1s)'),
      seed: integer('--seed <n>', 'Seed of the sample data (default: 1)', { min: 0, max: 2 ** 31 - 1 }),
      live: integer('--live <n>', 'New scans per code per second (default: 0)', { min: 0, max: 1000 }),
      latency: duration('--latency <duration>', 'Delay of every response (default: 0)'),
      clock: parsed('--clock <time>', "Start of the service's clock (default: now)", {
        parse: readClock,
        forms: 'a date or a date-time from 2000 to 2099, such as 2026-10-01 or 2026-10-01T12:00Z',
      }),
      key: text(
        '--key <key>',
        "API key to accept (default: a fixed sample key). Don't pass a real key, because other users can read arguments.",
      ),
    }),
  },
  examples: [
    ['qrctl sandbox', 'Try qrctl without an account'],
    [
      'qrctl sandbox --plan free --window 5s',
      'See how qrctl waits for the rate limit, in windows of 5 seconds',
    ],
    ['qrctl sandbox --fault lose-answer:1', 'See how qrctl finds a new code if no response arrives'],
    ['qrctl sandbox --codes 1 --scans 10000000 --live 20', 'Test with one code that has ten million scans'],
    [
      '{ read -r url; read -r key; } < <(qrctl sandbox -q) && export "$url" "$key"',
      'Use a sandbox in the current bash session, until `kill $!`',
    ],
  ],

  async run(context, { options }) {
    const { codes, scans, plan, seed, live, fault = [] } = options;
    const { clock, console } = context;
    const nowMs = clock.now();
    const startMs = options.clock ?? nowMs;
    const sandbox = await start(context, options.port, {
      codes,
      scans,
      plan,
      seed,
      live,
      hasEqualSizes: scans !== undefined,
      windowMs: checkWindow(options.window),
      latencyMs: options.latency,
      key: checkKey(options.key),
      endsAtMs: Math.floor(startMs / DAY_MS) * DAY_MS,
      clockSkewMs: startMs - nowMs,
      clock,
      intercept: createFaults(fault, {
        clock,
        onFault: ({ kind }, { method, path }) =>
          console.note(`Applied the fault ${kind} to ${method} ${path}.`),
      }),
      onRequest: ({ method, url, status, ms, remaining }) =>
        console.verbose(`${method} ${url} ${status} ${Math.round(ms)} ms, ${remaining} left`),
    });
    const { forgetLedger } = await import('#codes/engine/ledger/choose-ledger');
    await forgetLedger(context.env, createWorkspace({ ...sandbox, profile: undefined }));
    try {
      await console.write(`QRCTL_BASE_URL=${sandbox.baseUrl}\nQRCTL_API_KEY=${sandbox.apiKey}\n`);
      explain(context, sandbox);
      await clock.sleep(Infinity, context.signal);
    } finally {
      await sandbox.close();
    }
  },
});

function readFault(raw: string): PlannedFault[] {
  const [, name, n] = /^([^:]+):([1-9]\d{0,8})$/.exec(raw) ?? [];
  const kind = FAULT_KINDS.find((known) => known === name);
  if (kind) return [{ kind, n: Number(n) }];
  throw new InvalidArgumentError(`${anyOf(FAULT_KINDS)}, followed by :N`);
}

function readClock(raw: string): number | undefined {
  const ms = parseInstant(/^[\d-]{10}$/.test(raw) ? `${raw}T00:00` : raw);
  return ms !== undefined && isClockTime(ms) ? ms : undefined;
}

async function start(context: Context, port: number | undefined, options: SandboxOptions): Promise<Sandbox> {
  const { startSandbox } = await import('#sandbox/sandbox');
  try {
    return await startSandbox({ ...options, port: port ?? DEFAULT_PORT });
  } catch (error) {
    const code = systemCode(error);
    if (code !== 'EADDRINUSE' && code !== 'EACCES') throw error;
    if (port === undefined) {
      context.console.note(`Port ${DEFAULT_PORT} is in use, so the sandbox uses another one.`);
      return startSandbox({ ...options, port: 0 });
    }
    const problem = code === 'EACCES' ? `permission denied for port ${port}` : `port ${port} is in use`;
    throw new UsageError(problem, { hint: 'Use a free port with `qrctl sandbox --port 0`.', cause: error });
  }
}

function checkWindow(windowMs: number | undefined): number | undefined {
  // Refuses windows shorter than 1 s, because the Reset header has whole seconds.
  if (windowMs === undefined || windowMs >= 1000) return windowMs;
  throw new UsageError('--window is shorter than 1s', {
    hint: 'Use a longer window, as in `qrctl sandbox --window 5s`.',
  });
}

function checkKey(key: string | undefined): string | undefined {
  const problem = key === undefined ? undefined : keyProblem(key);
  if (problem === undefined) return key;
  throw new UsageError(`--key ${problem}`);
}

function explain({ console }: Context, { workspace, baseUrl }: Sandbox): void {
  console.note(
    `A sandbox with ${workspace.codes().length} codes listens at ${baseUrl}. Press Ctrl-C to stop it.`,
  );
  console.note('To use the sandbox from another terminal, run both lines there, each preceded by "export".');
  console.note('Then try:');
  console.note('  qrctl qr list');
  console.note('  qrctl scans export --all --output scans.csv');
}
