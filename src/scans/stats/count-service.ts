/** Counts scans by totals if that takes fewer requests than reading the pages. */
import { ifNotFound } from '#base/errors';
import { fetchInOrder } from '#base/parallel';
import { keepMemoryFlat } from '#base/run/v8-flags';
import { countOf } from '#base/text/quote';
import { isOfOneCode } from '#scans/export/code-failures';
import { type CodeFailure, type CodeLabel, exportCodes } from '#scans/export/export-codes';
import { type Bounds, readerOf } from '#scans/export/range';
import { countRange, type RangeCount } from '#scans/export/truncated-total';
import type { ScanRun } from '#scans/scan-run';
import type { Service } from '#service/service';
import { showingAgain } from '#service/showing-again';
import { startOfDay } from './calendar.ts';
import { type CodeOfScans, keyOfCode } from './code-of-scans.ts';
import { isCovered, partOfService } from './coverage.ts';
import type { Counted } from './figure.ts';
import { codeGroupsOf, createScanTest, valuesOfCodes } from './filters.ts';
import { type CountRequest, cheaperByTotals, countByTotals, planReadings, type Reading } from './readings.ts';
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
  // Without scans at the beginning of the range, the codes may be younger than the range.
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

/** Counts a code by page 1; undefined if the code alone fails, which the export reports. */
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
