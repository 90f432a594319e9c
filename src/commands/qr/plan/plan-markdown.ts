import { clean } from '#base/text/clean';
import { shortenPair } from '#base/text/differing-parts';
import { countOf } from '#base/text/quote';
import { type PlanRow, type RowState, reasonOf, stateOf } from '#codes/engine/results/explain';
import { codeCell, markdownHead, markdownLine } from '#files/formats/markdown';
import { arrangeRows, countRows, describeAbsent } from './arrange-rows.ts';
import { codeOf, describeCandidates, describeNew, type PrintedPlan, valueAfter } from './plan-records.ts';

/** Maximum number of new codes to list. A GitHub comment is limited to 65,536 characters. */
const MOST_CREATIONS = 100;

const MOST_ABSENT = 20;

const LONGEST_COMMON = 150;

const SIGNS: Readonly<Partial<Record<RowState, string>>> = {
  create: '+',
  adopt: '=',
  update: '~',
  delete: '-',
  unchanged: '=',
};

const NAMES = ['action', 'line', 'key', 'code', 'field', 'old', 'new', 'outcome', 'note'] as const;

type Cells = Partial<Record<(typeof NAMES)[number], string>>;

export function formatMarkdown(printed: PrintedPlan): string {
  const { first, creations } = arrangeRows(printed.rows, printed.verb);
  const shown = [...first, ...creations.slice(0, MOST_CREATIONS)].flatMap(cellsOf);
  const left = creations.length - MOST_CREATIONS;
  const slugs = printed.absent.map(({ slug }) => codeCell(slug));
  const parts = [
    `### ${codeCell(printed.name)}: ${countRows(printed.rows, printed.unmanaged)}\n`,
    ...printed.reasons.map(({ title, message }) => `**${title}:** ${codeCell(message)}\n`),
    ...(shown.length > 0 ? [tableOf(shown)] : []),
    ...(left > 0 ? [`and ${countOf(left, 'more new code')}\n`] : []),
    ...(slugs.length > 0 ? [`${describeAbsent(slugs, MOST_ABSENT)}\n`] : []),
  ];
  return parts.join('\n');
}

function tableOf(rows: readonly Cells[]): string {
  const names = NAMES.filter((name) => rows.some((cells) => (cells[name] ?? '') !== ''));
  return (
    markdownHead(names) + rows.map((cells) => markdownLine(names.map((name) => cells[name] ?? ''))).join('')
  );
}

function cellsOf(row: PlanRow): Cells[] {
  const { item, outcome = '' } = row;
  const state = stateOf(row);
  const { id = '', slug = id } = codeOf(row);
  const about: Cells = {
    action: `${SIGNS[state] ?? '!'} ${state}`,
    line: item.row === undefined ? '' : String(item.row.line),
    key: codeCell(item.key ?? ''),
    code: codeCell(slug),
    outcome,
    note: codeCell(reasonOf(row) ?? ''),
  };
  const [change, ...others] = item.changes.map((one): Cells => {
    const [old, after] = [clean(one.old), clean(valueAfter(one))];
    const [was, is] = shortenPair(old, after, LONGEST_COMMON).map(codeCell);
    return { field: one.field, old: was, new: is };
  });
  if (change === undefined)
    return [
      { ...about, old: codeCell(describeCandidates(row) ?? ''), new: codeCell(describeNew(row) ?? '') },
    ];
  return [{ ...about, ...change }, ...others];
}
