/** Reads the user's decisions about rows: `--adopt ROW=ID`, `--not-created ROW` and `--as-new ROW`, where ROW is the line of the file. */
import { UsageError } from '../../../base/errors.ts';
import type { QrCode } from '../../../service/shapes.ts';
import { type InputPlan, NO_WORDS, type PlannedRow, type Words } from './input-plan.ts';
import { isDoubtful, type RecordedStates, type RowStates } from './row-states.ts';
import { valuesKey } from './same-values.ts';

export interface Decisions {
  /** This code is the one the row created; or, of an edited row, the one that is to be changed. */
  adopt: readonly { line: number; id: string }[];
  /** The row created no code. */
  notCreated: readonly number[];
  /** The row is not an edit of one that is gone. */
  asNew?: readonly number[];
}

/** Decisions about rows of unknown outcome, by the numbers of their entries. */
export interface DecidedRows {
  adopt: readonly { row: number; line: number; id: string }[];
  notCreated: readonly number[];
}

interface DecisionsContext {
  plan: InputPlan;
  states: RowStates;
  /** `--apply-edits` */
  appliesEdits: boolean;
}

/** O12: checks the decisions against the input and its journal, before any request. Throws UsageError. */
export function readDecisions(decisions: Decisions, context: DecisionsContext): { words: Words; decided: DecidedRows } {
  const { plan, states } = context;
  // Mostly there are none, and a file may have a million rows to look through.
  if (isNothing(decisions)) return { words: NO_WORDS, decided: { adopt: [], notCreated: [] } };
  const find = createFinder(plan, states);
  const claimedIds = states.claimedIds();
  const adopt: { row: number; line: number; id: string }[] = [];
  const pins = new Map<number, number>();
  for (const { line, id } of decisions.adopt) {
    const flag = `--adopt ${line}=${id}`;
    const { place, planned } = find(line, '--adopt');
    if (planned.edit) pins.set(place, goneOwnerOf(id, flag, line, context));
    else adopt.push({ row: requireDoubt(planned, '--adopt', states), line, id });
    const isOwn = planned.entry !== undefined && states.all()[planned.entry - 1]?.id === id;
    if (!planned.edit && claimedIds.has(id) && !isOwn) throw new UsageError(`${flag}: another row already has this code`);
    if (planned.edit && adopted(pins, place)) throw new UsageError(`${flag}: another row already has this code`);
    claimedIds.add(id);
  }
  const notCreated = decisions.notCreated.map((line) =>
    requireDoubt(find(line, '--not-created').planned, '--not-created', states),
  );
  const asNew = (decisions.asNew ?? []).map((line) => {
    const { place, planned } = find(line, '--as-new');
    refuseKnown(planned, states);
    return place;
  });
  return { words: { asNew: new Set(asNew), pins }, decided: { adopt, notCreated } };
}

function isNothing({ adopt, notCreated, asNew = [] }: Decisions): boolean {
  return adopt.length + notCreated.length + asNew.length === 0;
}

/** A function that finds a row by its line, once each. */
function createFinder(plan: InputPlan, states: RowStates) {
  const places = new Map(Array.from(plan.rows, ({ row }, place) => [row.line, place]));
  const decided = new Set<number>();
  return (line: number, flag: string): { place: number; planned: PlannedRow } => {
    const place = places.get(line);
    const planned = place === undefined ? undefined : plan.rows.at(place);
    if (place === undefined || !planned) {
      throw new UsageError(`${flag} ${line}: no row begins at line ${line}`, { hint: openLines(plan, states) });
    }
    if (decided.has(line))
      throw new UsageError(`more than one decision for line ${line}`, {
        hint: 'Pass only one of --adopt, --not-created and --as-new per line.',
      });
    decided.add(line);
    return { place, planned };
  };
}

const MOST_LINES = 20;

