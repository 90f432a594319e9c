/**
 * Identifies the command that wrote a results file, because the next run of another command must not replace it without being told to.
 * Pure.
 */
import { fold, type Input } from '../../files/formats/read/input.ts';
import type { RowOutcome } from './outcomes.ts';

/** The commands that write results, as they are typed. */
export type ResultsCommand = 'qr create' | 'qr update' | 'qr update --due' | 'qr delete';

const ALL: readonly ResultsCommand[] = ['qr create', 'qr update', 'qr update --due', 'qr delete'];
const UPDATES: readonly ResultsCommand[] = ['qr update', 'qr update --due'];

/** By outcome, the commands that write it. */
const COMMANDS: Readonly<Record<RowOutcome, readonly ResultsCommand[]>> = {
  created: ['qr create'],
  adopted: ['qr create'],
  exists: ['qr create'],
  edited: ['qr create'],
  updated: UPDATES,
  unchanged: UPDATES,
  later: ['qr update --due'],
  deleted: ['qr delete'],
  failed: ALL,
  'not-attempted': ALL,
  undecided: ALL,
};

/** A map, because an outcome in a file may be any text. */
const WRITERS: ReadonlyMap<unknown, readonly ResultsCommand[]> = new Map(Object.entries(COMMANDS));

/** Rows by outcome as an earlier run wrote them, in the order of appearance; undefined if the table is not a results file. */
export function outcomesIn({ columns, rows }: Input): Map<unknown, number> | undefined {
  const column = columns.find((name) => fold(name) === 'outcome');
  if (column === undefined) return undefined;
  const counts = new Map<unknown, number>();
  for (const { values } of rows) {
    const outcome = values.get(column);
    if (!WRITERS.has(outcome)) return undefined;
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  }
  return counts;
}

/**
 * Returns the commands that can have written results with these outcomes; none if no command writes them together. `journal`: the command
 * whose journal is next to the file.
 */
export function writersOf(outcomes: Iterable<unknown>, journal: ResultsCommand | undefined): readonly ResultsCommand[] {
  const words = [...outcomes];
  // A creation updates codes too: those of rows that were edited since (`--apply-edits`).
  const isCreation = journal === 'qr create' || words.some((word) => WRITERS.get(word)?.join() === 'qr create');
  const writes = (command: ResultsCommand, word: unknown) =>
    WRITERS.get(word)?.includes(command) || (command === 'qr create' && isCreation && WRITERS.get(word) === UPDATES);
  const possible = ALL.filter((command) => words.every((word) => writes(command, word)));
  return journal !== undefined && possible.includes(journal) ? [journal] : possible;
}
