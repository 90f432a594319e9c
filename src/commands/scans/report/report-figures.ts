/** Figures of a report, from what was counted. */
import type { ReportFigures } from '../../../scans/report/compose-report.ts';
import type { Name } from '../../../scans/report/document.ts';
import type { ClosedSpan } from '../../../scans/stats/compare-span.ts';
import { startOfDay } from '../../../scans/stats/data-part.ts';
import type { Dimension } from '../../../scans/stats/dimensions.ts';
import { type FiguresOptions, figuresOf, hoursByWeekday, totalOf } from '../../../scans/stats/figures.ts';
import { type CountedCodes, figuresInput } from '../counting/count-scans.ts';
import type { CountPlan } from '../counting/plan-count.ts';

const TOP = 10;

/** Returns all figures of the report, independent of the clock: a range without an end ends with its last scan. */
export function reportFigures(
  plan: CountPlan,
  counted: CountedCodes,
): Omit<ReportFigures, 'title' | 'note' | 'logo'> {
  const options: FiguresOptions = {
    ...figuresInput(plan, counted, plan.top ?? TOP),
    span: plan.span,
    nowMs: plan.span.untilMs === undefined ? undefined : counted.nowMs,
  };
  const { groups } = plan;
  const sections = groups.map((group) => figuresOf(group, options));
  const has = (dimension: Dimension) => groups.some(({ kind, by }) => kind !== 'column' && by === dimension);
  return {
    zone: options.timezone,
    range: closedRange(options),
    before: beforeOf(counted),
    coverage: counted.coverage,
    total: totalOf(options),
    // One code is all of the report.
    sections: sections.filter(({ kind, rows }) => kind !== 'code' || rows.length > 1),
    hours: has('weekday') && has('hour') ? hoursByWeekday(options) : undefined,
    silent: silentCodes(options),
    codes: counted.codes?.length,
  };
}

function beforeOf({ before }: CountedCodes): ReportFigures['before'] {
  const { sinceMs, untilMs } = before?.span ?? {};
  return before && sinceMs !== undefined && untilMs !== undefined
    ? { sinceMs, untilMs, isCovered: before.isCovered }
    : undefined;
}

/** Returns the range with both ends; undefined if it has neither ends nor scans. */
function closedRange({ span, current, timezone, offsetAt }: FiguresOptions): ClosedSpan | undefined {
  const seen = current.span();
  const zone = { timezone, offsetAt };
  const sinceMs = span.sinceMs ?? (seen && startOfDay(seen.firstMs, zone));
  if (sinceMs === undefined) return undefined;
  if (span.untilMs !== undefined) return { sinceMs, untilMs: span.untilMs };
  if (seen === undefined) return undefined;
  const isOfDays = startOfDay(sinceMs, zone) === sinceMs;
  return { sinceMs, untilMs: isOfDays ? startOfDay(seen.lastMs, zone, 1) : seen.lastMs + 1 };
}

/** Requested codes without a scan in the range. */
function silentCodes({ current, codes = [], names }: FiguresOptions): Name[] {
  const counts = new Map(
    current.values
      .get('code')
      ?.counts()
      .map(({ value, scans }) => [value, scans]),
  );
  return codes
    .filter((code) => !counts.get(code))
    .map((code) => {
      const { value, name = value } = names?.get(code) ?? { value: code };
      return name === value ? { name } : { name, detail: value };
    });
}
