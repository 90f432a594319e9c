import { UsageError } from '#base/errors';
import type { Outcome } from '#base/run/outcomes';
import { fillShortUrl } from '#base/text/short-url';
import type { OutputColumns } from '#commands/define';
import { openOutput, outputOf } from '#commands/output-options';
import type { Context } from '#context';
import { type Column, colorBy, wholeColumn } from '#files/formats/columns';
import { DATA_FORMATS } from '#files/formats/formats';
import type { Shape } from '#files/formats/formatter';
import type { OutputFlags } from '#files/formats/plan-output';
import type { Row } from '#files/formats/row-sink';
import { CODE_STATUSES, CODE_TYPES, type QrCode } from '#service/shapes';

export const OUTCOME: Column = {
  name: 'outcome',
  importance: 3,
  color: colorBy<Outcome>({
    green: ['created', 'adopted', 'exists', 'updated', 'deleted'],
    red: ['failed', 'undecided', 'conflict', 'gone'],
    yellow: ['not-attempted'],
  }),
};

export const ERROR: Column = { name: 'error', importance: 2, below: true };

const FIELD_COLUMNS: Readonly<Record<keyof QrCode, Omit<Column, 'name'>>> = {
  // On narrow screens, names and destinations outrank IDs, because commands also accept slugs.
  id: { importance: 3, keepWhole: true },
  slug: { importance: 8, keepWhole: true },
  name: { importance: 9, leastWidth: 40 },
  type: { importance: 5, leastWidth: 12 },
  destination: { importance: 6, leastWidth: 16, wishedWidth: 28, isUrl: true },
  status: {
    importance: 7,
    choices: CODE_STATUSES,
    color: colorBy({ green: ['active'], yellow: ['paused'], red: ['expired'] }),
  },
  created_at: { importance: 2, keepWhole: true, isTime: true },
  updated_at: { importance: 1, keepWhole: true, isTime: true },
};
const CODE_COLUMNS: readonly Column[] = Object.entries(FIELD_COLUMNS).map(([name, column]) => ({
  name,
  ...column,
}));

const SHORT_URL = wholeColumn('short_url', 4);
const BASE = wholeColumn('base', 0);

export const CODE_OUTPUT: OutputColumns = { columns: CODE_COLUMNS, optional: [SHORT_URL.name] };
export const LIST_OUTPUT: OutputColumns = { ...CODE_OUTPUT, optional: [SHORT_URL.name, BASE.name] };

const SHEETS = new Set([...DATA_FORMATS, 'xlsx']);

/**
 * Opens the output for codes. By default, only lists in files that `qr update` can read have the column
 * `base`. Throws UsageError for --timezone without a workbook.
 */
export async function codeOutput(context: Context, options: OutputFlags, shape: Shape) {
  const { shortUrl } = await context.settings();
  const known = shortUrl === undefined ? CODE_COLUMNS : [...CODE_COLUMNS, SHORT_URL];
  const { plan } = await openOutput(context, options, shape === 'list' ? [...known, BASE] : known, shape);
  const { format, path } = plan;
  const isSaved = plan.chosen || (path !== undefined && SHEETS.has(format));
  const columns = isSaved ? plan.columns : plan.columns.filter((column) => column !== BASE);
  const bases = columns.includes(BASE) ? await import('#codes/engine/plan/base') : undefined;
  if (options.timezone !== undefined && format !== 'xlsx') {
    throw new UsageError('--timezone requires a workbook: other formats use UTC', {
      hint: 'Add -o FILE.xlsx, or omit --timezone.',
    });
  }
  const toRecord = (code: QrCode): Row => ({
    ...code,
    ...(shortUrl !== undefined && { short_url: fillShortUrl(shortUrl, code) }),
    ...(bases && { base: bases.formatBase(bases.baseOf(code)) }),
  });
  return { output: outputOf(context, { ...plan, columns }), toRecord };
}

export const NAMED_COLUMNS: readonly Column[] = [
  wholeColumn('code', 1),
  wholeColumn('id'),
  wholeColumn('slug', 2),
  OUTCOME,
  ERROR,
];

export const TEMPLATE_COLUMNS: readonly Column[] = [
  { name: 'key' },
  { name: 'name' },
  { name: 'type', choices: CODE_TYPES },
  { name: 'destination' },
];

export const BULK_OUTPUT: OutputColumns = {
  when: '--from',
  columns: ['id', 'slug', 'outcome', 'error', 'base', 'decision'].map((name) => ({ name })),
  optional: ['short_url'],
  afterInput: true,
};
