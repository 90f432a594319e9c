/** Counts scans in files or on the service. Requests totals if they suffice and take fewer requests. */
import { getOrAdd } from '#base/collections';
import { ifNotFound, isOfOneCode } from '#base/errors';
import { fetchInOrder } from '#base/parallel';
import { keepMemoryFlat } from '#base/run/v8-flags';
import { countOf } from '#base/text/quote';
import { type CodeFailure, type CodeLabel, exportCodes } from '#scans/export/export-codes';
import { type Bounds, readerOf } from '#scans/export/range';
import { countRange, type RangeCount } from '#scans/export/truncated-total';
import type { ScanRun } from '#scans/scan-run';
import type { Service } from '#service/service';
import { showingAgain } from '#service/showing-again';
import { type ClosedSpan, type Span, spanBefore, startOfDay } from './calendar.ts';
import { type CodeName, type CodeOfScans, keyOfCode, tellApart } from './code-of-scans.ts';
import {
  type Coverage,
  coverageOf,
  coveredLogs,
  type DataPart,
  isCovered,
  partOfFiles,
  partOfService,
} from './coverage.ts';
import { fieldsOf } from './dimensions.ts';
import type { Counted } from './figure.ts';
import { codeGroupsOf, createScanTest, type ValueOfCode, valuesOfCodes } from './filters.ts';
import { filesOf, type InputLog } from './input/input-log.ts';
import { readInputs } from './input/read-scans.ts';
import { type CountRequest, cheaperByTotals, countByTotals, planReadings, type Reading } from './readings.ts';
import { createTallies, createTally, createTallySink, type Tallies } from './tally.ts';

export async function countFiles(
  { clock, console, signal }: ScanRun,
  request: CountRequest,
  logs: readonly InputLog[],
): Promise<Counted & { coverage: Coverage }> {
  const { table, local, span, compare } = request;
  const nowMs = clock.now();
  const { sinceMs, untilMs = nowMs } = span;
  const isCompared = compare !== 'none' && sinceMs !== undefined;
  const earlier = isCompared ? spanBefore({ sinceMs, untilMs }, compare, local.zone, nowMs) : undefined;
  const { used, values, newTallies } = planTallies(request, request.destinationOf ?? (() => null));
  const start = () => newTallies(span, earlier);
  let tallies = start();
  const names = new Map<string, CodeName>();
  const progress = console.progress('scans');
  const read = readInputs({
    ...filesOf(logs),
    fields: fieldsOf(used),
    start() {
      tallies = start();
      return naming(tallies.add, names);
    },
    note: console.note,
    signal,
    onPiece() {
      const done = tallies.current.total() + tallies.before.total();
      progress.update({ done, total: undefined, detail: '0 requests' });
    },
  });
  const spans = await read.finally(progress.stop);
  // Looks up the last code, so that the table has all codes without a match.
  for (const tally of [tallies.current, tallies.before]) tally.settle();
  const coverage = coverageOf(await coveredLogs(logs, spans), span, earlier);
  const data = partOfFiles(coverage, local);
  const noneIn = (by: string) => table?.noneIn(by) ?? 'empty';
  return {
    ...countedOf(tallies, span, earlier, data),
    failures: [],
    names: tellApart(names),
    codeGroups: codeGroupsOf(values, noneIn, { codes: [], ofCode: undefined }),
    coverage,
    nowMs,
  };
}

function planTallies(request: CountRequest, destinationOf: ValueOfCode) {
  const { groups, pairs, filters = [], isChosen, table, local } = request;
  const { offsetMs } = local;
  const used = [...groups, ...filters.map(({ group }) => group)];
  const values = valuesOfCodes(used, table, destinationOf);
  const isCounted = createScanTest(filters, values, offsetMs, isChosen);
  const newTally = () => createTally(groups, offsetMs, values, isCounted, pairs);
  const newTallies = (span: Span, before: Span | undefined) => createTallies(newTally, span, before);
  return { used, values, newTallies };
}

function countedOf(
  { current, before }: Tallies,
  span: Span,
  earlier: ClosedSpan | undefined,
  data: DataPart,
) {
  const compared = earlier && { tally: before, span: earlier, isCovered: isCovered(earlier, data) };
  return { current, span, before: compared, data };
}

const MOST_NAMES = 10_000;

function naming(add: Tallies['add'], names: Map<string, CodeName>): Tallies['add'] {
  let last: CodeOfScans | undefined;
  return (ms, scan, code) => {
    if (code !== last) {
      const key = keyOfCode(code);
      const known = names.get(key);
      const { slug = known?.value ?? code.value, name = known?.name } = code;
      if (known || names.size < MOST_NAMES) names.set(key, { value: slug, name });
      last = code;
    }
    add(ms, scan, code);
  };
}

export async function countService(
  { clock, console, signal }: ScanRun,
  service: Service,
  request: CountRequest,
  codes: readonly CodeLabel[],
): Promise<Counted> {
  const planned = planReadings(request, service.nowMs() ?? clock.now(), service.nowMs());
  const { groups, table, local } = request;
  const { values, newTallies } = planTallies(request, ({ destination }) => destination ?? null);
  const ofLabel = new Map<string, CodeOfScans>();
  // Reuses objects, because tallies compare codes by identity.
  const scansOf = (code: CodeLabel) => getOrAdd(ofLabel, code.id, () => codeOfScans(code));
  const progress = console.progress('scans');
  const keepFlat = keepMemoryFlat();
  const { before, untilMs } = planned;
  const fresh = () => newTallies({ ...request.span, untilMs }, before);
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
  const firstMs = current.span()?.firstMs ?? (current.total() > 0 ? Infinity : -Infinity);
  // Without scans on the first day, all codes may have been created after the range began.
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
    ...countedOf(tallies, span, before, data),
    codes,
    names: new Map(codes.map(scansOf).map((code) => [keyOfCode(code), code])),
    codeGroups: codeGroupsOf(values, noneIn, { codes: left.map(scansOf), ofCode: data.ofCode }),
    failures,
    nowMs: service.nowMs() ?? clock.now(),
  };

  async function countReading(reading: Reading, wanted: readonly CodeLabel[]): Promise<void> {
    if (reading.cuts === undefined) return readPages(reading, wanted, service);
    const { range, cuts } = reading;
    const fetch = async (code: CodeLabel) => ({ code, first: await countAlone(service, code, range) });
    let addsUp = true;
    for await (const { code, first } of fetchInOrder(wanted, fetch, service.concurrency)) {
      if (first && addsUp && cheaperByTotals(first.page, cuts)) {
        const { asked, page } = first;
        const parts = await countByTotals({ ...readerOf(code, service), range, asked, first: page, cuts });
        addsUp = parts !== undefined;
        if (parts) {
          parts.forEach((scans, part) => {
            const unit = { sinceMs: cuts[part - 1] ?? range.sinceMs, untilMs: cuts[part] ?? range.untilMs };
            tallies.addMany(unit, scansOf(code), scans);
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
    const { range, cuts } = reading;
    // The total of all ranges is known only while the last range is read by pages.
    const isAll = cuts === undefined && reading === planned.readings.at(-1);
    const summary = await exportCodes({
      service: from,
      codes: wanted,
      untilMs: range.untilMs,
      clock,
      signal,
      openSink: async (code) =>
        createTallySink({ sinceMs: range.sinceMs, fresh, into: merge, code: scansOf(code) }),
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

/** Counts a code's scans with page 1. Returns undefined for an error of this code alone. */
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
