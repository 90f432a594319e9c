/** Runs rows that change or delete codes. They are safe to repeat, so no journal is needed; failures are reported per row. */
import {
  messageOf,
  NotFoundError,
  RejectedError,
  UnavailableError,
  UnexpectedAnswerError,
  UnprovenError,
} from '../../base/errors.ts';
import { inParallel } from '../../base/parallel/in-parallel.ts';
import { restore } from '../../base/text/defuse.ts';
import { quote } from '../../base/text/quote.ts';
import { addUtm } from '../../base/text/utm.ts';
import type { Service } from '../../service/service.ts';
import type { CodeChanges, NewCode, QrCode } from '../../service/shapes.ts';
import type { UpdateRow } from '../input/check-rows.ts';
import type { RowResult } from '../input/outcomes.ts';
import { isShortenedFrom } from '../input/shortened-number.ts';
import { valuesKey } from './creation/same-values.ts';
import { type Lookup, requireCode } from './find-codes.ts';

export interface ChangeJob<R extends { row: number }> {
  /** Rows about the same code stay together and are done one after the other. */
  groups: readonly (readonly R[])[];
  apply: (row: R) => Promise<RowResult>;
  concurrency: number;
  failFast: boolean;
  signal: AbortSignal;
  onEvent: (result: RowResult) => void;
}

export interface ChangeEnd {
  /** By row number; rows that are missing were not attempted. */
  results: Map<number, RowResult>;
  /** Why rows were left, or undefined. */
  stop: unknown;
  /** Failure of the first row that failed. */
  firstError: unknown;
  /** Failure of the first row that could not be verified, or undefined. */
  unproven: UnprovenError | undefined;
}

/** The request layer has repeated each of these for minutes before it gave up. */
const MOST_UNAVAILABLE_IN_A_ROW = 3;

/** Applies every row. Never throws: `stop` is the reason if it stopped. */
export async function changeRows<R extends { row: number }>(job: ChangeJob<R>): Promise<ChangeEnd> {
  const end: ChangeEnd = { results: new Map(), stop: undefined, firstError: undefined, unproven: undefined };
  let unavailable = 0;
  const stopped = () => end.stop !== undefined;

  async function change(row: R): Promise<void> {
    try {
      const result = await job.apply(row);
      unavailable = 0;
      note(row, result);
    } catch (error) {
      if (job.signal.aborted) end.stop ??= job.signal.reason;
      else if (!belongsToRow(error)) end.stop ??= error;
      else {
        unavailable = error instanceof UnavailableError ? unavailable + 1 : 0;
        if (job.failFast || unavailable >= MOST_UNAVAILABLE_IN_A_ROW) end.stop ??= error;
        end.firstError ??= error;
        if (error instanceof UnprovenError) end.unproven ??= error;
        note(row, { outcome: 'failed', error: messageOf(error) });
      }
    }
  }
  function note({ row }: R, result: RowResult): void {
    end.results.set(row, result);
    job.onEvent(result);
  }

  await inParallel(
    job.groups,
    job.concurrency,
    async (group) => {
      for (const row of group) if (!stopped()) await change(row);
    },
    stopped,
  );
  return end;
}

/** Other failures (key, rate limit, disk) would meet the next row too. */
function belongsToRow(error: unknown): boolean {
  return [NotFoundError, RejectedError, UnavailableError, UnexpectedAnswerError, UnprovenError].some(
    (failure) => error instanceof failure,
  );
}

/**
 * Returns the changes of a row for this code, with tags added to the new or the current destination. Throws RejectedError if that is not a
 * web address.
 */
export function changesFor(
  { changes, utm }: Pick<UpdateRow, 'changes' | 'utm'>,
  code: Pick<QrCode, 'slug' | 'destination'>,
): CodeChanges {
  if (utm === undefined) return changes;
  try {
    return { ...changes, destination: addUtm(changes.destination ?? code.destination ?? '', utm) };
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new RejectedError(`the destination of ${quote(code.slug)} ${cause.message}`, { outcome: 'not-applied', cause });
  }
}

/** Returns the changes that are still missing. `through`: changes that a spreadsheet makes to texts do not count. */
export function differences(
  code: QrCode,
  { name, destination, status }: CodeChanges,
  through?: UpdateRow['through'],
): CodeChanges {
  return {
    ...(name !== undefined && isOther(name, code.name, through) && { name }),
    ...(destination !== undefined && isOther(destination, code.destination ?? '', through) && { destination }),
    ...(status !== undefined && status !== code.status && { status }),
  };
}

/**
 * No file in UTF-8 can hold a lone surrogate: it becomes U+FFFD. Spreadsheets rewrite line breaks and drop NULs; and a CSV that was saved
 * as a workbook still has the apostrophes that escaped it.
 */
function isOther(text: string, present: string, through: UpdateRow['through']): boolean {
  if (text.toWellFormed() === present.toWellFormed()) return false;
  if (through === undefined) return true;
  if (through === 'csv' && isShortenedFrom(text, present)) return false;
  const plain = (given: string) => given.toWellFormed().replace(/\r\n?/g, '\n').replaceAll('\0', '');
  return plain(text) !== plain(present) && !(through === 'xlsx' && plain(restore(text)) === plain(present));
}

/** Throws UnexpectedAnswerError if the service reported success and left a field unchanged. It may have normalized the sent value. */
export function refuseUnchanged(code: NewCode | QrCode, changes: CodeChanges, after: QrCode): void {
  for (const field of ['name', 'destination'] as const) {
    const isSame = changes[field] === undefined || valuesKey({ ...code, [field]: changes[field] }) === valuesKey(code);
    if (isSame || (after[field] ?? '') !== (code[field] ?? '')) continue;
    throw new UnexpectedAnswerError(`the service reported success but did not change the ${field}`);
  }
}

/** Returns the changes of a row, given the code as earlier rows of the file leave it. */
interface PlannedUpdate {
  code: QrCode;
  /** Empty: it is so already. */
  changes: CodeChanges;
}

/**
 * Creates a function that plans the rows, in their order; call `changed` with a code after each change, for the next row about it. Throws
 * NotFoundError if the code is missing, and as `changesFor`.
 */
export function createUpdatePlan(lookup: Lookup): { plan(row: UpdateRow): PlannedUpdate; changed(after: QrCode): void } {
  const known = new Map<string, QrCode>();
  return {
    plan(row) {
      const found = requireCode(row, lookup);
      const code = known.get(found.id) ?? found;
      return { code, changes: differences(code, changesFor(row, code), row.through) };
    },
    changed: (after) => known.set(after.id, after),
  };
}

/** Creates a function that carries out the plan of one row and returns its outcome. */
export function createUpdater(service: Pick<Service, 'updateCode'>, lookup: Lookup): (row: UpdateRow) => Promise<RowResult> {
  const { plan, changed } = createUpdatePlan(lookup);
  return async (row) => {
    const { code, changes } = plan(row);
    const { id, slug } = code;
    if (Object.keys(changes).length === 0) return { id, slug, outcome: 'unchanged' };
    const after = await service.updateCode(id, changes);
    refuseUnchanged(code, changes, after);
    changed(after);
    return { id, slug, outcome: 'updated' };
  };
}
