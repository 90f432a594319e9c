/** Runs of the executor against codes in memory, with everything that can go wrong between a request and its response, and with kills at any step. */
import {
  AuthError,
  NotFoundError,
  PlanLimitError,
  RateLimitError,
  RejectedError,
  UnavailableError,
  UnexpectedResponseError,
} from '#base/errors';
import type { RunEnd, RunEvent, RunJob } from '#codes/engine/executor/job';
import { runRows } from '#codes/engine/executor/run-rows';
import type { LedgerRecord } from '#codes/engine/plan/ledger-lines';
import { createReplay } from '#codes/engine/plan/ledger-view';
import type { Ledger, Policy, Row } from '#codes/engine/plan/model';
import { plan } from '#codes/engine/plan/plan';
import type { CodeChanges, NewCode, QrCode } from '#service/shapes';
import { type FakeClock, fakeClock } from '../../../support/clock.ts';
import { codeOf, POLICY } from '../plan/make.ts';

export type Mishap =
  | 'none'
  /** The connection breaks before anything happens. */
  | 'drop'
  /** Applied, and the response lost. */
  | 'applied'
  /** The response is lost, and the request is applied 5 seconds later. */
  | 'late'
  /** Applied 25 seconds later, long after the visibility delay. */
  | 'very-late'
  /** The response shows another code, and nothing was applied. */
  | 'doubled'
  | 'rejected'
  | 'full'
  | 'unauthorized'
  | 'refused'
  | 'max-wait';

export interface WorldOptions {
  readonly codes?: readonly QrCode[];
  /** What happens to the n-th POST, from 0. An error is thrown, and nothing applied. */
  readonly post?: (n: number, values: NewCode) => Mishap | Error;
  readonly patch?: (n: number, set: CodeChanges) => Mishap | Error;
  readonly remove?: (n: number) => Mishap | Error;
  /** How long the n-th POST waits for the rate limit before each of its attempts, ms. */
  readonly postWaits?: (n: number) => readonly number[];
  /** What the service makes of values. */
  readonly alters?: (values: CodeChanges) => CodeChanges;
  /** How far the n-th listing of a run is behind, ms. */
  readonly listLagMs?: (n: number) => number;
  /** Records that were only noted are lost in a kill, as by a power cut. */
  readonly losesNotes?: boolean;
}

export interface World {
  readonly time: FakeClock;
  readonly records: LedgerRecord[];
  /** Requests in their order: `POST Menu`, `PATCH Menu {"status":"paused"}`, `LIST`. */
  readonly sent: string[];
  /** Steps so far, each of which a kill may precede. */
  steps: number;
  /** The codes as they are on the service. */
  codes(): QrCode[];
  /** Another client changes a code. */
  edit(name: string, changes: Partial<QrCode>): void;
  add(values: NewCode): QrCode;
  remove(name: string): void;
  /** One run, in a process of its own. `killAt`: the step at which it is killed; returns undefined then. */
  run(rows: readonly Row[], job?: Partial<RunJob>, killAt?: number): Promise<RunEnd | undefined>;
  /** Events of the last run. */
  events: RunEvent[];
}

interface Stored {
  code: QrCode;
  bornMs: number;
  goneMs: number;
}

/** A kill: nothing happens in this process any more. */
class Killed extends Error {}

