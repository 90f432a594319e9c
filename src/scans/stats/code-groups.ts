/** Groups of codes: by a UTM tag of their destinations, or by a column of a file about codes. */
import type { CodeOfScans } from './code-of-scans.ts';
import type { Value } from './value-counter.ts';

/** Returns the value of a code in its group; throws if the code can't be identified. */
export type ValueOfCode = (code: CodeOfScans) => Value;

/** By the name of the group. */
export type CodeValues = ReadonlyMap<string, ValueOfCode>;

/** Why codes have no value: it is empty, their codes are not in the file, or some are and some are not. */
export type NoneIs = 'empty' | 'unlisted' | 'both';

/** What is known of a group of codes beside its counts. */
export interface CodeGroup {
  noneIs: NoneIs;
  /** Values of the requested codes: those without scans have a row as well. */
  requested: readonly Value[];
  /** Beginning of the day on which the oldest code with a value was created, as far as it is known. */
  beginsMs: ReadonlyMap<Value, number>;
}
