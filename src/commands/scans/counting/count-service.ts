/** Counts the scans of codes with the same verification as an export: by totals if that takes fewer requests, otherwise by every page. */
import { fetchInOrder } from '../../../base/parallel.ts';
import { keepMemoryFlat } from '../../../base/run/v8-flags.ts';
import { countOf } from '../../../base/text/quote.ts';
import type { Context } from '../../../context.ts';
import { type CodeFailure, type CodeLabel, exportCodes } from '../../../scans/export/export-codes.ts';
import { type Bounds, type ReadScans, readFirst, widened } from '../../../scans/export/range.ts';
import type { Span } from '../../../scans/stats/calendar.ts';
import { type CodeOfScans, keyOfCode } from '../../../scans/stats/code-of-scans.ts';
import { type Counted, createTallies, type Tallies } from '../../../scans/stats/counted.ts';
import { isCovered, partOfService, startOfDay, type Zone } from '../../../scans/stats/data-part.ts';
import { codeGroupsOf, valuesOfCodes } from '../../../scans/stats/group-codes.ts';
import { cheaperByTotals, planReadings, type Reading } from '../../../scans/stats/readings.ts';
import type { Tally } from '../../../scans/stats/tally.ts';
import { createTallySink } from '../../../scans/stats/tally-sink.ts';
import { countByTotals } from '../../../scans/stats/totals.ts';
import type { Service } from '../../../service/service.ts';
import type { ScanPage } from '../../../service/shapes.ts';
import { showingAgain } from '../../../service/showing-again.ts';
import { fetchUnlisted } from '../../choose-codes.ts';
import { isOfOneCode } from '../tell-failures.ts';
import type { CountPlan } from './plan-count.ts';

export interface ServiceCount extends Counted {
  /** Codes that could not be counted; the others are. */
  failures: CodeFailure[];
}