export function createWorld(options: WorldOptions = {}): World {
  const { alters = (values) => values } = options;
  const time = fakeClock();
  const stored: Stored[] = (options.codes ?? []).map((code) => ({
    code,
    bornMs: -1e9,
    goneMs: Number.POSITIVE_INFINITY,
  }));
  const records: LedgerRecord[] = [];
  const counts = { wait: 0, post: 0, patch: 0, remove: 0 };
  let made = 100;
  let runs = 0;
  const present = () => stored.filter(({ goneMs }) => goneMs > time.monotonic());
  const find = (id: string) => present().find(({ code }) => code.id === id);
  const named = (name: string) => present().find(({ code }) => code.name === name);

  function add(values: NewCode): QrCode {
    const { name = '', destination, status = 'active' } = alters(values);
    const type = values.type ?? 'url';
    const created_at = new Date(time.now()).toISOString();
    const code = codeOf(made++, {
      name,
      type,
      destination: destination ?? null,
      status,
      created_at,
      updated_at: created_at,
    });
    stored.push({ code, bornMs: time.monotonic(), goneMs: Number.POSITIVE_INFINITY });
    return { ...code };
  }

  function update(id: string, set: CodeChanges): QrCode {
    const found = find(id);
    if (!found) throw new NotFoundError('not found (404)');
    found.code = { ...found.code, ...alters(set) };
    return { ...found.code };
  }

  function failureOf(mishap: Mishap | Error): Error | undefined {
    if (mishap instanceof Error) return mishap;
    switch (mishap) {
      case 'rejected':
        return new RejectedError('bad values', { status: 400, outcome: 'not-applied' });
      case 'full':
        return new PlanLimitError('the plan is full', { status: 403, outcome: 'not-applied' });
      case 'unauthorized':
        return new AuthError('bad key', { status: 401, outcome: 'not-applied' });
      case 'refused':
        return new UnavailableError('connection refused', { outcome: 'not-applied' });
      case 'max-wait':
        return new RateLimitError('the wait would exceed --max-wait', { outcome: 'not-applied' });
      case 'none':
        return undefined;
      default:
        return new UnavailableError('the connection broke', { outcome: 'unknown' });
    }
  }

  function processOf(killAt: number) {
    let isDead = false;
    let durable = records.length;
    let lists = 0;
    const replay = createReplay();
    for (const record of records) replay.take(record);
    const step = () => {
      if (isDead || world.steps >= killAt) {
        if (!isDead && options.losesNotes) records.length = durable;
        isDead = true;
        throw new Killed('killed');
      }
      world.steps += 1;
    };
    const take = (added: readonly LedgerRecord[]) => {
      for (const record of added) {
        records.push(JSON.parse(JSON.stringify(record)));
        replay.take(record);
      }
    };
    const ledger: Ledger = {
      view: replay.view,
      async append(added) {
        step();
        take(added);
        await time.sleep(1);
        durable = records.length;
        step();
      },
      note(added) {
        step();
        take(added);
      },
    };
    const service: RunJob['service'] = {
      async createCode(values, beforeSend) {
        const waits = options.postWaits?.(counts.wait++) ?? [];
        for (const ms of waits) {
          await time.sleep(ms);
          await beforeSend?.();
        }
        if (waits.length === 0) await beforeSend?.();
        step();
        const mishap = options.post?.(counts.post++, values) ?? 'none';
        world.sent.push(`POST ${values.name}`);
        const failure = failureOf(mishap);
        if (mishap === 'late' || mishap === 'very-late')
          time.at(time.monotonic() + (mishap === 'late' ? 5000 : 25_000), () => add(values));
        const code = mishap === 'none' || mishap === 'applied' ? add(values) : undefined;
        await time.sleep(20);
        step();
        const [oldest] = stored;
        if (mishap === 'doubled' && oldest) return { ...oldest.code };
        if (failure || !code) throw failure ?? new UnexpectedResponseError('no code');
        return code;
      },
      async updateCode(id, set) {
        step();
        const mishap = options.patch?.(counts.patch++, set) ?? 'none';
        world.sent.push(`PATCH ${find(id)?.code.name} ${JSON.stringify(set)}`);
        const after = mishap === 'none' || mishap === 'applied' ? update(id, set) : undefined;
        await time.sleep(20);
        step();
        const failure = failureOf(mishap);
        if (failure || !after) throw failure ?? new UnexpectedResponseError('no code');
        return after;
      },
      async deleteCode(id) {
        step();
        const mishap = options.remove?.(counts.remove++) ?? 'none';
        const found = find(id);
        world.sent.push(`DELETE ${found?.code.name}`);
        if (!found) throw new NotFoundError('not found (404)');
        if (mishap === 'none' || mishap === 'applied') found.goneMs = time.monotonic();
        await time.sleep(20);
        step();
        const failure = failureOf(mishap);
        if (failure) throw failure;
      },
      async getCode(id) {
        step();
        world.sent.push('GET');
        const found = find(id);
        if (!found) throw new NotFoundError('not found (404)');
        return { ...found.code };
      },
    };
    const listCodes = async () => {
      step();
      world.sent.push('LIST');
      const atMs = time.monotonic() - (options.listLagMs?.(lists++) ?? 0);
      await time.sleep(20);
      step();
      return stored
        .filter(({ bornMs, goneMs }) => bornMs <= atMs && goneMs > atMs)
        .map(({ code }) => ({ ...code }));
    };
    return { ledger, service, listCodes, isDead: () => isDead };
  }

  const world: World = {
    time,
    records,
    sent: [],
    steps: 0,
    events: [],
    codes: () => present().map(({ code }) => code),
    add,
    edit(name, changes) {
      const found = named(name);
      if (found) found.code = { ...found.code, ...changes };
    },
    remove(name) {
      const found = named(name);
      if (found) found.goneMs = time.monotonic();
    },
    async run(rows, given = {}, killAt = Number.POSITIVE_INFINITY) {
      runs += 1;
      world.steps = 0;
      world.events = [];
      world.sent.length = 0;
      const { isDead, ...parts } = processOf(killAt);
      const job: RunJob = {
        ...parts,
        rows,
        policy: POLICY,
        run: `run ${runs}`,
        plan,
        clock: time,
        settleMs: 10_000,
        concurrency: 1,
        failFast: false,
        signal: new AbortController().signal,
        onPlan: () => undefined,
        onEvent: (event) => world.events.push(event),
        ...given,
      };
      const end = await time.run(
        runRows(job).catch((error) => (error instanceof Killed ? undefined : Promise.reject(error))),
      );
      return isDead() ? undefined : end;
    },
  };
  return world;
}

/** Policy of tests that differs from that of `qr create` in these fields. */
export function policyOf(changes: Partial<Policy>): Policy {
  return { ...POLICY, ...changes };
}

export function outcomesOf(end: RunEnd | undefined): string[] {
  return end?.ends.map(({ outcome }) => outcome) ?? [];
}

/** Requests that were sent, without those that only read. */
export function writesOf({ sent }: World): string[] {
  return sent.filter((request) => request !== 'LIST' && request !== 'GET');
}

export function namesOf(world: World): string[] {
  return world.codes().map(({ name }) => name);
}
