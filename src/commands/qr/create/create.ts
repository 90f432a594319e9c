/** `qr create`: its flags, and which of its forms they ask for. */
import { InvalidArgumentError } from 'commander';
import type { Decisions } from '../../../once/decisions.ts';
import { isUuid } from '../../../service/checks.ts';
import { CODE_TYPES } from '../../../service/shapes.ts';
import { choice, defineCommand, duration, flag, type OptionDefinition, text, type Values } from '../../define.ts';
import { outputOptions } from '../../output-options.ts';
import { BULK_GROUP, bulkOptions, refuseTogether, requireFrom } from '../bulk-flags.ts';
import { utmOptions } from '../utm-flags.ts';

/** These need `--from`. */
const fileOptions = {
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

const options = {
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

export const command = defineCommand({
  description:
    'Creates one code and prints it, or one for each row of a file. The file has the columns name, type and destination, in any order; ' +
    'other columns come back in the results untouched. Each row is created exactly once, however often the command is killed and run ' +
    'again with the same files: a journal beside the results remembers what was sent. You can insert, delete, sort and add rows between runs. ' +
    'A row that was edited since its code was created is held back until --apply-edits changes that code or --as-new creates a new one.',
  options,
  examples: [
    { command: 'qrctl qr create --name "Spring menu" --destination https://example.com/menu', does: 'one code' },
    { command: 'qrctl qr create --template > codes.csv', does: 'a file to fill in' },
    { command: 'qrctl qr create --from codes.csv', does: 'a code for each row; results in codes.results.csv' },
    { command: 'qrctl qr create --from codes.csv --dry-run', does: 'what that would do, and what it costs' },
    { command: 'qrctl qr create --from codes.json --skip-existing --format json', does: 'in CI, without a journal kept' },
  ],
  async run(context, { options }) {
    if (options.template) return (await import('./one.ts')).printTemplate(context, options);
    if (options.from === undefined) {
      requireFrom(fileOptions, options);
      return (await import('./one.ts')).createOne(context, options);
    }
    refuseTogether('--from', { '--name': options.name, '--type': options.type, '--destination': options.destination });
    await (await import('./from-file.ts')).createFromFile(context, options.from, options);
  },
});

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
