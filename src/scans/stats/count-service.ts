/** Counts by totals if that takes fewer requests than reading the pages. */
import { sum } from '../../base/collections.ts';
import { ifNotFound } from '../../base/errors.ts';
import { fetchInOrder } from '../../base/parallel.ts';
import { keepMemoryFlat } from '../../base/run/v8-flags.ts';
import { countOf } from '../../base/text/quote.ts';
import type { Service } from '../../service/service.ts';
import type { ScanPage } from '../../service/shapes.ts';
import { showingAgain } from '../../service/showing-again.ts';
import { isOfOneCode } from '../export/code-failures.ts';
import { type CodeFailure, type CodeLabel, exportCodes } from '../export/export-codes.ts';
import { orderOf } from '../export/export-scans.ts';
import {
  type Bounds,
  pageReader,
  pageSizeOf,
  type Range,
  type RangeReading,
  readerOf,
} from '../export/range.ts';
import {
  countRange,
  mayBeTruncated,
  type RangeCount,
  requestBeyond,
  widenEdge,
} from '../export/truncated-total.ts';
import type { ScanRun } from '../scan-run.ts';
import { startOfDay } from './calendar.ts';
import { type CodeOfScans, keyOfCode } from './code-of-scans.ts';
import { isCovered, partOfService } from './coverage.ts';
import type { Counted } from './figure.ts';
import { codeGroupsOf, createScanTest, valuesOfCodes } from './filters.ts';
import { type CountRequest, cheaperByTotals, planReadings, type Reading } from './readings.ts';
import { createTallies, createTallySink, type Tallies } from './tally.ts';

interface ServiceCount extends Counted {
  failures: CodeFailure[];
}

export async function countService(
  { clock, console }: ScanRun,
  service: Service,
  request: CountRequest,
  codes: readonly CodeLabel[],
): Promise<ServiceCount> {
  const planned = planReadings(request, service.nowMs() ?? clock.now(), service.nowMs());
  const { groups, pairs, filters = [], table, local } = request;
  const values = valuesOfCodes(groups, table, ({ destination }) => destination ?? null);
  const ofScans = filters.filter(({ group: { kind } }) => kind === 'time' || kind === 'value');
  const isCounted = ofScans.length > 0 ? createScanTest(ofScans, values, local.offsetMs) : undefined;
  const ofLabel = new Map(codes.map((code) => [code.id, codeOfScans(code)]));
  const scansOf = (code: CodeLabel) => ofLabel.get(code.id) ?? codeOfScans(code);
  const progress = console.progress('scans');
  const keepFlat = keepMemoryFlat();
  const { before, untilMs } = planned;
  const fresh = () =>
    createTallies(groups, values, local.offsetMs, { ...request.span, untilMs }, before, isCounted, pairs);
  const tallies = fresh();
  const failures: CodeFailure[] = [];
  const notFailed = () => codes.filter(({ id }) => !failures.some(({ code }) => code.id === id));
  let endMs = untilMs;
  let counted = 0;
  try {
    for (const reading of planned.readings) await countReading(reading, notFailed());
  } finally {
    progress.stop();
  }
  const { current } = tallies;
  const span = { sinceMs: request.span.sinceMs, untilMs: endMs };
  const { firstMs = -Infinity } = current.span() ?? {};
  // Without scans at the beginning of the range, the codes may be younger than it.
  const mayBeYoung = span.sinceMs !== undefined && firstMs >= startOfDay(span.sinceMs, local, 1);
  const left = notFailed();
  const data = partOfService(
    mayBeYoung ? await withAges(service, left) : left,
    [current, tallies.before],
    before?.sinceMs ?? span.sinceMs,
    local,
  );
  const isColumn = (name: string) => groups.some(({ kind, by }) => kind === 'column' && by === name);
  const noneIn = (by: string) => (table && isColumn(by) ? table.noneIn(by) : 'empty');
  return {
    current,
    span,
    before: before && { tally: tallies.before, span: before, isCovered: isCovered(before, data) },
    data,
    codes,
    names: new Map(codes.map(scansOf).map((code) => [keyOfCode(code), code])),
    codeGroups: codeGroupsOf(values, noneIn, { codes: left.map(scansOf), ofCode: data.ofCode }),
    coverage: undefined,
    failures,
    nowMs: service.nowMs() ?? clock.now(),
  };

  async function countReading(reading: Reading, wanted: readonly CodeLabel[]): Promise<void> {
    if (reading.cuts === undefined) return readPages(reading, wanted, service);
    const { range, cuts } = reading;
    const fetch = async (code: CodeLabel) => ({ code, first: await countAlone(service, code, range) });
    let addsUp = true;
    for await (const { code, first } of fetchInOrder(wanted, fetch, service.concurrency)) {
      // If the totals of one code don't add up, those of the next don't either.
      if (first && addsUp && cheaperByTotals(first.page, cuts)) {
        const parts = await countByTotals({
          ...readerOf(code, service),
          range,
          asked: first.asked,
          first: first.page,
          cuts,
        });
        addsUp = parts !== undefined;
        if (parts) {
          parts.forEach((scans, part) => {
            tallies.addMany(cuts[part - 1] ?? range.sinceMs ?? range.untilMs - 1, scansOf(code), scans);
            show(scans);
          });
          continue;
        }
        console.note('The totals of the parts do not add up. Reading all pages instead');
      }
      const listScans = first && showingAgain(service.listScans, first.page, (id) => id === code.id);
      await readPages(reading, [code], listScans ? { ...service, listScans } : service);
    }
  }

  async function readPages(reading: Reading, wanted: readonly CodeLabel[], from: Service): Promise<void> {
    const { range, sinceMs, cuts } = reading;
    // The total is known to be complete only if the last range is read by pages.
    const isAll = cuts === undefined && reading === planned.readings.at(-1);
    const summary = await exportCodes({
      service: from,
      codes: wanted,
      untilMs: range?.untilMs,
      now: clock.now,
      openSink: async (code) => createTallySink({ sinceMs, fresh, into: merge, code: scansOf(code) }),
      note: console.note,
      progress: ({ rows, total }) =>
        show(0, rows, isAll && total !== undefined ? counted + total : undefined),
    });
    counted += summary.scans;
    endMs ??= summary.range?.untilMs;
    for (const failure of summary.failures) failures.push(failure);
  }

  function merge(of: Tallies): void {
    tallies.current.addAll(of.current);
    tallies.before.addAll(of.before);
  }

  function show(scans: number, rows = 0, total?: number): void {
    keepFlat();
    counted += scans;
    const { requests } = service.stats();
    progress.update({ done: counted + rows, total, detail: countOf(requests, 'request') });
  }
}

