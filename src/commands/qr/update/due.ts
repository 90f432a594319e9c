/** Applies the due rows of a plan of dated changes, each once (`qr update --from PLAN --due`). */
import { UnexpectedAnswerError } from '../../../base/errors.ts';
import { chooseTimeZone } from '../../../base/time/time-zone.ts';
import { endsByRow, itemsByRow, planDue } from '../../../codes/dated/due-plan.ts';
import { contradictions, nameOf } from '../../../codes/dated/due-wishes.ts';
import { readAt } from '../../../codes/dated/read-at.ts';
import type { CommonChanges } from '../../../codes/input/check-rows.ts';
import type { RowOutcome } from '../../../codes/input/outcomes.ts';
import type { Context } from '../../../context.ts';
import { DUE_PLAN_COLUMNS } from '../plan/plan-records.ts';
import { policyOf } from '../rows/flags.ts';
import { runFile } from '../rows/run-file.ts';
import type { ByCode } from '../rows/verb.ts';
import type { UpdateFlags } from './flags.ts';

/** Outcomes that every run has until the next change. */
const NO_NEWS: ReadonlySet<RowOutcome> = new Set<RowOutcome>(['later', 'unchanged', 'not-attempted']);

/**
 * Applies the rows whose time has come by the service's clock. Throws UsageError for an invalid plan, UnexpectedAnswerError if the service
 * sends no time, and otherwise as `runFile`.
 */
export async function updateDue(
  context: Context,
  from: string,
  common: CommonChanges,
  flags: UpdateFlags,
): Promise<void> {
  const zone = await defaultZone(context, flags);
  await runFile(context, from, flags, {
    policy: policyOf('update', flags, { isDated: true }),
    done: 'updated',
    common: { ...common, readAt: (cell) => readAt(cell, zone) },
    byCode: DUE,
  });
}

/** The rows of a code are one wish. */
const DUE: ByCode = {
  faults: (input, rows) => contradictions(input, rows, nameOf),
  plan(input, file, nowMs) {
    if (nowMs !== undefined || input.rows.length === 0) return planDue(input, { nowMs: nowMs ?? 0, file });
    throw new UnexpectedAnswerError('cannot determine which rows are due: the service sends no Date header', {
      hint: 'Check the service with `qrctl doctor`.',
    });
  },
  itemsByRow,
  endsByRow,
  isNews: ({ outcome }) => !NO_NEWS.has(outcome),
  columns: DUE_PLAN_COLUMNS,
};

/** Zone of times without one. Not that of the machine: a plan is read on several. Throws UsageError for a zone that does not exist. */
async function defaultZone(context: Context, { timezone: flag }: UpdateFlags): Promise<string | undefined> {
  const { timezone: setting } = await context.settings();
  return flag === undefined && setting === undefined ? undefined : chooseTimeZone({ flag, setting });
}
