/** Input rows of a run, matched to the journal: read once, and planned again when more is known. */
import type { Service } from '../../../service/service.ts';
import type { QrCode } from '../../../service/shapes.ts';
import { getIfThere } from '../../listing/find-code.ts';
import type { RowState } from './apply-record.ts';
import { type DecidedRows, type Decisions, readDecisions } from './decisions.ts';
import { codeOf, entriesRecords, seenOf } from './entries.ts';
import { changesOf, type Edit, type InputPlan, planInput, type Words } from './input-plan.ts';
import { contentsFrom, entriesFrom, hasBareEntries, type Listed } from './listed-rows.ts';
import type { NewRow } from './new-row.ts';
import { planPlainly } from './plain-plan.ts';
import type { EntryRows } from './rounds.ts';
import type { InputRecord, RowStates } from './row-states.ts';

/** How the edits of rows ended. */
interface EditsEnd {
  /** Reason why some were not tried, if any. */
  stop: unknown;
  /** By the `row` of their rows: why the code was not changed. */
  failed: ReadonlyMap<number, string>;
}

/** Edit whose code is known. */
export type OwnedEdit = Edit & { readonly entry: number; readonly id: string; readonly slug: string };

/** Log of the progress of each edit; resolved when it is on disk. */
export interface EditsLog {
  /** Its request is about to leave. */
  begin(edit: OwnedEdit): Promise<void>;
  done(edit: OwnedEdit): Promise<void>;
}

/** Changes the codes of edited rows. */
export type ApplyEdits = (edits: readonly OwnedEdit[], log: EditsLog) => Promise<EditsEnd>;

interface InputJob extends Listed {
  rows: readonly NewRow[];
  /** Lost requests of removed rows are looked up before the plan is carried out, and then it is planned again (O34). */
  looksFirst: boolean;
  /** Rows that have a code with their values already are not sent. */
  skipExisting: boolean;
  decisions: Decisions;
  service: Pick<Service, 'getCode'>;
  /** `--apply-edits`; absent without it. */
  applyEdits?: ApplyEdits | undefined;
}

/** States that include the input; on disk if there is a journal. */
type LearningStates = RowStates & { learn(records: readonly InputRecord[]): Promise<void> };

export interface InputRows {
  plan(): InputPlan;
  /** The rows that are entries, by their numbers. */
  entries(): EntryRows;
  /** The user's decisions about rows of unknown outcome. */
  readonly decided: DecidedRows;
  /** Plans again, from the current states. */
  replan(): Promise<void>;
  /**
   * Changes the codes of edited rows, if that was requested. Returns the results, and the edits that are done, by the `row` of their rows.
   */
  applyEdits(): Promise<EditsEnd & { done: ReadonlyMap<number, OwnedEdit> }>;
}

/**
 * Recognizes the rows of the input (O14) and records new information in the journal.
 *
 * @param listCodes every code of the workspace; requested only if results list codes that the journal does not record
 * @throws UsageError if a decision fits no row, and the errors of the listing.
 */