export function codeOfScans({ id, slug, name, destination }: CodeLabel): CodeOfScans {
  return { value: slug ?? id, id: id.toLowerCase(), slug, name, destination };
}

async function withAges(service: Service, codes: readonly CodeLabel[]): Promise<CodeLabel[]> {
  const fetch = async (code: CodeLabel): Promise<CodeLabel> => {
    return code.slug === undefined ? service.getCode(code.id).catch(ifNotFound(code)) : code;
  };
  const found: CodeLabel[] = [];
  for await (const code of fetchInOrder(codes, fetch, service.concurrency)) found.push(code);
  return found;
}

/** Counts the scans of a code by page 1; undefined if the code alone fails, which the export reports. */
export async function countAlone(
  service: Pick<Service, 'listScans'>,
  { id, missing }: CodeLabel,
  range: Bounds,
): Promise<RangeCount | undefined> {
  if (missing) return undefined;
  return countRange((request) => service.listScans(id, request), range).catch((error: unknown) => {
    if (isOfOneCode(error)) return undefined;
    throw error;
  });
}

interface TotalsJob extends RangeReading {
  first: ScanPage;
  cuts: readonly number[];
}

/** Time by which a part begins before its cut, because the bound may be exclusive. */
const EXCLUSIVE_MS = 1;

/**
 * Counts parts of a range by one total each, instead of all pages; undefined if the pages must be read. Parts
 * are requested wider at their cuts, so no total is too small. If they add up to the total of the whole, none
 * is too large, and no scan arrived meanwhile.
 */
export async function countByTotals(job: TotalsJob): Promise<number[] | undefined> {
  const { read, first, cuts, range } = job;
  const order = orderOf(first);
  if (order === 'mixed') return undefined;
  const pageSize = pageSizeOf(first);
  // The far end of the pages comes last, when its total shows the number of the last page.
  const far = order === 'ascending' ? cuts.length : 0;
  const near = order === 'ascending' ? 0 : cuts.length;
  const counts: number[] = [];
  const others = Array.from({ length: cuts.length }, (_, at) => (order === 'ascending' ? at : at + 1));
  const fetchTotal = async (part: number) => {
    const { total } = await read({ page: 1, limit: 1, ...boundsOf(part, job) });
    return { part, total };
  };
  for await (const { part, total } of job.fetchInOrder(others, fetchTotal, job.width)) counts[part] = total;
  const left = first.total - sum(Object.values(counts));
  const page = Math.max(1, Math.ceil(left / pageSize));
  const last = await read({ page, limit: pageSize, ...boundsOf(far, job) });
  // F7: a scan arrived meanwhile or is dated at a cut, or a total is capped.
  if (last.total !== left || last.rows.length !== left - (page - 1) * pageSize) return undefined;
  counts[far] = left;
  // F8: a part with as many scans as the whole is capped if the whole is.
  if (counts.some((count) => count === first.total) && mayBeTruncated(first.total, pageSize)) {
    const end = left > 0 ? last : await pageReader(job, first)(Math.ceil(first.total / pageSize));
    const edge = widenEdge(
      first.rows.length === first.total ? widenEdge(undefined, first, order) : undefined,
      end,
      order,
    );
    if (!edge || (await requestBeyond(job, order, edge, first.total)) !== false) return undefined;
  }
  const outsideNear = marginOf(first, range, {
    atBeginning: order === 'ascending',
    isAll: first.total === first.rows.length,
  });
  const outsideFar = marginOf(last, range, { atBeginning: order !== 'ascending', isAll: page === 1 });
  if (outsideNear === undefined || outsideFar === undefined) return undefined;
  // F9: the margins belong to no part.
  counts[near] = (counts[near] ?? 0) - outsideNear;
  counts[far] = (counts[far] ?? 0) - outsideFar;
  return counts.some((count) => count < 0) ? undefined : counts;
}

/** F7: bounds are wider at cuts, never narrower. */
function boundsOf(part: number, { cuts, asked }: TotalsJob): Bounds {
  const since = cuts[part - 1];
  const until = cuts[part];
  return {
    ...asked,
    ...(since !== undefined && { sinceMs: since - EXCLUSIVE_MS }),
    ...(until !== undefined && { untilMs: until }),
  };
}

function marginOf(
  { times }: ScanPage,
  { sinceMs = -Infinity, untilMs }: Range,
  { atBeginning, isAll }: { atBeginning: boolean; isAll: boolean },
): number | undefined {
  const outside = times.filter((time) => (atBeginning ? time < sinceMs : time >= untilMs)).length;
  return outside === times.length && !isAll ? undefined : outside;
}
