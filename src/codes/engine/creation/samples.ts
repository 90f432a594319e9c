/** Samples of a clock, moment by moment: numbers only, because a run of a million rows takes one at every request and response. */
import type { Stamp } from './journal-records.ts';
import { createNumbers } from './numbers.ts';

/** At `stamp` a clock of the service showed at least `valueMs`. */
export interface Sample extends Stamp {
  valueMs: number;
}

/** Oldest first. */
export interface Samples {
  count(): number;
  add(sample: Sample): void;
  at(place: number): Sample | undefined;
  /** The largest `valueMs - t` of the first so many; -Infinity of none. */
  offsetOf(count: number): number;
  /** How many there are up to this moment of their session, and before it. */
  countUntil(t: number): number;
  countBefore(t: number): number;
}

const FIELDS = { t: 0, w: 1, b: 2, valueMs: 3, offset: 4 } as const;
const WIDTH = 5;

export function createSamples(): Samples {
  const numbers = createNumbers(WIDTH);
  const get = (place: number, field: number) => numbers.get(place, field);

  function offsetOf(count: number): number {
    return count > 0 ? get(count - 1, FIELDS.offset) : Number.NEGATIVE_INFINITY;
  }

  /** The lines of one flush share their moment. */
  function isLast({ t, w, b, valueMs }: Sample): boolean {
    const last = numbers.count() - 1;
    return (
      get(last, FIELDS.t) === t && get(last, FIELDS.w) === w && get(last, FIELDS.b) === b && get(last, FIELDS.valueMs) === valueMs
    );
  }

  return {
    count: numbers.count,
    add(sample) {
      if (isLast(sample)) return;
      const { t, w, b, valueMs } = sample;
      numbers.set(numbers.count(), [t, w, b, valueMs, Math.max(offsetOf(numbers.count()), valueMs - t)]);
    },
    at(place) {
      if (place >= numbers.count()) return undefined;
      return { t: get(place, FIELDS.t), w: get(place, FIELDS.w), b: get(place, FIELDS.b), valueMs: get(place, FIELDS.valueMs) };
    },
    offsetOf,
    countUntil: (t) => partition((sampleT) => sampleT <= t),
    countBefore: (t) => partition((sampleT) => sampleT < t),
  };

  /** By halves. */
  function partition(isBefore: (t: number) => boolean): number {
    let low = 0;
    for (let high = numbers.count(); low < high; ) {
      const middle = (low + high) >> 1;
      if (isBefore(get(middle, FIELDS.t))) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
