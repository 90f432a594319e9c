import { type ClosedSpan, startOfDay } from '#scans/stats/calendar';
import { crossOf } from '#scans/stats/cross';
import type { Dimension } from '#scans/stats/dimensions';
import type { Counted } from '#scans/stats/figure';
import { type FiguresOptions, figuresOf, hoursByWeekday, totalOf } from '#scans/stats/figures';
import type { CountRequest } from '#scans/stats/readings';
import { parseScanTime } from '#service/scan-times';
import type { ReportFigures } from './compose-report.ts';
import type { Name } from './document.ts';

const MOST_COLUMNS = 4;

export function reportFigures(
  { groups, pairs = [], filters = [], span }: CountRequest,
  counted: Counted,
  input: FiguresOptions,
): Omit<ReportFigures, 'title' | 'note' | 'logo'> {
  const { before } = counted;
  const later = createdLater(counted.codes, span.untilMs);
  const options = {
    ...input,
    codes: input.codes?.filter((id) => !later.has(id)),
    span,
    nowMs: span.untilMs === undefined ? undefined : counted.nowMs,
  };
  const destinations = new Map(
    counted.codes?.map(({ id, slug, destination }) => [slug ?? id, placeOf(destination)]),
  );
  const sections = groups.map((group) => {
    const section = figuresOf(group, options);
    if (section.kind !== 'code') return section;
    const rows = section.rows.map((row) => ({ ...row, destination: destinations.get(row.value ?? '') }));
    return { ...section, rows };
  });
  const has = (dimension: Dimension) => groups.some(({ kind, by }) => kind !== 'column' && by === dimension);
  return {
    zone: options.zone,
    filters,
    range: closedRange(options),
    before: before && { ...before.span, isCovered: before.isCovered },
    coverage: counted.coverage,
    total: totalOf(options),
    sections: sections.filter(({ kind, rows }) => kind !== 'code' || rows.length > 1),
    crosses: pairs.map((pair) => crossOf(pair, options, MOST_COLUMNS)),
    hours: has('weekday') && has('hour') ? hoursByWeekday(options) : undefined,
    silent: silentCodes(options),
    codes: counted.codes?.length,
  };
}

/** Returns the host and path of a web destination. Its query and fragment may be secret. */
function placeOf(destination: string | null | undefined): string | undefined {
  if (!destination || !/^https?:/i.test(destination) || !URL.canParse(destination)) return undefined;
  const { host, pathname } = new URL(destination);
  return `${host}${pathname}`.replace(/^www\.|\/$/g, '');
}

function closedRange({ span, current, ...zone }: FiguresOptions): ClosedSpan | undefined {
  const seen = current.span();
  const sinceMs = span.sinceMs ?? (seen && startOfDay(seen.firstMs, zone));
  if (sinceMs === undefined) return undefined;
  if (span.untilMs !== undefined) return { sinceMs, untilMs: span.untilMs };
  if (seen === undefined) return undefined;
  const isOfDays = startOfDay(sinceMs, zone) === sinceMs;
  return { sinceMs, untilMs: isOfDays ? startOfDay(seen.lastMs, zone, 1) : seen.lastMs + 1 };
}

function createdLater(codes: Counted['codes'] = [], untilMs = Infinity): ReadonlySet<string> {
  const isLater = ({ created_at: time = '' }) => (parseScanTime(time) ?? 0) >= untilMs;
  return new Set(codes.filter(isLater).map(({ id }) => id.toLowerCase()));
}

function silentCodes({ current, codes = [], names }: FiguresOptions): Name[] {
  const counted = current.values.get('code')?.counts();
  return codes
    .filter((code) => !counted?.has(code))
    .map((code) => {
      const { value, name = value } = names?.get(code) ?? { value: code };
      return name === value ? { name } : { name, detail: value };
    });
}
