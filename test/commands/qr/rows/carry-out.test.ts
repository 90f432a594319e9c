import { expect, it } from 'vitest';
import { BrakeError, ledgerPlace } from '#commands/qr/rows/carry-out';

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
])('the error for a plan stopped by %s says how to allow it', (_, brakes, message, hint) => {
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
