import { messageOf, NotFoundError, RateLimitError, RequestFailure } from '#base/errors';
import { inParallel } from '#base/parallel';
import type { PlanItem } from '#codes/engine/plan/model';
import { hasChanges } from '#codes/engine/plan/values';
import type { RowOutcome } from '#codes/input/outcomes';
import type { NewCode, QrCode } from '#service/shapes';
import type { RunJob } from './job.ts';
import { alteredValues, missingChanges, NotSent, type Requests } from './requests.ts';
import type { RowState, RowStates } from './row-states.ts';
import type { StopRules } from './stop-rules.ts';

export function createCarrier(
  { clock, concurrency, onEvent }: RunJob,
  stops: StopRules,
  states: RowStates,
  requests: Requests,
) {
  let lostMs: number | undefined;
  let repeatedMs: number | undefined;

  async function carryOut(item: PlanItem): Promise<void> {
    const state = states.of(item);
    const { action, code, values } = item;
    try {
      if (values) await create(item, values, state);
      else if (code) await (action === 'delete' ? remove(code, state) : change(item, code, state));
    } catch (error) {
      fail(state, error);
    }
  }

  async function create(item: PlanItem, values: NewCode, state: RowState): Promise<void> {
    const posted = await requests.post(item, values);
    state.isPosted = true;
    state.isUnclear = 'lost' in posted;
    if (item.repeats) repeatedMs = clock.monotonic();
    if ('lost' in posted) {
      lostMs = clock.monotonic();
      state.error = messageOf(posted.lost);
      stops.lost(posted.lost);
      return onEvent({ is: 'lost', item });
    }
    stops.passed();
    state.error = undefined;
    state.code = posted.code;
    state.altered.push(...alteredValues(values, posted.code));
    const missing = missingChanges(item.send, posted.code);
    if (hasChanges(missing)) return change({ ...item, send: missing }, posted.code, state);
    end(state, 'created');
  }

  async function change(item: PlanItem, code: QrCode, state: RowState): Promise<void> {
    state.code = await requests.patch(code, item.send, item);
    stops.passed();
    state.altered.push(...alteredValues(item.send, state.code));
    end(state, state.isPosted ? 'created' : 'updated');
  }

  async function remove(code: QrCode, state: RowState): Promise<void> {
    await requests.remove(code);
    stops.passed();
    end(state, 'deleted');
  }

  function end(state: RowState, outcome: RowOutcome): void {
    state.outcome = outcome;
    onEvent({ is: 'done', item: state.item });
  }

  /** Records a failed row. A rate limit, a local error or an unsent request is not a failure of the row. */
  function fail(state: RowState, error: unknown): void {
    if (error instanceof NotSent) return;
    const isOfRow = stops.failed(error);
    const isAnswered = error instanceof RequestFailure && !(error instanceof RateLimitError);
    if (!isOfRow && !isAnswered) return;
    state.error = messageOf(error);
    state.outcome = error instanceof NotFoundError && !state.isPosted ? 'gone' : 'failed';
    onEvent({ is: 'failed', item: state.item });
  }

  return {
    send: (items: readonly PlanItem[]) => inParallel(items, concurrency, carryOut, stops.isStopped),
    lostMs: () => lostMs,
    repeatedMs: () => repeatedMs,
  };
}