export async function openInput(
  job: InputJob,
  states: LearningStates,
  listCodes: () => Promise<readonly QrCode[]>,
): Promise<InputRows> {
  await learnFromResults(job, states, listCodes);
  await learnFromCodes(job, states);
  const planNow = (words?: Words, kept?: ReadonlyMap<number, number>) => planInput(job.rows, states, words, kept);
  let plan = planPlainly(job.rows, states) ?? planNow();
  const context = { plan, states, appliesEdits: job.applyEdits !== undefined };
  const { words, decided } = readDecisions(job.decisions, context);
  // O34: what became of a removed row decides first: a row that is called new may be that row, restored.
  const isLater = job.looksFirst && plan.held.some(isLost);
  if (words.asNew.size + words.pins.size > 0 && !isLater) plan = planNow(words);
  await learnPlan();

  /** Rows with the same values must not swap positions while they are sent. */
  const kept = new Map<number, number>();
  const keep = () => {
    for (const [place, { entry }] of plan.rows.entries()) if (entry !== undefined) kept.set(place, entry);
  };

  /** Once on disk, the records are not kept: they are as large as the rows. */
  async function learnPlan(): Promise<void> {
    await states.learn(plan.records);
    plan = { ...plan, records: [] };
  }

  async function replan(): Promise<void> {
    keep();
    plan = planNow(words, kept);
    await learnPlan();
  }
  async function applyEdits() {
    const done = new Map<number, OwnedEdit>();
    const edits = [...plan.rows].flatMap(({ edit }) => ownedEdit(edit) ?? []).filter(({ changes }) => isPossible(changes));
    if (!job.applyEdits || edits.length === 0) return { stop: undefined, failed: new Map<number, string>(), done };
    const end = await job.applyEdits(edits, {
      // O35: whatever happens to the request, the next run knows that the code may differ from the entry.
      begin: ({ entry, row }) => states.learn([{ is: 'changing', entry, seen: seenOf(row) }]),
      async done(edit) {
        await states.learn(entriesRecords([[edit.entry, seenOf(edit.row)]]));
        done.set(edit.row.row, edit);
        kept.set(edit.row.row - 1, edit.entry);
      },
    });
    await replan();
    return { ...end, done };
  }
  return { plan: () => plan, entries: () => entryRows(plan), decided, replan, applyEdits };
}

async function learnFromResults(
  { listed, readListed, skipExisting }: InputJob,
  states: LearningStates,
  listCodes: () => Promise<readonly QrCode[]>,
): Promise<void> {
  if (hasBareEntries(states)) await states.learn(contentsFrom(await readListed(), states));
  if (!skipExisting || !listed?.some(({ id }) => states.ownerOf(id) === undefined)) return;
  await states.learn(entriesFrom(await readListed(), states, await listCodes()));
}

/**
 * O35: if the outcome of a change is unknown, the code itself shows it; a code with neither the previous nor the planned values was changed
 * by another client.
 */
async function learnFromCodes({ service }: InputJob, states: LearningStates): Promise<void> {
  for (const { row, seen, changing, id = '' } of states.all()) {
    const wanted = changing && codeOf(changing);
    if (!seen || !wanted) continue;
    const code = await getIfThere(service, id);
    const asked = changesOf(seen, wanted)?.map(({ field }) => field);
    const left = code ? changesOf(code, wanted) : undefined;
    const isDone = left?.every(({ field }) => asked !== undefined && !asked.includes(field));
    await states.learn(entriesRecords([[row, isDone ? changing : seen]]));
  }
}

function ownedEdit(edit: Edit | undefined): OwnedEdit | undefined {
  const { row: entry, id, slug } = edit?.of ?? {};
  return edit && entry !== undefined && id !== undefined ? { ...edit, entry, id, slug: slug ?? id } : undefined;
}

/** The service cannot change a type. */
function isPossible(changes: Edit['changes']): boolean {
  return changes === undefined || changes.every(({ field }) => field !== 'type');
}

/** A removed row that was sent, and of which it is unknown whether it was created. */
export function isLost({ state, code }: RowState): boolean {
  return state === 'unknown' && code !== undefined;
}

/** Finds the rows of a plan by the numbers of their entries; a map of rows would be as large as their codes. */
function entryRows({ rows }: InputPlan): EntryRows {
  let last = 0;
  for (const { entry = 0 } of rows) last = Math.max(last, entry);
  /** By entry, the number of its row in the input, from 1. */
  const places = new Uint32Array(last + 1);
  for (const [place, { entry }] of rows.entries()) if (entry !== undefined) places[entry] = place + 1;
  const get = (entry: number) => {
    const row = rows.at((places[entry] ?? 0) - 1)?.row;
    return row && asEntry(row, entry);
  };
  return {
    get,
    has: (entry) => (places[entry] ?? 0) > 0,
    *values() {
      for (const { row, entry } of rows) if (entry !== undefined) yield asEntry(row, entry);
    },
  };
}

function asEntry(row: NewRow, entry: number): NewRow {
  return row.row === entry ? row : { ...row, row: entry };
}
