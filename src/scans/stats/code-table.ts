import { getOrAdd } from '#base/collections';
import { UsageError } from '#base/errors';
import { inQuotes, quote } from '#base/text/quote';
import { faultsOfRead, fold, type Input, placeOf, refuseFaults } from '#files/formats/read/input';
import type { CodeOfScans } from './code-of-scans.ts';
import type { Value } from './value-counter.ts';

export type NoneIs = 'empty' | 'unlisted' | 'both';

export type CodeTable = ReturnType<typeof createCodeTable>;

interface Entry {
  line: number;
  id?: string;
  slug?: string;
  values: readonly Value[];
  isUsed: boolean;
  /** Row with the same slug, another ID and other values. */
  other?: Entry;
}

const MOST_UNLISTED = 10_000;

/** Indexes a file's rows by code. Throws UsageError if two rows for a code have different values. */
export function createCodeTable(input: Input, columns: readonly string[]) {
  const { name } = input;
  const idColumn = columnFor(input, 'id');
  const slugColumn = columnFor(input, 'slug');
  if (idColumn === undefined && slugColumn === undefined) {
    throw new UsageError(`cannot join ${name}: it has no id or slug column`, {
      hint: 'Run `qrctl qr list -o codes.csv` to create a file to start from.',
    });
  }
  refuseFaults(input, faultsOfRead(input, new Set([idColumn, slugColumn, ...columns])));
  const byId = new Map<string, Entry>();
  const bySlug = new Map<string, Entry>();
  const entries: Entry[] = [];
  let namelessRows = 0;
  for (const { line, values } of input.rows) {
    const textIn = (column: string | undefined) => (column === undefined ? null : textOf(values.get(column)));
    const id = textIn(idColumn)?.toLowerCase();
    const slug = textIn(slugColumn) ?? undefined;
    if (id === undefined && slug === undefined) {
      namelessRows += 1;
      continue;
    }
    const entry: Entry = { line, id, slug, values: columns.map(textIn), isUsed: false };
    entries.push(entry);
    if (id !== undefined)
      refuseOther(
        getOrAdd(byId, id, () => entry),
        entry,
        id,
      );
    if (slug === undefined) continue;
    const first = getOrAdd(bySlug, slug, () => entry);
    // Allows different IDs with one slug, because the slug may have belonged to a deleted code.
    if (first.id === undefined || id === undefined) refuseOther(first, entry, slug);
    else if (differIn(first, entry) !== undefined) first.other ??= entry;
  }

  function refuseOther(a: Entry, b: Entry, code: string): void {
    const at = differIn(a, b);
    if (at === undefined) return;
    const [first, second] = [a, b].map(
      ({ line, values }) => `${cellText(values[at] ?? null)} (${placeOf(input, line)})`,
    );
    throw new UsageError(
      `cannot join ${name}: code ${quote(code)} has two values in column ${quote(columns[at] ?? '')}, ${first} and ${second}`,
      { hint: `Keep one row per code in ${name}.` },
    );
  }

  /** F20: finds the row by ID, or by slug if the row or the scan has no ID. */
  function find({ id, slug }: CodeOfScans): Entry | undefined {
    if (id === undefined && slugColumn === undefined)
      throw cannotMatch('slugs, but no code IDs', 'IDs', 'slug');
    if (slug === undefined && idColumn === undefined)
      throw cannotMatch('code IDs, but no slugs', 'slugs', 'id');
    const withId = byId.get(id ?? '');
    const withSlug = bySlug.get(slug ?? '');
    if (withSlug?.other && id === undefined) refuseOther(withSlug, withSlug.other, withSlug.slug ?? '');
    const bySlugAlone = withSlug && (id === undefined || withSlug.id === undefined) ? withSlug : undefined;
    if (withId && bySlugAlone) refuseOther(withId, bySlugAlone, withId.id ?? '');
    for (const entry of [withId, bySlugAlone]) if (entry) entry.isUsed = true;
    return withId ?? bySlugAlone;
  }

  function cannotMatch(scans: string, rows: string, column: string): UsageError {
    return new UsageError(`cannot join ${name}: the scans have ${scans}, and the file has only ${rows}`, {
      hint: `Add the column ${column} to ${name}. \`qrctl qr list -o codes.csv\` writes IDs and slugs.`,
    });
  }

  const unlisted = new Set<string>();
  const empty = new Set<string>();
  return {
    name,
    valueOf(code: CodeOfScans, column: string): Value {
      const entry = find(code);
      if (!entry) {
        if (unlisted.size < MOST_UNLISTED) unlisted.add(code.value);
        return null;
      }
      const value = entry.values[columns.indexOf(column)] ?? null;
      if (value === null) empty.add(column);
      return value;
    },
    noneIn(column: string): NoneIs {
      if (unlisted.size === 0) return 'empty';
      return empty.has(column) || !columns.includes(column) ? 'both' : 'unlisted';
    },
    valuesIn(column: string): string[] {
      const at = columns.indexOf(column);
      return [...new Set(entries.flatMap(({ values }) => values[at] ?? []))];
    },
    unlisted: () => [...unlisted],
    unusedRows: () => entries.filter(({ isUsed }) => !isUsed).length,
    namelessRows,
  };
}

export function columnFor(
  { name, columns }: Pick<Input, 'name' | 'columns'>,
  wanted: string,
): string | undefined {
  const found = columns.filter((column) => fold(column) === wanted);
  if (found.length <= 1) return found[0];
  throw new UsageError(
    `cannot join ${name}: columns ${found.map(inQuotes).join(' and ')} have the same meaning`,
    { hint: `Rename all but one of them in ${name}.` },
  );
}

function differIn(a: Entry, b: Entry): number | undefined {
  const at = a.values.findIndex((value, i) => value !== b.values[i]);
  return at < 0 ? undefined : at;
}

function cellText(value: Value): string {
  return value === null ? 'an empty cell' : inQuotes(value);
}

function textOf(value: unknown): Value {
  if (value === null || value === undefined) return null;
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text.trim() || null;
}
