/** E10: records each request before sending it. */
import { RequestFailure, UnexpectedResponseError } from '#base/errors';
import { marksOf } from '#codes/engine/plan/compare';
import type { LedgerRecord } from '#codes/engine/plan/ledger-lines';
import { FIELDS, type Field, type PlanItem, type Values } from '#codes/engine/plan/model';
import { fieldsOf, isAlteredName, isSame, lettersOf, rowValues, valuesKey } from '#codes/engine/plan/values';
import type { SendDelete } from '#service/service-options';
import type { CodeChanges, NewCode, QrCode } from '#service/shapes';
import type { Altered, RunJob } from './job.ts';
import type { StopRules } from './stop-rules.ts';

type PatchRecord = Extract<LedgerRecord, { is: 'patch' }>;

export class NotSent extends Error {}

export type Requests = ReturnType<typeof createRequests>;

export function createRequests(job: RunJob, stops: StopRules, isListed: (id: string) => boolean) {
  const { ledger, run, service } = job;
  const made = new Set<string>();
  /** Values of this run's POSTs, to detect responses to other POSTs. */
  const sent = new Set<string>();
  let next = ledger.view().next;
  const refuseIfStopped = () => {
    if (stops.isStopped()) throw new NotSent('not sent');
  };

  /** Sends a POST. Returns the code, or the error as `lost` if a code may exist. Otherwise, rejects. */
  async function post(item: PlanItem, values: NewCode): Promise<{ code: QrCode } | { lost: unknown }> {
    const { key, repeats, replaces, isDecided, send } = item;
    const decided = isDecided || undefined;
    let n = 0;
    const beforeSend = async () => {
      // The run may have stopped while this request waited for the rate limit.
      refuseIfStopped();
      if (n > 0) return;
      const [given, again] = [next++, repeats?.n];
      await ledger.append([
        { is: 'post', run, n: given, values, key, again, replaces, decided, status: send.status },
      ]);
      n = given;
      refuseIfStopped();
      sent.add(valuesKey(values));
    };
    try {
      const code = await service.createCode(values, beforeSend);
      const id = code.id.toLowerCase();
      if (made.has(id) || isListed(id))
        throw new UnexpectedResponseError(`the service returned an existing code (${code.id})`);
      if (isOther(values, code) && sent.has(valuesKey(code)))
        throw new UnexpectedResponseError(`the service returned the code of another row (${code.id})`);
      made.add(id);
      ledger.note([{ is: 'made', n, id, slug: code.slug, stored: fieldsOf(code) }]);
      return { code };
    } catch (error) {
      if (n > 0 && !isNotApplied(error)) return { lost: error };
      if (n > 0) ledger.note([{ is: 'not', n }]);
      throw error;
    }
  }

  /** Sends a PATCH unless `refuse` throws. Throws UnexpectedResponseError for an ignored field. */
  async function patch(
    code: QrCode,
    set: CodeChanges,
    of: Partial<Pick<PlanItem, 'row' | 'key'>> & { pause?: PatchRecord['pause'] } = {},
    refuse = refuseIfStopped,
  ): Promise<QrCode> {
    refuse();
    const n = next++;
    const row = of.row?.wish.name === undefined ? undefined : rowValues(of.row);
    const id = code.id.toLowerCase();
    const before = only(set, fieldsOf(code));
    const due = of.row?.due && marksOf(of.row.due, (field) => field in set);
    await ledger.append([{ is: 'patch', run, n, id, set, before, key: of.key, row, pause: of.pause, due }]);
    try {
      refuse();
      const after = await service.updateCode(code.id, set);
      const ignored = new Set<string>(fieldsIgnored(code, set, after));
      const stored = Object.entries(only(set, fieldsOf(after))).filter(([field]) => !ignored.has(field));
      ledger.note([
        stored.length > 0 ? { is: 'set', n, stored: Object.fromEntries(stored) } : { is: 'not', n },
      ]);
      if (ignored.size === 0) return after;
      throw new UnexpectedResponseError(
        `the service reported success but did not change the ${[...ignored].join(' and the ')}`,
      );
    } catch (error) {
      if (isNotApplied(error)) ledger.note([{ is: 'not', n }]);
      throw error;
    }
  }

  async function remove(code: QrCode): Promise<void> {
    const id = code.id.toLowerCase();
    const send: SendDelete = async (beforeSend) => {
      refuseIfStopped();
      const n = next++;
      await ledger.append([{ is: 'delete', run, n, id }]);
      try {
        refuseIfStopped();
        await service.deleteCode(code.id, beforeSend);
        ledger.note([{ is: 'deleted', n }]);
      } catch (error) {
        if (isNotApplied(error)) ledger.note([{ is: 'not', n }]);
        throw error;
      }
    };
    if (!job.backUp) return send();
    const { paused } = ledger.view().claims.get(id) ?? {};
    const isLeftPaused = paused?.why === 'backup' && code.status === 'paused';
    let present: QrCode | undefined = code;
    await job.backUp(isLeftPaused ? { ...code, status: paused.status } : code, send, async (status) => {
      if (present?.status === status) return;
      const from: QrCode = present ?? { ...code, status: 'unknown' };
      present = undefined;
      const isPause = status === 'paused';
      // B5: `patch` records the old status before it sends the pause. A stopped run also restores the status.
      present = await patch(
        from,
        { status },
        { pause: isPause ? 'backup' : 'restored' },
        isPause ? refuseIfStopped : () => undefined,
      );
    });
  }

  return { post, patch, remove, made: made as ReadonlySet<string> };
}

function isNotApplied(error: unknown): boolean {
  return error instanceof NotSent || (error instanceof RequestFailure && error.outcome === 'not-applied');
}

function only(set: CodeChanges, values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([field]) => field in set));
}

function fieldsIgnored(before: QrCode, sent: CodeChanges, after: QrCode): Field[] {
  return FIELDS.filter((field) => {
    const [was, wanted, is] = [before[field] ?? '', sent[field], after[field] ?? ''];
    return wanted !== undefined && is === was && !isFormOf(field, wanted, is);
  });
}

/** Returns whether the stored value is the sent one, apart from normalization or, for a name, truncation. */
function isFormOf(field: Field, sent: string, stored: string): boolean {
  if (field === 'name') return isAlteredName(sent, stored);
  return isSame(field, sent, stored) || lettersOf(sent) === lettersOf(stored);
}

function isOther({ name, destination }: NewCode, code: QrCode): boolean {
  if (destination === undefined) return false;
  return !isFormOf('name', name, code.name) && !isFormOf('destination', destination, code.destination ?? '');
}

/** E18: returns sent values that the service stored differently. */
export function alteredValues(sent: Partial<NewCode> & CodeChanges, after: QrCode): Altered[] {
  return [...FIELDS, 'type' as const].flatMap((field) => {
    const [wanted, stored] = [sent[field], after[field] ?? ''];
    return wanted === undefined || wanted === stored ? [] : [{ field, sent: wanted, stored }];
  });
}

export function missingChanges(wanted: CodeChanges, code: QrCode): CodeChanges {
  return Object.fromEntries(
    Object.entries(wanted).filter(([field, value]) => value !== code[field as Field]),
  );
}
