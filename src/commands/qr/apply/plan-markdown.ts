/** The plan as Markdown, for a pull request or a job summary: a headline with the counts, a table, unchanged keys folded. */
import { clean } from '../../../base/text/clean.ts';
import { formatCount } from '../../../base/text/quote.ts';
import type { Action } from '../../../codes/engine/plan.ts';
import { codeCell as cell, markdownHead, markdownLine } from '../../../files/formats/markdown.ts';
import { differingParts } from './differing-part.ts';
import { countItems } from './plan-counts.ts';
import { endOf, fieldsOf, isQuiet, itemOf, type ShownItem } from './plan-records.ts';

/** A comment on GitHub takes 65,536 characters, and a job summary 1 MiB. */
const MOST_ROWS = 200;
const LONGEST_COMMON = 150;

const SIGNS: Readonly<Record<Action, string>> = {
  create: '+ create',
  adopt: '= adopt',
  update: '~ update',
  edited: '! edited',
  removed: '! removed',
  gone: '! gone',
  undecided: '! undecided',
  unchanged: 'unchanged',
};

export function formatMarkdown(items: readonly ShownItem[], { name, unmanaged }: { name: string; unmanaged: number }): string {
  const changed = items.filter((shown) => !isQuiet(shown));
  const quiet = items.filter(isQuiet);
  const rows = changed.flatMap(rowsOf);
  const isApplied = items.some((shown) => endOf(shown) !== undefined);
  const parts = [`### ${cell(name)}: ${countItems(items, unmanaged)}\n`];
  if (rows.length > 0) parts.push(table(['', 'key', 'code', 'field', 'old', 'new', ...(isApplied ? ['outcome'] : [])], rows));
  if (quiet.length > 0) {
    const listed = quiet.map((shown) => [cell(itemOf(shown).key), cell(itemOf(shown).code?.slug ?? '')]);
    const summary = `<summary>${formatCount(quiet.length)} unchanged</summary>`;
    parts.push(`<details>${summary}\n\n${table(['key', 'code'], listed)}\n</details>\n`);
  }
  return parts.join('\n');
}

function rowsOf(shown: ShownItem): string[][] {
  const item = itemOf(shown);
  const end = endOf(shown);
  const { action, key, candidates } = item;
  const code = end?.code ?? item.code ?? item.entry;
  const about = [SIGNS[action], cell(key), cell(candidates.length > 0 ? slugsOf(candidates) : (code?.slug ?? ''))];
  const outcome = end === undefined ? [] : [end.error === undefined ? end.outcome : `${end.outcome}: ${cell(end.error)}`];
  const fields = fieldsOf(item);
  if (fields.length === 0) return [[...about, '', '', '', ...outcome]];
  return fields.map(({ field, old, new: value, isKept }, at) => {
    const { old: before, new: after } = differingParts(clean(old ?? ''), clean(value), LONGEST_COMMON);
    const [was, is] = [before, after].map(({ start, differing, end: rest }) => cell(start + differing + rest));
    const next = `${is}${isKept ? ' (not applied)' : ''}`;
    return [
      ...(at === 0 ? about : ['', '', '']),
      field,
      old === null ? '' : (was ?? ''),
      next,
      ...(at === 0 ? outcome : outcome.map(() => '')),
    ];
  });
}

function slugsOf(candidates: readonly { slug: string }[]): string {
  return `one of ${candidates
    .slice(0, 5)
    .map(({ slug }) => slug)
    .join(', ')}`;
}

function table(names: readonly string[], rows: readonly (readonly string[])[]): string {
  const more = rows.length > MOST_ROWS ? `\nand ${formatCount(rows.length - MOST_ROWS)} more rows\n` : '';
  return markdownHead(names) + rows.slice(0, MOST_ROWS).map(markdownLine).join('') + more;
}