/** Throws as listed in errors.ts if a failure concerns all codes. */
export async function countService(
  context: Context,
  plan: CountPlan,
  codes: readonly CodeLabel[],
): Promise<ServiceCount> {
  const service = await context.service();
  const { concurrency: width } = service;
  const planned = planReadings(plan, service.nowMs() ?? context.clock.now(), service.nowMs());
  const { groups, table, local } = plan;
  const values = valuesOfCodes(groups, table, ({ destination }) => destination ?? null);
  const ofLabel = new Map(codes.map((code) => [code.id, codeOfScans(code)]));
  const progress = context.console.progress('scans');
  const keepFlat = keepMemoryFlat();
  const fresh = () =>
    createTallies(groups, values, local.offsetMs, { ...plan.span, untilMs: planned.untilMs }, planned.before);
  const tallies = fresh();
  const failures: CodeFailure[] = [];
  let endMs = planned.untilMs;
  let counted = 0;
  try {
    for (const reading of planned.readings) {
      const left = codes.filter(({ id }) => !failures.some(({ code }) => code.id === id));
      await countReading(reading, left);
    }
  } finally {
    progress.stop();
  }
  const span: Span = { sinceMs: plan.span.sinceMs, untilMs: endMs };
  const { current } = tallies;
  const left = codes.filter(({ id }) => !failures.some(({ code }) => code.id === id));
  const zone = { timezone: local.zone, offsetAt: local.offsetMs };
  const data = partOfService(
    await withAges(service, left, { span, tally: current, zone }),
    [current, tallies.before],
    planned.before?.sinceMs ?? span.sinceMs,
    zone,
  );
  const before = planned.before && {
    ...{ tally: tallies.before, span: planned.before },
    isCovered: isCovered(planned.before, data),
  };
  const names = new Map(codes.map(scansOf).map((code) => [keyOfCode(code), code]));
  const nowMs = service.nowMs() ?? context.clock.now();
  const isColumn = (name: string) => groups.some(({ kind, by }) => kind === 'column' && by === name);
  const noneIn = (by: string) => (table && isColumn(by) ? table.noneIn(by) : 'empty');
  const codeGroups = codeGroupsOf(values, noneIn, { codes: left.map(scansOf), ofCode: data.ofCode });
  return { current, span, before, data, codes, names, codeGroups, coverage: undefined, failures, nowMs };

  async function countReading(reading: Reading, wanted: readonly CodeLabel[]): Promise<void> {
    if (reading.cuts === undefined) return readPages(reading, wanted, service);
    const { range, cuts } = reading;
    const ask = async (code: CodeLabel) => ({ code, first: await askFirst(service, code, range) });
    let isBelieved = true;
    for await (const { code, first } of fetchInOrder(wanted, ask, width)) {
      // If the totals of one code are inconclusive, those of the next are, too.
      if (first && isBelieved && cheaperByTotals(first, cuts)) {
        const read: ReadScans = (request) => service.listScans(code.id, request);
        const parts = await countByTotals({
          read,
          fetchInOrder,
          width,
          range,
          asked: widened(range),
          first,
          cuts,
        });
        isBelieved = parts !== undefined;
        if (parts) {
          parts.forEach((scans, part) => {
            tallies.addMany(cuts[part - 1] ?? range.sinceMs ?? range.untilMs - 1, scansOf(code), scans);
            show(scans);
          });
          continue;
        }
        context.console.note('The totals of the parts do not add up. Reading all pages instead');
      }
      await readPages(
        reading,
        [code],
        first ? { ...service, listScans: showingFirst(code, first) } : service,
      );
    }
  }

  /** Page 1 of a code is not fetched twice. */
  function showingFirst({ id }: CodeLabel, first: ScanPage): Service['listScans'] {
    return showingAgain(service.listScans, first, (code) => code === id);
  }

  async function readPages(reading: Reading, wanted: readonly CodeLabel[], from: Service): Promise<void> {
    const { range, sinceMs, cuts } = reading;
    // Only the pages of the last range, if they are those of all codes, are known to be all that is left.
    const isAll = cuts === undefined && reading === planned.readings.at(-1);
    const summary = await exportCodes({
      ...{ service: from, codes: wanted, fetchInOrder, width },
      untilMs: range?.untilMs,
      now: context.clock.now,
      openSink: async (code) => createTallySink({ sinceMs, fresh, into: merge, code: scansOf(code) }),
      note: context.console.note,
      progress: ({ rows, total }) =>
        show(0, rows, isAll && total !== undefined ? counted + total : undefined),
    });
    counted += summary.scans;
    endMs ??= summary.range?.untilMs;
    for (const failure of summary.failures) failures.push(failure);
  }

  /** The same object for each scan of a code. */
  function scansOf(code: CodeLabel): CodeOfScans {
    return ofLabel.get(code.id) ?? codeOfScans(code);
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

/** Only if there are no scans at the beginning of the range, the ages of codes that are given by ID matter: the codes may be younger. */
async function withAges(
  service: Service,
  codes: readonly CodeLabel[],
  { span: { sinceMs }, tally, zone }: { span: Span; tally: Tally; zone: Zone },
): Promise<CodeLabel[]> {
  const { firstMs = Number.NEGATIVE_INFINITY } = tally.span() ?? {};
  const mayBeYoung = sinceMs !== undefined && firstMs >= startOfDay(sinceMs, zone, 1);
  if (!mayBeYoung) return [...codes];
  const known = codes.filter(({ slug }) => slug !== undefined);
  const ids = codes.map(({ id }) => id);
  return [...known, ...(await fetchUnlisted(service, known, ids))];
}

function codeOfScans({ id, slug, name, destination }: CodeLabel): CodeOfScans {
  return { value: slug ?? id, id: id.toLowerCase(), slug, name, destination };
}

/** Fetches page 1 like the export; undefined if the code alone fails, and the export reports how. */
export async function askFirst(
  service: Service,
  { id, missing }: CodeLabel,
  range: Bounds,
): Promise<ScanPage | undefined> {
  if (missing) return undefined;
  return readFirst((request) => service.listScans(id, request), widened(range)).catch((error: unknown) => {
    if (isOfOneCode(error)) return undefined;
    throw error;
  });
}
