/** Flags of `qr create`. */
import { InvalidArgumentError } from 'commander';
import type { Decisions } from '../../../once/decisions.ts';
import { isUuid } from '../../../service/checks.ts';
import { CODE_TYPES } from '../../../service/shapes.ts';
import { choice, duration, flag, type OptionDefinition, text, type Values } from '../../define.ts';
import { outputOptions } from '../../output-options.ts';
import { BULK_GROUP, bulkOptions } from '../bulk-flags.ts';
import { utmOptions } from '../utm-flags.ts';

/** These need `--from`. */
export const fileOptions = {
  ...bulkOptions,
  skipExisting: flag('--skip-existing', 'create only rows that have no code with their name, type and destination yet', {
    group: BULK_GROUP,
    risky: true,
  }),
  settle: duration(
    '--settle <duration>',
    'wait so long for a write whose answer was lost before the row is sent again (default: 10s, more where answers are slow)',
    { group: BULK_GROUP },
  ),
  applyEdits: flag('--apply-edits', 'Change the codes of rows that were edited since they were created', {
    group: BULK_GROUP,
    risky: true,
  }),
  asNew: {
    flags: '--as-new <line>',
    description: 'Line of an edited row to create a new code for, or lines: 15-20',
    group: BULK_GROUP,
    risky: true,
    repeatable: true,
    parse: (raw, previous = []) => [...previous, ...parseLines(raw)],
  } satisfies OptionDefinition<number[]>,
  adopt: {
    flags: '--adopt <line=id>',
    description: 'Code that the row created, or of an edited row the code to change',
    group: BULK_GROUP,
    risky: true,
    repeatable: true,
    parse: (raw, previous = []) => [...previous, parseAdoption(raw)],
  } satisfies OptionDefinition<Decisions['adopt']>,
  notCreated: {
    flags: '--not-created <line>',
    description: 'Line of a row that created no code, so that it is sent again',
    group: BULK_GROUP,
    risky: true,
    repeatable: true,
    parse: (raw, previous = []) => [...previous, parseLine(raw)],
  } satisfies OptionDefinition<number[]>,
};

export const options = {
  name: text('--name <name>', 'name of the one code to create'),
  type: choice('--type <type>', 'its type (default: url)', CODE_TYPES),
  destination: text('--destination <address>', 'where it points to'),
  force: flag('--force', 'Create codes whose destination leads nowhere, too', { risky: true }),
  template: flag('--template', 'Print a template to fill in: CSV, or a workbook with -o codes.xlsx'),
  ...utmOptions,
  ...fileOptions,
  ...outputOptions,
};

export type CreateFlags = Values<typeof options>;

function parseAdoption(raw: string): Decisions['adopt'][number] {
  const [line = '', id = '', ...more] = raw.split('=');
  if (!isUuid(id) || more.length)
    throw new InvalidArgumentError('It takes the line of a row, =, and the id of a code: 12=6f1c2f0e-….');
  return { line: parseLine(line), id: id.toLowerCase() };
}

function parseLine(raw: string): number {
  if (/^[1-9]\d{0,8}$/.test(raw)) return Number(raw);
  throw new InvalidArgumentError('It takes the line of the file where a row begins.');
}

/** More lines than a file has rows that anybody looks at one by one. */
const MOST_LINES = 1_000_000;

function parseLines(raw: string): number[] {
  const [first, last, ...more] = raw.split('-').map(parseLine);
  if (first === undefined || more.length > 0) throw new InvalidArgumentError('It takes a line, or lines: 15-20.');
  const count = (last ?? first) - first + 1;
  if (count < 1 || count > MOST_LINES) throw new InvalidArgumentError('It takes the first line and the last: 15-20.');
  return Array.from({ length: count }, (_, index) => first + index);
}
