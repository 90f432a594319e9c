/** Requests of the newest run that were answered with the codes of their rows. */
import type { Stamp } from './journal-records.ts';
import { createNumbers } from './numbers.ts';
import type { Attempt } from './time-bounds.ts';

export interface AnsweredRequests {
  set(row: number, attempt: Attempt, end: Stamp): void;
  of(row: number): Attempt | undefined;
  /** A run begins: the times of responses matter only for its own requests. */
  clear(): void;
}

/** `t`, `w`, `b`, `s` of the request, its session, and those of its end. */
const WIDTH = 9;

export function createAnsweredRequests(): AnsweredRequests {
  const numbers = createNumbers(WIDTH);
  const stampAt = (row: number, field: number): Stamp => {
    const [t = 0, w = 0, b = 0, s = 0] = [0, 1, 2, 3].map((more) => numbers.get(row, field + more));
    return { t, w, b, s: Number.isNaN(s) ? undefined : s };
  };
  return {
    set: (row, { session, ...begin }, end) => numbers.set(row, [...numbersOf(begin), session, ...numbersOf(end)]),
    of(row) {
      const session = numbers.get(row, 4);
      return Number.isNaN(session) ? undefined : { ...stampAt(row, 0), session, end: stampAt(row, 5) };
    },
    clear: numbers.clear,
  };
}

function numbersOf({ t, w, b, s = Number.NaN }: Stamp): number[] {
  return [t, w, b, s];
}
