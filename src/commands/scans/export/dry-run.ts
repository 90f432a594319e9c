/** `scans export --dry-run`: the codes, range, scans and requests of an export, and its duration. */
import { NotFoundError } from '../../../base/errors.ts';
import { fetchInOrder } from '../../../base/parallel.ts';
import type { Context } from '../../../context.ts';
import type { Column } from '../../../files/formats/columns.ts';
import { MOST_ROWS } from '../../../files/formats/table-bounds.ts';
import type { CodeFailure, CodeLabel } from '../../../scans/export/export-codes.ts';
import { requestsAfter } from '../../../scans/export/export-scans.ts';
import { countsBeyond, cut, type ReadScans, readFirst, widened } from '../../../scans/export/range.ts';
import { type ChosenCodes, requestsToName } from '../../choose-codes.ts';
import { COST_COLUMNS, costOfRequests, printCost, rangeColumns } from '../predicted-cost.ts';
import { toldFailures } from '../tell-failures.ts';
import { type ExportPlan, filesOf } from './plan-export.ts';

/** Columns of `--dry-run`. */
export const COLUMNS: readonly Column[] = [
  { name: 'codes' },
  { name: 'since' },
  { name: 'until' },
  { name: 'scans' },
  ...COST_COLUMNS,
];

/**
 * Asks for page 1 of each code as the export does, and prints one record: the requests are those that the export needs while the
 * service holds still, finding the codes included.
 */
export async function printDryRun(
  context: Context,
  plan: ExportPlan,
  { codes, names }: ChosenCodes,
): Promise<void> {
  const service = await context.service();
  const { proveBeyond } = plan;
  const positions = await savedPositions(plan, codes);
  let requests = await requestsToName(service, names, plan.named);
  const began = context.clock.monotonic();
  let scans = 0;
  let endMs = plan.untilMs ?? service.nowMs();
  const failures: CodeFailure[] = [];
  const ask = async ({ id, slug }: CodeLabel, sent: () => void) => {
    const isOpen = endMs === undefined;
    const range = { sinceMs: positions.get(id) ?? plan.sinceMs, untilMs: endMs };
    const read: ReadScans = (request) => service.listScans(id, request);
    sent();
    const first = await readFirst(read, widened(range));
    endMs ??= service.nowMs();
    const isKnown = slug !== undefined;
    if (first.total === 0 && !isKnown) {
      sent();
      await service.getCode(id);
    }
    const inside = cut(first, { ...range, untilMs: endMs ?? Number.POSITIVE_INFINITY });
    scans += first.total - (first.rows.length - inside.rows.length);
    const isReadAgain = isOpen && countsBeyond(first, widened({ ...range, untilMs: endMs }));
    const until = endMs ?? Number.POSITIVE_INFINITY;
    const after = requestsAfter(first, { ...range, isKnown, proveBeyond, untilMs: until });
    requests += (isReadAgain ? 2 : 1) + after;
  };
  // A deleted code fails alone, here and in the export, and costs the request that detects it.
  const askAlone = async (code: CodeLabel) => {
    let spent = 0;
    const asked = code.missing ? Promise.reject(code.missing) : ask(code, () => (spent += 1));
    await asked.catch((error) => {
      if (!(error instanceof NotFoundError)) throw error;
      failures.push({ code, error });
      requests += spent;
    });
  };
  for await (const _ of fetchInOrder(codes, askAlone, service.concurrency));
  if (failures[0] && failures.length === codes.length) throw failures[0].error;
  if (plan.output.format === 'xlsx') {
    const [{ countingRequests }, { tooManyRows }] = await Promise.all([
      import('./workbook-rows.ts'),
      import('../../../files/formats/xlsx/workbook-sink.ts'),
    ]);
    if (scans > MOST_ROWS) throw tooManyRows(scans);
    requests += countingRequests(codes);
  }
  // As long as these took each, with as many in flight.
  const workMs = codes.length === 0 ? 0 : ((context.clock.monotonic() - began) * requests) / codes.length;
  const record = {
    codes: codes.length,
    ...rangeColumns(plan.sinceMs, endMs),
    ...{ scans, ...costOfRequests(service, requests, workMs) },
  };
  await printCost(context, record, COLUMNS, plan.output);
  const told = toldFailures(failures, codes.length, 'would fail; the others would be exported');
  for (const line of failures.length > 0 ? told : []) context.console.warn(line);
  context.console.note('nothing was exported');
}

/** Returns where an append would begin reading, from the state next to each file; a code without one is read from the beginning. */
async function savedPositions(plan: ExportPlan, codes: readonly CodeLabel[]): Promise<Map<string, number>> {
  const { append, directory, partition, untilMs } = plan;
  if (!append || append.restart) return new Map();
  if (directory !== undefined && partition) {
    const { readDatasetPositions } = await import('../../../scans/dataset/open-dataset.ts');
    return readDatasetPositions(directory, append.overlapMs, untilMs);
  }
  const { readPositions } = await import('../../../scans/append/append-file.ts');
  const files = directory === undefined ? [append.path] : codes.map(filesOf(plan, codes));
  const found = await Promise.all(files.map((file) => readPositions(file, append.overlapMs, untilMs)));
  return new Map(found.flatMap((positions) => [...positions]));
}
