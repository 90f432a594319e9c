/** Previews a deletion: the codes with their scans, and its cost (`qr delete --dry-run`). */
import { inParallel } from '../../../base/parallel/in-parallel.ts';
import { countOf } from '../../../base/text/quote.ts';
import { reasonOf } from '../../../codes/engine/results/explain.ts';
import type { PlanRow } from '../../../codes/engine/results/questions.ts';
import type { Context } from '../../../context.ts';
import type { Column } from '../../../files/formats/columns.ts';
import type { Row } from '../../../files/formats/row-sink.ts';
import type { QrCode } from '../../../service/shapes.ts';
import { planOutput, printRecords } from '../../output-options.ts';
import { ERROR } from '../code-columns.ts';
import { codeOf } from '../plan/plan-records.ts';
import type { PlanPrinter } from '../plan/print-plan.ts';
import { codesToDelete, countScans, tellBackup } from './confirm.ts';
import type { DeleteFlags } from './flags.ts';

/** Columns of `--dry-run`. */
export const LOSS_COLUMNS: readonly Column[] = [
  { name: 'line', importance: 2, keepWhole: true },
  { name: 'id', importance: 1, keepWhole: true },
  { name: 'slug', importance: 3, keepWhole: true },
  { name: 'name', importance: 4, leastWidth: 16, wishedWidth: 24 },
  { name: 'action', importance: 5, keepWhole: true },
  { name: 'scans', importance: 5, align: 'right', keepWhole: true },
  ERROR,
];

/** Number of records on a terminal by default, so that the lines below them stay visible. */
const MOST_SHOWN = 10;

/** Opens the output of `--dry-run`: one record per row, with the number of scans that would be lost. */
export async function openLosses(context: Context, flags: DeleteFlags): Promise<PlanPrinter> {
  const { console } = context;
  const { format, path } = await planOutput(context, flags, LOSS_COLUMNS, 'list');
  const isCut = format === 'table' && flags.format === undefined && path === undefined && console.isTerminal;
  let requests = 0;
  return {
    hasReasons: false,
    async print({ rows }) {
      const codes = codesToDelete({ items: rows.map(({ item }) => item) });
      const losses = await countLosses(context, codes, flags);
      requests = losses.requests;
      const shown = isCut ? rows.slice(0, MOST_SHOWN) : rows;
      const records = shown.map((row) => recordOf(row, losses.scans));
      await printRecords(context, records, LOSS_COLUMNS, flags, { none: 'no rows' });
      if (rows.length > shown.length)
        console.note(`and ${countOf(rows.length - shown.length, 'more row')} (--format table shows all)`);
      if (codes.length > 0) tellBackup(context, flags.backup);
      const lost = [...losses.scans.values()].reduce((sum, count) => sum + count, 0);
      console.note(`${countOf(codes.length, 'code')} and ${countOf(lost, 'scan')} would be deleted`);
    },
    moreRequests: () => requests,
    discard: async () => undefined,
  };
}

function recordOf(row: PlanRow, scans: ReadonlyMap<string, number>): Row {
  const { item } = row;
  const { id = null, slug = null } = codeOf(row);
  const name = item.code?.name ?? null;
  const lost = item.code ? (scans.get(item.code.id) ?? null) : null;
  return {
    line: item.row?.line ?? null,
    id,
    slug,
    name,
    action: item.action,
    scans: lost,
    error: reasonOf(row) ?? null,
  };
}

interface Losses {
  /** By ID. */
  readonly scans: ReadonlyMap<string, number>;
  /** Requests of a run besides the DELETEs: those of the prompt, which shows the scans, and of the backups. */
  readonly requests: number;
}

async function countLosses(
  context: Context,
  codes: readonly QrCode[],
  { yes, backup }: DeleteFlags,
): Promise<Losses> {
  const ofPrompt = yes ? 0 : codes.length;
  if (backup === undefined) return { scans: await countScans(context, codes), requests: ofPrompt };
  const { estimateBackup } = await import('../../../scans/backup/back-up.ts');
  const service = await context.service();
  const all = new Map<string, number>();
  let requests = ofPrompt;
  await inParallel(codes, service.concurrency, async (code) => {
    const estimate = await estimateBackup(service, code);
    all.set(code.id, estimate.scans);
    requests += estimate.requests;
  });
  return { scans: all, requests };
}
