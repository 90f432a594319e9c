import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openLedger } from '#codes/engine/ledger/open-ledger';
import { BrakeError, carryOut, ledgerPlace } from '#commands/qr/rows/carry-out';
import type { Context } from '#context';
import { createWorkspace } from '#service/workspace';
import { useDirectory } from '../../../support/cli.ts';
import { fakeClock } from '../../../support/clock.ts';

const MAX = { is: 'max-changes', message: 'the plan changes 12 codes', flag: '--max-changes 12' };
const GONE = { is: 'all-removed', message: 'no keys', advice: 'Check the file.', flag: '--force' };

it.each([
  [
    'too many changes',
    [MAX],
    'the plan changes 12 codes; no changes were made',
    'Check the plan with --dry-run. If the plan is correct, add --max-changes 12.',
  ],
  [
    'another reason',
    [GONE],
    'no keys; no changes were made',
    'Check the file. If the plan is correct, add --force.',
  ],
  [
    'another reason and too many changes',
    [GONE, MAX],
    'no keys; the plan changes 12 codes; no changes were made',
    'Check the file. If the plan is correct, add --force --max-changes 12.',
  ],
])('the error for a plan stopped by %s has a hint that allows the plan', (_, brakes, message, hint) => {
  const plan = { brakes } as never;
  expect(new BrakeError(plan)).toMatchObject({ message, hint, plan });
});

it('the ledger reports on the console, with its warnings even if --quiet is set', async () => {
  const told: unknown[][] = [];
  const console = {
    warn: (...given: unknown[]) => told.push(['warn', ...given]),
    note: (...given: unknown[]) => told.push(['note', ...given]),
  };
  const [workspace, getCode, env] = [{}, () => {}, {}];
  const context = { console, env, service: async () => ({ workspace, getCode }) } as never;
  const { warn, note, ...place } = await ledgerPlace(context, { ledger: 'runs' } as never);
  warn('The ledger is damaged');
  note('The ledger was compacted');
  expect(place).toEqual({ path: 'runs', env, workspace, getCode });
  expect(told).toEqual([
    ['warn', 'The ledger is damaged', true],
    ['note', 'The ledger was compacted'],
  ]);
});

it.each([
  ['with the same key', true, () => 'Waiting for another run over a file in this workspace'],
  ['with the same ledger', false, (path: string) => `Waiting for another run over a file with ${path}`],
])(
  'a run that waits for another run %s prints a note, and can be interrupted',
  async (_, isSameKey, line) => {
    const directory = await useDirectory();
    const path = join(directory, 'ledger.jsonl');
    const controller = new AbortController();
    const lines: string[] = [];
    const note = (text: string) => {
      lines.push(text);
      controller.abort(new Error('interrupted'));
    };
    const key = `svc_live_${randomUUID()}`;
    const contextOf = (apiKey: string) => {
      const workspace = createWorkspace({ baseUrl: 'https://qr.example/api/v1', apiKey });
      const service = async () => ({ workspace, getCode: async () => undefined });
      const env = { QRCTL_STATE_DIR: join(directory, 'state') };
      const { signal } = controller;
      return {
        console: { note, warn: note },
        clock: fakeClock(),
        env,
        signal,
        service,
      } as unknown as Context;
    };
    const context = contextOf(key);
    const { clock, signal } = context;
    const place = await ledgerPlace(context, { ledger: path } as never);
    const other = await openLedger({ ...place, clock, signal, onWait: () => undefined });
    try {
      const run = { flags: { ledger: path }, verb: {}, file: {} } as never;
      const waiting = carryOut(contextOf(isSameKey ? key : `${key}b`), run);
      await expect(waiting).rejects.toThrow('interrupted');
    } finally {
      await other.close();
    }
    expect(lines).toEqual([line(path)]);
  },
);
