/** Sandboxes for tests: in this process, with their data and every request at hand; gone when the test is. */
import { onTestFinished } from 'vitest';
import { systemClock } from '#base/time/time';
import type { RequestRecord } from '#sandbox/exchange';
import type { SandboxOptions } from '#sandbox/options';
import { type Sandbox, startSandbox } from '#sandbox/sandbox';
import type { Scan } from '#service/shapes';

export interface TestSandbox extends Sandbox {
  /** Every answered request, oldest first. */
  readonly requests: readonly RequestRecord[];
  /** How many of them were answered 429. */
  refused(): number;
  /** What a command line needs to use it. */
  readonly env: { QRCTL_BASE_URL: string; QRCTL_API_KEY: string };
  /** The id of the n-th code by creation, oldest first (0). */
  codeId(n?: number): string;
  /** All scans of a code as they are now, by time and id; ids beyond 2^53 lose digits here. */
  scans(id: string): Scan[];
}

/** Starts a sandbox and runs `work` on it; closes it whatever happens. */
export async function withSandbox<T>(
  options: SandboxOptions,
  work: (sandbox: TestSandbox) => Promise<T>,
): Promise<T> {
  const sandbox = await openSandbox(options);
  try {
    return await work(sandbox);
  } finally {
    await sandbox.close();
  }
}

/** Starts a sandbox that is closed when the running test finishes. */
export async function useSandbox(options: SandboxOptions = {}): Promise<TestSandbox> {
  const sandbox = await openSandbox(options);
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** Starts a sandbox; the caller closes it. */
async function openSandbox(options: SandboxOptions = {}): Promise<TestSandbox> {
  const requests: RequestRecord[] = [];
  const onRequest = (record: RequestRecord) => {
    requests.push(record);
    options.onRequest?.(record);
  };
  const sandbox = await startSandbox({ ...options, onRequest });
  const { workspace } = sandbox;
  return {
    ...sandbox,
    requests,
    refused: () => requests.filter(({ status }) => status === 429).length,
    env: { QRCTL_BASE_URL: sandbox.baseUrl, QRCTL_API_KEY: sandbox.apiKey },
    codeId(n = 0) {
      const codes = [...workspace.codes()].sort((a, b) => (a.created_at < b.created_at ? -1 : 1));
      const code = codes[n];
      if (!code) throw new Error(`the sandbox has only ${codes.length} codes`);
      return code.id;
    },
    scans: (id) => scansOf(sandbox, id, (options.clock ?? systemClock).now() + (options.clockSkewMs ?? 0)),
  };
}

function scansOf({ workspace }: Sandbox, id: string, nowMs: number): Scan[] {
  const all = {
    page: 1,
    limit: Number.MAX_SAFE_INTEGER,
    sinceMs: undefined,
    untilMs: undefined,
    nowMs,
    turn: 0,
  };
  const scans: Scan[] = (workspace.log(id)?.page(all).rows ?? []).map((row) => JSON.parse(row));
  return scans.sort((a, b) => (a.ts === b.ts ? Number(a.id) - Number(b.id) : a.ts < b.ts ? -1 : 1));
}
