/** Columns of codes: the service's fields, and the address of their image if the profile has it. */
import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import type { ColourName, Column } from '../../rows/columns.ts';
import type { Shape } from '../../rows/formatter.ts';
import type { OutputFlags } from '../../rows/plan-output.ts';
import type { Row } from '../../rows/row-sink.ts';
import type { Outcome } from '../../run/outcomes.ts';
import { CODE_STATUSES, type QrCode } from '../../service/shapes.ts';
import { fillShortUrl } from '../../text/short-url.ts';
import type { OutputColumns } from '../define.ts';
import { planOutput } from '../output-options.ts';

/** A map, because a status may be any text: an object would contain `constructor` as well. */
const STATUS_COLOURS: ReadonlyMap<string, ColourName> = new Map([
  ['active', 'green'],
  ['paused', 'yellow'],
  ['expired', 'red'],
]);

const COLOUR_OF: Readonly<Partial<Record<Outcome, ColourName>>> = {
  created: 'green',
  adopted: 'green',
  exists: 'green',
  updated: 'green',
  deleted: 'green',
  failed: 'red',
  undecided: 'red',
  'not-attempted': 'yellow',
};
const OUTCOME_COLOURS: ReadonlyMap<string, ColourName> = new Map(Object.entries(COLOUR_OF));

/** Outcome of a row or a code. */
export const OUTCOME: Column = { name: 'outcome', importance: 3, colour: (outcome) => OUTCOME_COLOURS.get(String(outcome)) };

/** Why it did. */
export const ERROR: Column = { name: 'error', importance: 2, below: true };

const CODE_COLUMNS: readonly Column[] = [
  // People read slugs, which every command accepts: if room is short, names and destinations are more important than IDs.
  { name: 'id', importance: 3, keepWhole: true },
  { name: 'slug', importance: 8, keepWhole: true },
  { name: 'name', importance: 9, leastWidth: 24, wishedWidth: 40 },
  { name: 'type', importance: 5, leastWidth: 12 },
  { name: 'destination', importance: 6, leastWidth: 16, wishedWidth: 28 },
  { name: 'status', importance: 7, choices: CODE_STATUSES, colour: (status) => STATUS_COLOURS.get(String(status)) },
  { name: 'created_at', importance: 2, keepWhole: true, isTime: true },
  { name: 'updated_at', importance: 1, keepWhole: true, isTime: true },
];

const SHORT_URL: Column = { name: 'short_url', importance: 4, keepWhole: true };

/** Output of commands that print codes. */
export const CODE_OUTPUT: OutputColumns = { columns: CODE_COLUMNS, optional: [SHORT_URL.name] };

interface CodeOutput {
  columns: readonly Column[];
  /** The record to print for a code. */
  toRecord: (code: QrCode) => Row;
}

/**
 * Returns columns and records for the flags, with `short_url` if the profile has it. Throws UsageError for invalid flags; call it before
 * the first request.
 */
export async function codeOutput(context: Context, options: OutputFlags, shape: Shape): Promise<CodeOutput> {
  const { shortUrl } = await context.settings();
  const columns = shortUrl === undefined ? CODE_COLUMNS : [...CODE_COLUMNS, SHORT_URL];
  const { format } = await planOutput(context, options, columns, shape);
  if (options.timezone !== undefined && format !== 'xlsx') {
    throw new UsageError('--timezone requires a workbook: other formats have times in UTC', {
      hint: 'Add -o FILE.xlsx, or omit --timezone.',
    });
  }
  if (shortUrl === undefined) return { columns, toRecord: (code) => ({ ...code }) };
  return { columns, toRecord: (code) => ({ ...code, short_url: fillShortUrl(shortUrl, code) }) };
}
