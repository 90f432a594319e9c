/** E14: tracks the POSTs of a ledger whose row has no code yet, and those that were repeated. */
import type { LedgerRecord, Sending } from './model.ts';

/** POST that is looked up. */
export interface OpenSending extends Sending {
  /** Number of the first request of the same row. */
  readonly first: number;
  /** Run in which the row got its code by another of its requests. */
  readonly since: string | undefined;
}

export interface Sendings {
  /** Takes the first listing of a run; its POSTs follow. */
  begin(run: string, ids: readonly string[]): void;
  open(record: Extract<LedgerRecord, { is: 'post' }>): void;
  /** Puts back a sending of a compacted ledger, in the order of `all`. */
  restore(sending: Omit<OpenSending, 'firstIds'>): void;
  /** Closes a POST, and returns it; undefined if it is not open. */
  close(n: number): OpenSending | undefined;
  /** The row of a closed POST has this code: its other requests count as repeated. */
  settle(closed: OpenSending, code: string): void;
  /** Drops the repeated requests whose row had its code before this run, which has looked for duplicates. */
  end(run: string): void;
  /** Unclear and repeated requests, oldest first. */
  all(): readonly OpenSending[];
  unclear(): readonly Sending[];
  repeated(): readonly Sending[];
}

export function createSendings(): Sendings {
  const open = new Map<number, OpenSending>();
  /** Requests of a row that was sent more than once, by its first request. */
  const repetitions = new Map<number, number[]>();
  let current = '';
  /** Shared by all requests of the run, and gone with the last of them. */
  let firstIds: ReadonlySet<string> = new Set();
  let lists: { unclear: Sending[]; repeated: Sending[] } | undefined;

  function add(sending: OpenSending): void {
    lists = undefined;
    open.set(sending.n, sending);
    if (sending.first === sending.n) return;
    const others = repetitions.get(sending.first);
    if (others) others.push(sending.n);
    else repetitions.set(sending.first, [sending.first, sending.n]);
  }

  function listed() {
    if (lists) return lists;
    const all = [...open.values()];
    const isUnclear = ({ rowCode }: Sending) => rowCode === undefined;
    lists = { unclear: all.filter(isUnclear), repeated: all.filter((sending) => !isUnclear(sending)) };
    return lists;
  }

  return {
    begin(run, ids) {
      current = run;
      firstIds = new Set(ids);
    },
    open({ n, run, values, key, replaces, decided = false, status, again }) {
      const first = again === undefined ? n : (open.get(again)?.first ?? again);
      add({
        n,
        run,
        values,
        key,
        replaces,
        decided,
        status,
        again,
        first,
        firstIds,
        rowCode: undefined,
        since: undefined,
      });
    },
    restore: (sending) => add({ ...sending, firstIds }),
    close(n) {
      const sending = open.get(n);
      if (!sending) return undefined;
      lists = undefined;
      open.delete(n);
      // A repetition of a request that the user decided about uses up the same decision.
      const others = repetitions.get(sending.first) ?? [];
      return { ...sending, decided: sending.decided || others.some((other) => open.get(other)?.decided) };
    },
    settle({ first }, code) {
      for (const n of repetitions.get(first) ?? []) {
        const other = open.get(n);
        if (other && other.rowCode === undefined) open.set(n, { ...other, rowCode: code, since: current });
      }
      lists = undefined;
    },
    end(run) {
      for (const { n, since } of open.values()) if (since !== undefined && since !== run) open.delete(n);
      lists = undefined;
    },
    all: () => [...open.values()],
    unclear: () => listed().unclear,
    repeated: () => listed().repeated,
  };
}
