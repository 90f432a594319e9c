/** Outcomes of rows. `qr check`, `scans watch` and `scans verify` have their own. */
import { countBy } from '#base/collections';

export const OUTCOMES = {
  created: 'New code or image',
  adopted: 'Existing code that was assigned to the row',
  exists: 'Existing code with the same values as the row; no other one was created',
  updated: 'Changed code or image',
  unchanged:
    'Nothing to change: the values are the same, only another client changed them, or a later row replaces them',
  edited: 'The row may be an edit of an existing code; nothing was sent (--apply-edits)',
  conflict: 'The row and another client changed the same field since the list was saved (exit 9)',
  gone: 'The code of the row does not exist: it was deleted, or was never one of this workspace',
  later: 'The change is not due yet (--due)',
  deleted: 'Deleted code',
  failed: 'The row, code or image failed; the error states the reason',
  'not-attempted': 'The run ended before it reached the row',
  undecided: 'The row needs your decision (exit 9)',
  earlier: 'Image from an earlier run whose code is not part of this run',
} as const;

export type Outcome = keyof typeof OUTCOMES;

export const ACTIONS = {
  create: 'created',
  adopt: 'adopted',
  update: 'updated',
  delete: 'deleted',
} as const satisfies Readonly<Record<string, Outcome>>;

export const PLAN_WORDS = {
  removed: 'The file no longer contains the key (qr apply)',
} as const;

type Foreseen = Extract<
  Outcome,
  'exists' | 'unchanged' | 'edited' | 'conflict' | 'gone' | 'later' | 'failed' | 'undecided'
>;

export type Planned = keyof typeof ACTIONS | keyof typeof PLAN_WORDS | Foreseen;

export function countOutcomes<O extends string>(ended: Iterable<{ outcome: O }>): Map<O, number> {
  return countBy(ended, ({ outcome }) => outcome);
}
