/** Formats messages about rows that were edited since their codes were created. */
import { PartialError } from '../../base/errors.ts';
import { inQuotes } from '../../base/text/quote.ts';
import type { Edit } from './creation/input-plan.ts';
import type { RowEnd } from './creation/row-ends.ts';

/** Formats the edits of a row, or the codes it may belong to. */
export function tellEdit({ of, changes, candidates }: Edit): string {
  if (of === undefined || of.id === undefined) {
    const codes = (of ? [of] : candidates).map(({ id, seen }) => `${inQuotes(seen?.name ?? '')} (${id ?? 'it may have a code'})`);
    return `may be an edit of a removed row: ${codes.join(' or ')}`;
  }
  if (changes === undefined) return 'changed since its code was created';
  const told = changes.map(({ field, old, new: now }) => `${field} changed from ${inQuotes(old)} to ${inQuotes(now)}`);
  if (changes.some(({ field }) => field === 'type')) told.push('the service cannot change the type of a code');
  return told.join('; ');
}

const MOST_NAMED = 5;

/** The rows of a run that it left alone because they were edited. */
export interface EditedRows {
  add(end: RowEnd): void;
  /** Returns the failure of the run, or undefined if there are none. */
  error(): PartialError | undefined;
}

export function createEditedRows(): EditedRows {
  let count = 0;
  /** The first ones: all of them would be larger than the file. */
  const told: RowEnd[] = [];
  let canApply = false;
  let unclear: RowEnd | undefined;
  return {
    add(end) {
      count += 1;
      if (told.length < MOST_NAMED) told.push(end);
      canApply ||= end.id !== undefined && !end.edit?.changes?.some(({ field }) => field === 'type');
      if (end.id === undefined) unclear ??= end;
    },
    error() {
      const [first] = told;
      if (first === undefined) return undefined;
      const [rows, them] = count === 1 ? ['1 row was', 'it'] : [`${count} rows were`, 'them'];
      const lines = told.map(({ line, id, edit }) => {
        return `  line ${line}: ${edit ? tellEdit(edit) : ''}${id === undefined ? '' : ` (code ${id})`}`;
      });
      if (count > told.length) lines.push(`  and ${count - told.length} more; see the results`);
      const hint = hintFor({ count, canApply, unclear, line: first.line });
      return new PartialError([`${rows} edited since the last run; nothing was sent for ${them}`, ...lines].join('\n'), { hint });
    },
  };
}

interface EditedFacts {
  count: number;
  /** A code of any of them can be changed. */
  canApply: boolean;
  /** The first row of which it is not clear what it was. */
  unclear: RowEnd | undefined;
  /** Of the first row. */
  line: number;
}

function hintFor({ count, canApply, unclear, line }: EditedFacts): string {
  const asNew = `--as-new ${unclear?.line ?? line} to create a new code for line ${unclear?.line ?? line}`;
  if (canApply) return `Add --apply-edits to change ${count === 1 ? 'the existing code' : 'the existing codes'}, or ${asNew}.`;
  return unclear ? `Add ${asNew}, or --adopt ${unclear.line}=ID --apply-edits to change an existing code.` : `Add ${asNew}.`;
}
