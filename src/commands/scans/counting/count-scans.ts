/** Counts the scans of a plan, from files or from the service; and words the count and makes figures of it. */
import { countOf, shown } from '../../../base/text/quote.ts';
import type { LocalTime } from '../../../base/time/local-time.ts';
import type { Context } from '../../../context.ts';
import type { CodeFailure } from '../../../scans/export/export-codes.ts';
import type { CodeTable } from '../../../scans/stats/code-table.ts';
import type { Counted } from '../../../scans/stats/counted.ts';
import type { FiguresOptions } from '../../../scans/stats/figures.ts';
import { type ChosenCodes, chooseLabels } from '../../choose-codes.ts';
import { formatRange } from '../../range-options.ts';
import type { CountPlan } from './plan-count.ts';

export type CountedCodes = Counted & { failures: CodeFailure[] };

/** Throws if all codes fail; the result contains the failures of some. */
export async function countScans(context: Context, plan: CountPlan): Promise<CountedCodes> {
  const counted = await count(context, plan);
  const { span, nowMs, codes, failures } = counted;
  context.facts.range = { sinceMs: span.sinceMs, untilMs: span.untilMs ?? nowMs };
  tellUnfinished(context, counted, plan.local);
  if (plan.table) tellJoin(context, plan.table);
  if (codes) context.facts.codes = codes.length - failures.length;
  return counted;
}

/** Returns whether a range has ended: its figures are final, and `previous` is that of a whole period. */
export function isOver({ span: { untilMs }, nowMs }: Counted): boolean {
  return untilMs === undefined || untilMs <= nowMs;
}

/** Says that a range has not ended, or not begun: its zeros are no result. */
function tellUnfinished({ console }: Context, counted: Counted, { format, zone }: LocalTime): void {
  const {
    span: { sinceMs = Number.NEGATIVE_INFINITY, untilMs = 0 },
    nowMs,
  } = counted;
  if (sinceMs > nowMs) console.warn(`the period begins in the future, at ${format(sinceMs)} (${zone})`);
  else if (!isOver(counted)) console.note(`The period is not over: it ends at ${format(untilMs)} (${zone})`);
}

async function count(context: Context, plan: CountPlan): Promise<CountedCodes> {
  if (plan.logs) {
    const { countFiles } = await import('./count-files.ts');
    return { ...(await countFiles(context, plan, plan.logs)), failures: [] };
  }
  const [{ countService }, { codes }] = await Promise.all([
    import('./count-service.ts'),
    codesOf(context, plan),
  ]);
  const counted = await countService(context, plan, codes);
  const [failure] = counted.failures;
  if (failure && counted.failures.length === codes.length) throw failure.error;
  return counted;
}

/** Codes of a plan; with their slugs, if those identify them in the result. */
export function codesOf(context: Context, { choice, names, needsLabels }: CountPlan): Promise<ChosenCodes> {
  return chooseLabels(context, names, choice, { isWanted: needsLabels });
}

/** Prints a note per kind of mismatch between the counted codes and the rows of `--join`; none if each has its counterpart. */
function tellJoin({ console }: Context, { name, unlisted, unusedRows, namelessRows }: CodeTable): void {
  const { count, first } = unlisted();
  const more = count > first.length ? ` and ${count - first.length} more` : '';
  if (count > 0)
    console.note(`${countOf(count, 'code')} not found in ${name}: ${first.map(shown).join(', ')}${more}`);
  const unused = unusedRows();
  if (unused > 0)
    console.note(
      `${countOf(unused, 'row')} of ${name} ${unused === 1 ? 'matches' : 'match'} no counted code`,
    );
  if (namelessRows > 0) console.note(`${countOf(namelessRows, 'row')} of ${name} skipped: no ID and no slug`);
}

/** Returns the input of the figures of a count, with the codes that could be counted; `top` as in FiguresOptions. */
export function figuresInput(
  { local }: CountPlan,
  counted: CountedCodes,
  top: number | undefined,
): FiguresOptions {
  const { current, span, before, data, names, codeGroups, nowMs } = counted;
  const failed = new Set(counted.failures.map(({ code }) => code.id));
  return {
    ...{ current, span, before, data, names, codeGroups, nowMs, top },
    codes: counted.codes?.filter(({ id }) => !failed.has(id)).map(({ id }) => id.toLowerCase()),
    ...{ timezone: local.zone, offsetAt: local.offsetMs },
  };
}

/** Returns the range with both ends; an end that was not requested is that of the last scan. Empty if there is neither. */
export function readRange({ span, current }: Counted, zone: string): string {
  const untilMs = span.untilMs ?? (current.span()?.lastMs ?? 0) + 1;
  return current.total() === 0 && span.untilMs === undefined
    ? ''
    : formatRange({ sinceMs: span.sinceMs, untilMs }, zone);
}

/** Returns the range that a count is compared with; empty if there is none. */
export function previousRange({ before }: Counted, zone: string): string {
  const { sinceMs, untilMs } = before?.span ?? {};
  return untilMs === undefined ? '' : formatRange({ sinceMs, untilMs }, zone);
}

/** Returns `1,000 scans from … to …, 4 requests`, or only the requests if no zone is given. */
export async function closingWords(
  context: Context,
  counted: Counted,
  zone: string | undefined,
): Promise<string> {
  const requests = counted.codes ? (await context.service()).stats().requests : 0;
  const scans = countOf(counted.current.total(), 'scan');
  const words = zone === undefined ? [] : [`${scans} ${readRange(counted, zone)}`.trim()];
  if (counted.before && zone !== undefined)
    words.push(
      `compared with ${countOf(counted.before.tally.total(), 'scan')} ${previousRange(counted, zone)}`,
    );
  return [...words, countOf(requests, 'request')].join(', ');
}
