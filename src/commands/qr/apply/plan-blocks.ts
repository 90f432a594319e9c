/** The plan for a terminal: one block per key that is not as the file says, the counts last. */
import { clean } from '../../../base/text/clean.ts';
import { displayWidth, graphemesOf } from '../../../base/text/display-width.ts';
import { inQuotes, joinSome, shown } from '../../../base/text/quote.ts';
import type { EndedItem } from '../../../codes/engine/lock-entries.ts';
import type { Action } from '../../../codes/engine/plan.ts';
import type { ColourName } from '../../../files/formats/columns.ts';
import type { Colours } from '../../../terminal/colour.ts';
import { wrapWords } from '../../../terminal/wrap-words.ts';
import { differingParts, type Parts } from './differing-part.ts';
import { endOf, fieldsOf, isQuiet, itemOf, type ShownField, type ShownItem } from './plan-records.ts';

/** Sign of each action; color only repeats it. */
const SIGNS: Readonly<Record<Exclude<Action, 'unchanged'>, readonly [string, ColourName, string]>> = {
  create: ['+', 'green', 'create'],
  adopt: ['=', 'cyan', 'adopt'],
  update: ['~', 'yellow', 'update'],
  edited: ['!', 'yellow', 'edited by another client'],
  removed: ['!', 'yellow', 'removed from the file'],
  gone: ['!', 'red', 'deleted from the service'],
  undecided: ['!', 'red', 'needs your decision'],
};

interface BlockOptions {
  colours: Colours;
  /** Columns of the terminal; Infinity for a file. */
  width: number;
}

/** Returns the blocks of all keys but unchanged ones. */
export function formatBlocks(items: readonly ShownItem[], options: BlockOptions): string {
  return items.map((one) => formatBlock(one, options)).join('');
}

function formatBlock(one: ShownItem, { colours, width }: BlockOptions): string {
  const item = itemOf(one);
  const { action, key, code, candidates } = item;
  const end = endOf(one);
  if (isQuiet(one)) return '';
  const [sign, colour, words] = action === 'unchanged' ? (['!', 'red', 'unchanged'] as const) : SIGNS[action];
  const owned = end?.code ?? code ?? item.entry;
  const about = owned ? ` ${colours.dim(`(${shown(owned.slug)})`)}` : '';
  const head = `${colours[colour](sign)} ${colours.bold(nameKey(key))}${about} ${colours[colour](end ? endWords(end, words) : words)}\n`;
  const fields = fieldsOf(item);
  const widest = Math.max(0, ...fields.map(({ field }) => field.length));
  const lines = fields.map((field) => formatField(field, widest, { colours, width }));
  const isFailed = end?.error !== undefined && action !== 'gone' && action !== 'undecided';
  const error = isFailed ? wrapWords(`    ${clean(end.error ?? '')}`, bounded(width)) : undefined;
  const may = candidates.length > 0 ? wrapWords(`    may be ${nameCandidates(candidates)}`, bounded(width)) : undefined;
  return head + [...lines, ...[error, may].flatMap((line) => (line === undefined ? [] : `${line}\n`))].join('');
}

/** What became of a key: the outcome, and why where that says more. */
function endWords({ item: { action }, outcome }: EndedItem, planned: string): string {
  if (action === 'gone' || action === 'undecided') return planned;
  if (action === 'removed')
    return outcome === 'updated' ? `${planned}, paused` : outcome === 'unchanged' ? planned : `${planned}, ${outcome}`;
  if (action === 'edited') return `${planned}, ${outcome === 'edited' ? 'kept' : outcome}`;
  return action === 'adopt' && outcome === 'updated' ? 'adopted, updated' : outcome;
}

const PLAIN_KEY = /^[\p{L}\p{N}._\-/ ]{1,64}$/u;

/** A key as it stands in the file, in quotes if it could be mistaken for more. */
function nameKey(key: string): string {
  return PLAIN_KEY.test(key) ? key : inQuotes(key);
}

function nameCandidates(candidates: readonly { slug: string; name: string }[]): string {
  return joinSome(
    candidates.map(({ slug, name }) => `${shown(slug)} (${inQuotes(name)})`),
    { most: 5 },
  );
}

/** A value too wide for the terminal goes on below itself; the old value and the new one begin in the same column. */
function formatField({ field, old, new: value, isKept }: ShownField, widest: number, { colours, width }: BlockOptions): string {
  const indent = 4 + widest + 2 + 2;
  const room = Math.max(NARROWEST, width - indent);
  const name = `    ${field.padEnd(widest)}  `;
  const next = `\n${' '.repeat(indent)}`;
  if (old === null)
    return `${colours.dim(name)}  ${wrapParts({ start: shownValue(value), differing: '', end: '' }, room, (text) => text).join(next)}\n`;
  const parts = differingParts(shownValue(old), shownValue(value));
  const [before, after] = [
    wrapParts(parts.old, room, colours.red).join(next),
    wrapParts(parts.new, room, isKept ? colours.dim : colours.green).join(next),
  ];
  const arrow = `${' '.repeat(indent - 2)}→ `;
  return `${colours.dim(name)}  ${before}\n${arrow}${after}${isKept ? colours.dim(' (not applied)') : ''}\n`;
}

const NARROWEST = 20;

function shownValue(value: string): string {
  return value === '' ? '(empty)' : clean(value);
}

/** The lines of a value, the differing part colored; broken between characters, so that nothing of it is missing. */
function wrapParts({ start, differing, end }: Parts, room: number, mark: (text: string) => string): string[] {
  const lines: string[] = [];
  let line = '';
  let used = 0;
  for (const [text, paint] of [
    [start, (plain: string) => plain] as const,
    [differing, mark] as const,
    [end, (plain: string) => plain] as const,
  ]) {
    let run = '';
    for (const grapheme of graphemesOf(text)) {
      const columns = displayWidth(grapheme);
      if (used + columns > room && used > 0) {
        lines.push(line + (run === '' ? '' : paint(run)));
        [line, run, used] = ['', '', 0];
      }
      run += grapheme;
      used += columns;
    }
    if (run !== '') line += paint(run);
  }
  return [...lines, line];
}

function bounded(width: number): number | undefined {
  return Number.isFinite(width) ? width : undefined;
}