function openLines(plan: InputPlan, states: RowStates): string {
  const open = [...plan.rows].filter(({ entry, edit }) => edit !== undefined || isDoubtful(states.all()[(entry ?? 0) - 1]));
  if (open.length === 0) return 'Omit the flag. No line needs your decision.';
  const lines = open.slice(0, MOST_LINES).map(({ row }) => row.line);
  return `Specify a line that needs your decision: ${lines.join(', ')}${open.length > MOST_LINES ? ', …' : ''}.`;
}

/** Returns the entry of a row whose outcome is in doubt. */
function requireDoubt({ row: { line }, entry = 0, edit }: PlannedRow, flag: string, states: RowStates): number {
  const state = states.all()[entry - 1];
  if (isDoubtful(state)) return entry;
  const why = edit ? 'was edited' : state?.id === undefined ? 'has no code and will be sent' : `has the code ${state.id}`;
  throw nothingToDecide(flag, line, why);
}

/** A row that has a code is not an edit, unless `--as-new` was used for it before: then that is done. */
function refuseKnown({ row: { line }, entry = 0 }: PlannedRow, states: RowStates): void {
  const state = states.all()[entry - 1];
  if (state?.id !== undefined && !state.seen?.word) throw nothingToDecide('--as-new', line, `has the code ${state.id}`);
}

function nothingToDecide(flag: string, line: number, why: string): UsageError {
  return new UsageError(`${flag} ${line} can't be used: line ${line} ${why}`, {
    hint: `Omit ${flag} ${line}.`,
  });
}

/** The entry, of those that are gone, that has this code. */
function goneOwnerOf(id: string, flag: string, line: number, { plan, states, appliesEdits }: DecisionsContext): number {
  const owner = states.ownerOf(id);
  const isGone = owner !== undefined && states.of(owner).id === id && [...plan.rows].every(({ entry }) => entry !== owner);
  if (!isGone) {
    throw new UsageError(`${flag}: line ${line} was edited, and this code does not belong to a removed row`, {
      hint: 'Choose one of the codes listed for this line in the results.',
    });
  }
  if (appliesEdits) return owner;
  throw new UsageError(`${flag} requires --apply-edits: line ${line} was edited`, {
    hint: 'Add --apply-edits to change the code.',
  });
}

/** Returns whether another row is pinned to the entry of this one. */
function adopted(pins: ReadonlyMap<number, number>, place: number): boolean {
  const entry = pins.get(place);
  return [...pins].some(([other, of]) => other !== place && of === entry);
}

interface DecisionsOptions {
  states: RecordedStates;
  getCode: (id: string) => Promise<QrCode>;
  /** Every code of the workspace, verified as complete. */
  listCodes: () => Promise<QrCode[]>;
  warn: (line: string) => void;
}

/** Records the decisions. Throws NotFoundError when an adopted code does not exist. */
export async function recordDecisions({ adopt, notCreated }: DecidedRows, options: DecisionsOptions): Promise<void> {
  const { states, getCode, warn } = options;
  const keyOf = (row: number) => {
    const { code } = states.of(row);
    return code && valuesKey(code);
  };
  for (const { row, line, id } of adopt) {
    const code = await getCode(id);
    if (valuesKey(code) !== keyOf(row)) warn(`line ${line} and code ${id} have different values; adopted the code as specified`);
    const before = states.of(row).asked?.filter((shown) => shown !== code.id) ?? [];
    await states.record([{ is: 'adopted', row, id: code.id, slug: code.slug, before }]);
  }
  // O13: records that the codes shown and not chosen are not the row's, so that no later doubt returns to them. A code that was never shown
  // may still be the row's.
  const isUnseen = (row: number) => states.of(row).asked === undefined;
  const listing = notCreated.some(isUnseen) ? await options.listCodes() : [];
  for (const row of notCreated) {
    const alike = () => listing.filter((code) => valuesKey(code) === keyOf(row)).map(({ id }) => id);
    const before = states.of(row).asked ?? alike();
    await states.record([{ is: 'absent', row, before: [...before], word: true }]);
  }
}
