/** Rows of `scans verify`, its closing line, and the failure it ends with. */
import type { Context } from '../../../context.ts';
import { PartialError, UnprovenError } from '../../../errors.ts';
import type { Column } from '../../../rows/columns.ts';
import { countOf, quote } from '../../../text/quote.ts';
import { formatInstant } from '../../../time/time.ts';
import { DAY_MS } from '../../../time/units.ts';
import type { CodeResult } from '../../../verify/verify-codes.ts';

export const COLUMNS: readonly Column[] = [
  { name: 'id', importance: 2, keepWhole: true },
  { name: 'slug', importance: 10, keepWhole: true },
  { name: 'name', importance: 5, leastWidth: 16 },
  { name: 'day', importance: 9, keepWhole: true },
  { name: 'outcome', importance: 11, keepWhole: true },
  { name: 'missing', importance: 8, align: 'right' },
  { name: 'gone', importance: 7, align: 'right' },
  { name: 'twice', importance: 6, align: 'right' },
  { name: 'logged', importance: 4, align: 'right' },
  { name: 'error', importance: 3, leastWidth: 20 },
];

/** Returns the rows of the output: one per code, or one per day that differs. */
export function rowsOf({ code, outcome, days, logged, reason, added }: CodeResult): Record<string, unknown>[] {
  const { id, slug = null, name = null } = code;
  const about = { id, slug, name, logged, error: reason?.message ?? null };
  if (days.length === 0) return [{ ...about, day: null, outcome, missing: 0, gone: outcome === 'gone' ? logged : 0, twice: 0 }];
  const found = outcome === 'different' && added > 0 ? 'repaired' : outcome;
  return days.map(({ day, missing, gone, twice }) => {
    const isRepaired = found === 'repaired' && gone === 0 && twice === 0;
    const date = formatInstant(day * DAY_MS).slice(0, '2026-10-31'.length);
    return { ...about, day: date, outcome: found === 'repaired' && !isRepaired ? 'different' : found, missing, gone, twice };
  });
}

/** Sums over all codes. */
export interface Totals {
  logged: number;
  missing: number;
  gone: number;
  twice: number;
  added: number;
  days: number;
}

export function totalsOf(results: readonly CodeResult[]): Totals {
  const totals: Totals = { logged: 0, missing: 0, gone: 0, twice: 0, added: 0, days: 0 };
  for (const { days, logged, added, outcome } of results) {
    totals.logged += logged;
    totals.added += added;
    totals.days += days.length;
    if (outcome === 'gone' && days.length === 0) totals.gone += logged;
    for (const { missing, gone, twice } of days) {
      totals.missing += missing;
      totals.gone += gone;
      totals.twice += twice;
    }
  }
  return totals;
}

/** Notes what was compared. */
export function tellTotals({ console }: Context, results: readonly CodeResult[], requests: number): void {
  const { logged, added } = totalsOf(results);
  const compared = results.filter(({ range }) => range !== undefined).length;
  const skipped = results.length - compared;
  const parts = [
    `Verified ${countOf(logged, 'scan')} of ${countOf(compared, 'code')}`,
    added > 0 && `added ${countOf(added, 'missing scan')}`,
    skipped > 0 && `${countOf(skipped, 'code')} without exported scans`,
  ];
  console.note(`${parts.filter(Boolean).join(', ')} (${countOf(requests, 'request')})`);
}

/** What may still be done about missing scans: `add` them, `export` the file again, or nothing. */
export type WayOn = 'add' | 'export' | undefined;

const HINTS = {
  add: 'To add the missing scans, run the command again with --repair.',
  export: 'To get the missing scans, export again with `qrctl scans export`. Only files written with --append can be repaired.',
} as const;

/** Returns the failure of a run that found differences that remain, or undefined. `place`: the file or directory. */
export function failureOf(results: readonly CodeResult[], place: string, wayOn: WayOn): Error | undefined {
  const unproven = results.filter(({ outcome }) => outcome === 'unproven');
  const [first] = unproven;
  if (first) {
    const which = unproven.length === 1 ? quote(first.code.slug ?? first.code.id) : countOf(unproven.length, 'code');
    return new UnprovenError(`${which} could not be compared with the service: ${first.reason?.message}`, {
      hint: 'When fewer scans arrive, run the same command again.',
      cause: first.reason,
    });
  }
  const { missing, gone, twice, added } = totalsOf(results);
  const left = missing - added;
  if (left <= 0 && gone === 0 && twice === 0) return undefined;
  const parts = [
    left > 0 && `${countOf(left, 'scan')} missing`,
    gone > 0 && `${countOf(gone, 'scan')} no longer on the service`,
    twice > 0 && `${countOf(twice, 'duplicate row')}`,
  ];
  const stays = 'Rows that the service no longer has, and duplicate rows, are never removed. List them with --format csv.';
  const hint = left > 0 && wayOn ? HINTS[wayOn] : stays;
  return new PartialError(`${place} differs from the service: ${parts.filter(Boolean).join(', ')}`, { hint });
}
