/** Flags of `qr apply`. */
import { InvalidArgumentError } from 'commander';
import type { PlanOptions } from '../../../codes/engine/plan.ts';
import { choice, duration, flag, parsed, repeated, text, texts, type Values } from '../../define.ts';
import { outputOptions } from '../../output-options.ts';
import { movedFromOption, overwriteOption, workbookOptions } from '../../shared-flags.ts';
import { bulkOptions } from '../bulk-flags.ts';

const GROUP = 'Apply flags:';

const { dryRun, offline, strict } = bulkOptions;

export const options = {
  from: text('--from <file|->', 'File of codes: CSV, .xlsx, JSON, NDJSON (or -)', { group: GROUP, complete: 'files' }),
  key: text('--key <column>', 'Column that contains the keys (default: key)', { group: GROUP }),
  lock: text('--lock <file>', 'Lock file (default: NAME.lock.json)', { group: GROUP, complete: 'files', writes: true }),
  init: flag('--init', 'Write --output and a lock file of existing codes', { group: GROUP }),
  dryRun: { ...dryRun, group: GROUP, description: 'Show the plan; change nothing' },
  exitCode: flag('--exit-code', 'Exit with code 8 if --dry-run shows changes, 9 for decisions', { group: GROUP }),
  offline: { ...offline, group: GROUP },
  strict: { ...strict, group: GROUP },
  adopt: repeated('--adopt <key=code>', 'Assign an existing code (ID or slug) to KEY', parseAdoption, {
    group: GROUP,
    risky: true,
  }),
  recreate: texts('--recreate <key>', 'Create a new code for KEY', { group: GROUP, risky: true }),
  removed: choice('--removed <action>', 'Action for the codes of removed keys', ['report', 'pause'], { group: GROUP }),
  maxChanges: parsed<NonNullable<PlanOptions['maxChanges']>>(
    '--max-changes <n|n%>',
    'Maximum number or share of changed or removed keys (default: 30%)',
    { parse: parseMost, forms: 'a number of keys, or a percentage such as 30%' },
    { group: GROUP },
  ),
  keepEdits: flag('--keep-edits', 'Keep fields that another client has changed', { group: GROUP }),
  force: flag('--force', 'Accept destinations that cannot be opened', { group: GROUP, risky: true }),
  settle: duration('--settle <duration>', 'Minimum wait before resending (default: 10s)', { group: GROUP }),
  overwrite: { ...overwriteOption, group: GROUP },
  movedFrom: { ...movedFromOption, group: GROUP },
  ...workbookOptions(GROUP),
  ...outputOptions,
};

export type ApplyFlags = Values<typeof options>;

function parseAdoption(raw: string): [readonly [string, string]] {
  const at = raw.lastIndexOf('=');
  const [key, code] = [raw.slice(0, Math.max(0, at)).trim(), raw.slice(at + 1).trim()];
  if (key === '' || code === '') throw new InvalidArgumentError('KEY=CODE, with the ID or slug of a code');
  return [[key, code]];
}

function parseMost(raw: string): NonNullable<PlanOptions['maxChanges']> | undefined {
  const [, digits, percent] = /^(\d{1,9})(%?)$/.exec(raw) ?? [];
  if (digits === undefined || (percent && Number(digits) > 100)) return undefined;
  return percent ? { percent: Number(digits) } : { count: Number(digits) };
}
