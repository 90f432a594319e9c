/** Formats messages about rows that were edited since their codes were created. */
import { PartialError } from '../errors.ts';
import type { Edit } from '../once/input-plan.ts';
import type { RowEnd } from '../once/row-ends.ts';
import { inQuotes } from '../text/quote.ts';

/** Formats the edits of a row, or the codes it may belong to. */
export function tellEdit({ of, changes, candidates }: Edit): string {
  if (of === undefined || of.id === undefined) {
    const codes = candidates.map(({ id, seen }) => `${inQuotes(seen?.name ?? '')} (${id ?? 'it may have a code'})`);
    return `may be an edit of a removed row: ${codes.join(' or ')}`;
  }
  if (changes === undefined) return 'changed since its code was created';
  const told = changes.map(({ field, old, new: now }) => `${field} changed from ${inQuotes(old)} to ${inQuotes(now)}`);
  if (changes.some(({ field }) => field === 'type')) told.push('the service cannot change the type of a code');
  return told.join('; ');
}

const MOST_NAMED = 5;

/** The failure of a run that left rows alone because they were edited; undefined if there are none. */
export function editedError(edited: readonly RowEnd[]): PartialError | undefined {
  const [first] = edited;
  if (first === undefined) return undefined;
  const lines = edited.slice(0, MOST_NAMED).map(({ line, id, edit }) => {
    const code = id === undefined ? '' : ` (code ${id})`;
    return `  line ${line}: ${edit ? tellEdit(edit) : ''}${code}`;
  });
  if (edited.length > MOST_NAMED) lines.push(`  and ${edited.length - MOST_NAMED} more; see the results`);
  const count = edited.length === 1 ? '1 row was' : `${edited.length} rows were`;
  return new PartialError(
    [`${count} edited since the last run; nothing was sent for ${edited.length === 1 ? 'it' : 'them'}`, ...lines].join('\n'),
    {
      hint: hintFor(edited, first.line),
    },
  );
}

function hintFor(edited: readonly RowEnd[], line: number): string {
  const canApply = edited.some(({ id, edit }) => id !== undefined && !edit?.changes?.some(({ field }) => field === 'type'));
  const unclear = edited.find(({ id }) => id === undefined);
  const asNew = `--as-new ${unclear?.line ?? line} to create a new code for line ${unclear?.line ?? line}`;
  if (canApply)
    return `Add --apply-edits to change ${edited.length === 1 ? 'the existing code' : 'the existing codes'}, or ${asNew}.`;
  return unclear ? `Add ${asNew}, or --adopt ${unclear.line}=ID --apply-edits to change an existing code.` : `Add ${asNew}.`;
}
