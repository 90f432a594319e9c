/** Flags of `qr create`. */
import { InvalidArgumentError } from 'commander';
import type { Decisions } from '../../../codes/engine/creation/decisions.ts';
import { isUuid } from '../../../service/checks.ts';
import { CODE_TYPES } from '../../../service/shapes.ts';
import { choice, duration, flag, repeated, text, type Values } from '../../define.ts';
import { outputOptions } from '../../output-options.ts';
import { BULK_GROUP, bulkOptions } from '../bulk-flags.ts';
import { utmOptions } from '../utm-flags.ts';

const RISKY = { group: BULK_GROUP, risky: true } as const;

/** Flags that require `--from`. */
export const fileOptions = {
  ...bulkOptions,
  skipExisting: flag('--skip-existing', 'Skip existing codes; edited rows get new codes', RISKY),
  settle: duration('--settle <duration>', 'Minimum wait before resending (default: 10s)', { group: BULK_GROUP }),
  applyEdits: flag('--apply-edits', 'Update the codes of edited rows', RISKY),
  asNew: repeated('--as-new <line>', 'Create a new code for an edited row', parseLines, RISKY),
  adopt: repeated('--adopt <line=id>', 'Assign code ID to the row on LINE', parseAdoption, RISKY),
  notCreated: repeated('--not-created <line>', 'Resend a row that created no code', (raw) => [parseLine(raw)], RISKY),
};

export const options = {
  name: text('--name <name>', 'Name of the code'),
  type: choice('--type <type>', 'Code type (default: url)', CODE_TYPES),
  destination: text('--destination <address>', 'Address that the code opens'),
  force: flag('--force', 'Accept destinations that cannot be opened', { risky: true }),
  template: flag('--template', 'Print a template for --from, as CSV or .xlsx'),
  ...utmOptions,
  ...fileOptions,
  ...outputOptions,
};

export type CreateFlags = Values<typeof options>;

function parseAdoption(raw: string): Decisions['adopt'] {
  const [line = '', id = '', ...more] = raw.split('=');
  if (!isUuid(id) || more.length) throw new InvalidArgumentError('LINE=ID, such as 12=6f1c2f0e-…');
  return [{ line: parseLine(line), id: id.toLowerCase() }];
}

function parseLine(raw: string): number {
  if (/^[1-9]\d{0,8}$/.test(raw)) return Number(raw);
  throw new InvalidArgumentError('the number of the line where a row begins');
}

/** Longest range of lines. */
const MOST_LINES = 1_000_000;

function parseLines(raw: string): number[] {
  const [first, last, ...more] = raw.split('-').map(parseLine);
  if (first === undefined || more.length > 0) throw new InvalidArgumentError('a line, or a range of lines such as 15-20');
  const count = (last ?? first) - first + 1;
  if (count < 1 || count > MOST_LINES) throw new InvalidArgumentError('a line, or a range of lines such as 15-20');
  return Array.from({ length: count }, (_, index) => first + index);
}
