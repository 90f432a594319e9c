import { fetchInOrder } from '#base/parallel';
import { parseInstant } from '#base/time/time';
import { addNew, everyCode, type Lister, listAllCodes } from '#codes/listing/codes';
import { createFilter, filterOptions } from '#commands/code-choice';
import { defineCommand, integer, parsed, type Values } from '#commands/define';
import { outputOptions, timezoneOption } from '#commands/output-options';
import { CODE_FIELDS, MAX_CODES_PAGE, type QrCode } from '#service/shapes';
import { codeOutput, LIST_OUTPUT } from './code-columns.ts';

interface Sort {
  field: (typeof CODE_FIELDS)[number];
  descending: boolean;
}

const SORT = { parse: parseSort, forms: `one of ${CODE_FIELDS.join(', ')}, with :desc for descending order` };

const options = {
  ...filterOptions,
  limit: integer('--limit <n>', 'Maximum number of codes to list', { min: 1 }),
  sort: parsed(
    '--sort <field[:desc]>',
    'Sort by a field, ascending unless :desc (default: the order of the service)',
    SORT,
  ),
  ...outputOptions,
  ...timezoneOption,
};

type ListFlags = Values<typeof options>;

export const command = defineCommand({
  description:
    'Lists the codes of the workspace.\n\n' +
    'The service has no filters, so qrctl reads all codes and filters them on this machine. If you repeat a filter, qrctl lists codes that match ' +
    'any of the values.',
  options,
  columns: [LIST_OUTPUT],
  examples: [
    ['qrctl qr list', 'List every code'],
    ['qrctl qr list --status active --name menu --sort name', 'List active codes with "menu" in their name'],
    ['qrctl qr list --sort created_at:desc --limit 10', 'List the ten newest codes'],
    ['qrctl qr list -o codes.xlsx --timezone Europe/Berlin', 'Save all codes in a workbook'],
    ['qrctl qr list --ids --status expired', 'Print the IDs of expired codes for another command'],
  ],
  async run(context, { options }) {
    const { output, toRecord } = await codeOutput(context, options, 'list');
    const service = await context.service();
    async function* records() {
      let read = 0;
      for await (const codes of listCodes(service, options)) {
        read += codes.length;
        yield codes.map(toRecord);
      }
      context.facts.codes = read;
    }
    await output.print(records(), { none: 'no codes', thing: 'code' });
  },
});

function parseSort(text: string): Sort | undefined {
  const [name, direction = 'asc', ...more] = text.split(':');
  const field = CODE_FIELDS.find((known) => known === name);
  if (!field || more.length || !['asc', 'desc'].includes(direction)) return undefined;
  return { field, descending: direction === 'desc' };
}

async function* listCodes(service: Lister, options: ListFlags): AsyncGenerator<QrCode[]> {
  const { limit, sort } = options;
  const chosen = options.status || options.type || options.name;
  if (limit !== undefined && !chosen && !sort) return yield* firstCodes(service, limit);
  const passes = createFilter(options);
  if (!sort) {
    let left = limit ?? Infinity;
    for await (const batch of listAllCodes(service)) {
      const passing = batch.filter(passes).slice(0, left);
      if (passing.length > 0) yield passing;
      left -= passing.length;
      if (left === 0) return;
    }
    return;
  }
  const codes = await everyCode(service);
  yield sortCodes(codes.filter(passes), sort).slice(0, limit);
}

const MOST_AHEAD = 16;

async function* firstCodes(service: Lister, limit: number): AsyncGenerator<QrCode[]> {
  const first = await service.listCodes({ page: 1, limit: Math.min(limit, MAX_CODES_PAGE) });
  const size = first.rows.length;
  const wanted = Math.min(limit, first.total);
  const seen = new Set<string>();
  yield addNew(seen, first.rows).slice(0, limit);
  function* pages() {
    for (let page = 2; size > 0 && (page - 1) * size < wanted; page++) yield page;
  }
  let left = limit - seen.size;
  const width = Math.min(service.concurrency, MOST_AHEAD);
  for await (const { rows } of fetchInOrder(
    pages(),
    (page) => service.listCodes({ page, limit: size }),
    width,
  )) {
    const next = addNew(seen, rows).slice(0, left);
    // A page without new codes is the end, whatever the total.
    if (next.length === 0) return;
    yield next;
    left -= next.length;
  }
}

function sortCodes(codes: readonly QrCode[], { field, descending }: Sort): QrCode[] {
  const collator = new Intl.Collator('en', { numeric: true });
  const isTime = field === 'created_at' || field === 'updated_at';
  const compare = (a: QrCode, b: QrCode) => {
    if (isTime) return (parseInstant(a[field]) ?? 0) - (parseInstant(b[field]) ?? 0);
    return collator.compare(a[field] ?? '', b[field] ?? '');
  };
  return [...codes].sort(descending ? (a, b) => compare(b, a) : compare);
}
