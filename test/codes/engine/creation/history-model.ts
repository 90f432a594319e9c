/**
 * Histories of one spreadsheet: people edit it in every way, and in between `createRows` runs on two machines, is killed, loses answers, gets
 * another key. Everything that the engine is to hold to is checked by what the model knows of each row, not by what the engine knows.
 */
import { expect } from 'vitest';
import { NotFoundError, UsageError } from '../../../../src/base/errors.ts';
import { createEditor } from '../../../../src/codes/engine/apply-edits.ts';
import type { CreateJob } from '../../../../src/codes/engine/creation/create-job.ts';
import { seenOf } from '../../../../src/codes/engine/creation/entries.ts';
import type { ListedRow } from '../../../../src/codes/engine/creation/listed-rows.ts';
import type { NewRow } from '../../../../src/codes/engine/creation/new-row.ts';
import { planRows } from '../../../../src/codes/engine/creation/plan-rows.ts';
import { valuesKey } from '../../../../src/codes/engine/creation/same-values.ts';
import { createResults } from '../../../../src/codes/engine/results.ts';
import type { NewCode } from '../../../../src/service/shapes.ts';
import { createWorkspace, type Workspace } from '../../../../src/service/workspace.ts';
import { createMemoryDisk, type MemoryDisk } from '../../../support/memory-disk.ts';
import type { Mishap } from '../../../support/model-service/codes.ts';
import { BASE_URL, type Given, JOURNAL, type Kill, pagesOf, run, type World, worldOf } from './world.ts';

/** What a person does to the sheet. `at`, `to`: which row, modulo their number. */
type Edit =
  | { do: 'insert'; at: number; name: number; destination: number; own: number }
  | { do: 'delete' | 'duplicate' | 'restore'; at: number; to: number }
  | { do: 'edit'; at: number; name?: number; destination?: number; type?: number; own?: number }
  | { do: 'sort'; by: number }
  | { do: 're-save' };

/** What is done with it. */
export interface Run {
  do: 'run';
  machine: 0 | 1;
  /** The machine is a new one, without the journal, and perhaps with the results. */
  fresh?: 'with results' | 'without results';
  /** `--apply-edits`, whatever it says; or what a person answers who knows. */
  word?: 'apply' | 'truth';
  dry?: boolean;
  kill?: Kill;
  /** The process dies at this request, before it leaves or when it was answered. */
  cut?: { request: number; answered: boolean };
  mishaps?: readonly Mishap[];
}

export type Step = Edit | Run | { do: 'rotate key' | 'other workspace' };

interface SheetRow {
  /** Which row it is, whatever becomes of it. */
  uid: number;
  code: NewCode;
  own: string;
}

interface Machine {
  memory: MemoryDisk;
  /** The API keys that its journal was bound with, by the binding as the journal has it: a power cut may bring back an older one. */
  apiKeys: Map<string, string>;
  hasJournal: boolean;
  /** Another machine has run, and may have made or changed codes that this one knows nothing of. */
  isBehind: boolean;
  results: readonly ListedRow[];
  /** The sheet as its last run saw it that ended, and those of runs that were killed since. */
  last: readonly SheetRow[];
  killed: { rows: readonly SheetRow[]; blocked: ReadonlySet<number> }[];
  /** What the code of each row was by that run, and its id. */
  coded: Map<number, { key: string; id: string }>;
  /** Codes that another machine changed. */
  stale: Set<string>;
}

const NAMES = ['Menu', 'Poster', 'Flyer', 'Table', 'Window', 'Guest wifi'];
const HOSTS = ['a', 'b', 'c', 'd'];
const TYPES = ['url', 'menu', 'file'];

export interface Tally {
  outcomes: Map<string, number>;
  exits: Map<string, number>;
  count(kind: 'outcomes' | 'exits', what: string): void;
}

export function createTally(): Tally {
  const tally = { outcomes: new Map<string, number>(), exits: new Map<string, number>() };
  return { ...tally, count: (kind, what) => void tally[kind].set(what, (tally[kind].get(what) ?? 0) + 1) };
}

const keyOf = ({ code }: SheetRow) => valuesKey(code);
const nameOf = (code: NewCode) => code.name;
const restOf = ({ type = 'url', destination = '' }: NewCode) => `${type} ${destination}`;
const pick = <T>(items: readonly T[], at = 0): T | undefined => items[at % Math.max(1, items.length)];

/** Plays a history to its end and beyond: a person who knows answers until all is done. */
export async function playHistory(steps: readonly Step[], tally: Tally): Promise<void> {
  let runs = 0;
  let fates: Mishap[] = [];
  const world = worldOf({ mishap: () => fates.shift() ?? 'none', byOf: () => runs, latencyMs: () => 20 });
  let sheet: SheetRow[] = [];
  const deleted: SheetRow[] = [];
  let uids = 0;
  let apiKey = 'svc_live_0';
  const machines = [0, 1].map(() => newMachine());
  /** How many rows ever came to ask for this, by what they ask for. */
  const wants = new Map<string, number>();
  const lastKey = new Map<number, string>();
  /** Runs of machines that did not know what others did. */
  const blind = new Set<number>();

  function newMachine(): Machine {
    return {
      ...{
        memory: createMemoryDisk(),
        apiKeys: new Map(),
        hasJournal: false,
        isBehind: false,
        results: [],
        last: [],
        killed: [],
      },
      ...{ coded: new Map(), stale: new Set() },
    };
  }

  function edit(step: Edit): void {
    const at = 'at' in step ? step.at % Math.max(1, sheet.length) : 0;
    const row = sheet[at];
    if (step.do === 'insert') {
      const code = codeOf(step.name, step.destination, 0);
      sheet.splice(at, 0, { uid: ++uids, code, own: step.own === 0 ? '' : `sku ${step.own}` });
    } else if (step.do === 'restore') {
      const [back] = deleted.splice(step.to % Math.max(1, deleted.length), 1);
      if (back) sheet.splice(at, 0, back);
    } else if (step.do === 'sort') {
      const by = [nameOf, restOf][step.by % 3];
      if (by) sheet.sort((a, b) => (by(a.code) < by(b.code) ? -1 : 1));
      else sheet.reverse();
    } else if (step.do === 're-save') {
      sheet = sheet.map((one) => ({ ...one, code: { ...one.code, name: ` ${one.code.name.trim()}` } }));
    } else if (row && step.do === 'delete') deleted.push(...sheet.splice(at, 1));
    else if (row && step.do === 'duplicate') sheet.splice(step.to % sheet.length, 0, { ...row, uid: ++uids });
    else if (row && step.do === 'edit') {
      const { name, destination, type, own } = step;
      sheet[at] = {
        ...row,
        ...(own !== undefined && { own: `sku ${own}` }),
        code: {
          ...row.code,
          ...(name !== undefined && { name: pick(NAMES, name) ?? '' }),
          ...(destination !== undefined && { destination: `https://${pick(HOSTS, destination)}.example/` }),
          ...(type !== undefined && { type: pick(TYPES, type) ?? 'url' }),
        },
      };
    }
  }

  const rowsOf = (): NewRow[] =>
    sheet.map(({ code, own }, place) => {
      const values = new Map<string, unknown>([...Object.entries(code), ['sku', own]]);
      return { row: place + 1, line: place + 2, values, own: ['sku'], code };
    });
  const lineOf = (place: number) => place + 2;

  /** Rows that are edits of rows that this machine gave a code to, and can be seen to be: none of them may be created. */
  function blockedRows(machine: Machine, asNew: ReadonlySet<number>): Set<number> {
    // Of rows that say the same the results may give the code of one to another.
    const wasThere = (uid: number) =>
      [machine.last, ...machine.killed.map(({ rows }) => rows)].every((rows) => rows.some((row) => row.uid === uid));
    const coded = [...machine.coded].filter(([uid]) => wasThere(uid));
    const codedKeys = countBy([...new Map(coded.map(([, { id, key }]) => [id, key])).values()]);
    const present = countBy(sheet.map(keyOf));
    const blocked = new Set<number>();
    for (const [place, row] of sheet.entries()) {
      const before = machine.coded.get(row.uid);
      const old = machine.last.find(({ uid }) => uid === row.uid);
      if (!before || !old || asNew.has(lineOf(place)) || before.key === keyOf(row) || before.key !== keyOf(old)) continue;
      if ((present.get(before.key) ?? 0) >= (codedKeys.get(before.key) ?? 0)) continue;
      // Another row that had the same code's values took its place, or it was something else in between.
      const wasSo = machine.killed.every(({ rows, blocked: then }) => {
        const one = rows.find(({ uid }) => uid === row.uid);
        return one && (keyOf(one) === before.key || (keyOf(one) === keyOf(row) && then.has(row.uid)));
      });
      if (!wasSo) continue;
      // Another row asked for the same, and had no code: this may be that one.
      const earlier = [machine.last, ...machine.killed.map(({ rows }) => rows)];
      if (earlier.some((rows) => rows.some((other) => other.uid !== row.uid && keyOf(other) === keyOf(row)))) continue;
      const isAlike = nameOf(old.code).trim() === nameOf(row.code).trim() || restOf(old.code) === restOf(row.code);
      if (isAlike || (machine.killed.length === 0 && hasSameNeighbors(machine, row))) blocked.add(place);
    }
    return blocked;
  }

  function hasSameNeighbors({ last }: Machine, row: SheetRow): boolean {
    const around = (rows: readonly SheetRow[]) => {
      const at = rows.findIndex(({ uid }) => uid === row.uid);
      return [rows[at - 1], rows[at + 1]];
    };
    const isUnique = (one: SheetRow, rows: readonly SheetRow[]) =>
      rows.filter((other) => keyOf(other) === keyOf(one)).length === 1;
    const now = around(sheet);
    return around(last).every((one, side) => {
      const other = now[side];
      if (!one || !other) return one === other;
      return one.uid === other.uid && keyOf(one) === keyOf(other) && isUnique(one, last) && isUnique(other, sheet);
    });
  }

  const madeOf = (key: string, isOf: (by: number) => boolean) =>
    world.service.codes.filter((code) => valuesKey(code.sent) === key && isOf(code.by)).length;

  function jobOf(machine: Machine, step: Partial<Run>): Given & Pick<CreateJob, 'readListed' | 'skipExisting'> {
    const { service } = world;
    const fateOf = () => (fates.shift() ?? 'none') as Mishap;
    const updateCode: typeof service.updateCode = (id, changes) => {
      const fate = fateOf();
      return service.updateCode(id, changes, fate === 'applied' || fate === 'drop' ? fate : 'none');
    };
    const signal = new AbortController().signal;
    return {
      disk: machine.memory.disk,
      listed: machine.results.flatMap(({ id }, place) => (id === undefined ? [] : [{ row: place + 1, id }])),
      readListed: async () => machine.results,
      skipExisting: machine.isBehind || !machine.hasJournal,
      ...(step.word !== undefined && {
        applyEdits: createEditor({ service: { ...service, updateCode }, concurrency: 2, failFast: false, signal }),
      }),
    };
  }

  const workspaceOf = (key: string) => createWorkspace({ baseUrl: BASE_URL, apiKey: key });

  /** The last line of the journal that binds it to a workspace. */
  const bindingOf = ({ memory }: Machine) =>
    (memory.read(JOURNAL) ?? '').match(/"is":"(journal|workspace)".*"key":.*/g)?.at(-1) ?? '';

  /** A rotated key is refused as long as nobody knows whether the old one made codes: then the run is done with the old one. */
  function apiKeyOf(machine: Machine): string {
    const journal = machine.memory.read(JOURNAL) ?? '';
    const isBlind = journal.includes('"is":"intent"') && !/"id":.*"crc":"[0-9a-f]{8}"}\n/.test(journal);
    return (isBlind ? machine.apiKeys.get(bindingOf(machine)) : undefined) ?? apiKey;
  }

  async function runOn(step: Run): Promise<RunEnd | undefined> {
    const at = step.machine;
    if (step.fresh) {
      const other = machines[1 - at];
      const results = step.fresh === 'with results' ? (other?.results ?? []) : [];
      const isKnown = step.fresh === 'with results' && !other?.isBehind;
      machines[at] = { ...newMachine(), results, isBehind: !isKnown, stale: new Set(other?.stale) };
    }
    const machine = machines[at] ?? newMachine();
    const own: World = { ...world, memory: machine.memory };
    const job = jobOf(machine, step);
    if (step.dry) return dryRun(machine, step, job);
    const decisions = step.word === 'truth' ? await truthOf(machine, job) : { adopt: [], notCreated: [], asNew: [] };
    runs += 1;
    const isFresh = !machine.hasJournal && machine.killed.length === 0;
    const isInformed = machine.hasJournal && !machine.isBehind;
    if (!isInformed) blind.add(runs);
    for (const row of sheet) {
      if (lastKey.get(row.uid) !== keyOf(row)) wants.set(keyOf(row), (wants.get(keyOf(row)) ?? 0) + 1);
      lastKey.set(row.uid, keyOf(row));
    }
    const blocked = isInformed ? blockedRows(machine, new Set(decisions.asNew)) : new Set<number>();
    const there = countBy(world.service.codes.map((code) => valuesKey(code)));
    const patched = world.service.codes.map((code) => [code.id, valuesKey(code)] as const);
    fates = [...(step.mishaps ?? [])];
    const used = apiKeyOf(machine);
    const { end, isKilled } = await perform(own, step, workspaceOf(used), { ...job, decisions });
    if (!machine.apiKeys.has(bindingOf(machine))) machine.apiKeys.set(bindingOf(machine), used);
    fates = [];

    await world.time.advance(20_000);

    const changed = patched.flatMap(([id, key]) => {
      const code = world.service.codes.find((one) => one.id === id);
      return code && valuesKey(code) !== key ? [id] : [];
    });
    // Where the word was given for another row, the old one is that row's, be it rightly or not.
    for (const place of blocked) {
      const { id = '' } = machine.coded.get(sheet[place]?.uid ?? 0) ?? {};
      if (changed.includes(id)) blocked.delete(place);
    }
    const free = countBy(sheet.flatMap((row, place) => (blocked.has(place) ? [] : [keyOf(row)])));
    // A code that became another row's by the user's word is to be made again where its row comes back.
    for (const [id, key] of patched) if (changed.includes(id)) wants.set(key, (wants.get(key) ?? 0) + 1);
    for (const [key] of wants) {
      const now = madeOf(key, (by) => by === runs);
      // No second code of an edit without the word.
      expect(now, `codes made of ${key}`).toBeLessThanOrEqual(free.get(key) ?? 0);
      if (isFresh && step.word === undefined)
        expect(now).toBeLessThanOrEqual(Math.max(0, (free.get(key) ?? 0) - (there.get(key) ?? 0)));
      // No code made twice.
      expect(madeOf(key, (by) => !blind.has(by))).toBeLessThanOrEqual(wants.get(key) ?? 0);
    }
    if (step.word === undefined) expect(changed).toEqual([]);
    const other = machines[1 - at];
    if (other) other.isBehind = true;
    for (const id of changed) other?.stale.add(id);
    if (isKilled || !end) {
      machine.hasJournal ||= (machine.memory.read(JOURNAL) ?? '').includes('"is":"entries"');
      machine.killed.push({ rows: [...sheet], blocked: new Set([...blocked].map((place) => sheet[place]?.uid ?? 0)) });
      return undefined;
    }
    machine.hasJournal = true;
    settle(machine, end, decisions.asNew);
    return end;
  }

  /** What a plan is made from, apart from the user's word: the sheet, the journal and the workspace of a machine. */
  function planJobOf(machine: Machine, { listed = [], readListed, skipExisting }: ReturnType<typeof jobOf>) {
    const files = {
      rows: rowsOf(),
      journalPath: JOURNAL,
      disk: machine.memory.disk,
      readListedCodes: async () => listed,
      readListed,
    };
    return { ...files, skipExisting, service: { ...world.service, workspace: workspaceOf(apiKeyOf(machine)) } };
  }

  async function dryRun(machine: Machine, step: Run, job: ReturnType<typeof jobOf>): Promise<undefined> {
    const codes = JSON.stringify(world.service.codes);
    const bytes = machine.memory.read(JOURNAL);
    const plan = await planRows({
      ...planJobOf(machine, job),
      ...{ listPages: pagesOf(async () => world.service.codes), decisions: { adopt: [], notCreated: [] } },
      appliesEdits: step.word !== undefined,
    });
    expect(plan).toHaveLength(sheet.length);
    expect([JSON.stringify(world.service.codes), machine.memory.read(JOURNAL)]).toEqual([codes, bytes]);
  }

  async function perform(
    own: World,
    step: Run,
    workspace: Workspace,
    given: Given,
  ): Promise<{ end?: RunEnd; isKilled: boolean }> {
    const { kill, cut } = step;
    const { memory } = own;
    let isKilled = false;
    let requests = 0;
    const die = () => {
      isKilled = true;
      memory.fault = () => 'end-before';
      return new Error('killed');
    };
    memory.fault = (at) => {
      if (!kill || at < kill.step) return undefined;
      isKilled = true;
      return kill.fault;
    };
    const { service } = world;
    const createCode: typeof service.createCode = async (code, beforeSend) => {
      const isCut = cut !== undefined && ++requests >= cut.request;
      if (isCut && !cut.answered) throw die();
      const made = await service.createCode(code, beforeSend);
      if (isCut) throw die();
      return made;
    };
    try {
      const end = await run(own, rowsOf(), { service: { ...service, createCode, workspace }, ...given });
      return { end, isKilled };
    } catch (error) {
      if (!isKilled) throw error;
      return { isKilled };
    } finally {
      memory.fault = () => undefined;
      memory.revive(isKilled && kill?.keep !== undefined ? { keep: () => kill.keep ?? 0 } : undefined);
    }
  }

  /** What a person answers who knows: which rows are edits of which codes, and which are new. */
  async function truthOf(machine: Machine, job: ReturnType<typeof jobOf>) {
    const nothing = { adopt: [], notCreated: [], asNew: [] };
    const probe = await planRows({
      ...planJobOf(machine, job),
      ...{ listPages: pagesOf(async () => world.service.codes), decisions: nothing, appliesEdits: false },
    });
    const ids = new Set(probe.map(({ id, action }) => (action === 'edited' ? undefined : id)));
    const adopt: { line: number; id: string }[] = [];
    const asNew: number[] = [];
    const taken = new Set<string>();
    for (const [place, { action, id }] of probe.entries()) {
      const row = sheet[place];
      if (action !== 'edited' || !row) continue;
      const before = machine.coded.get(row.uid);
      const type = JSON.parse(before?.key ?? '[]')[1];
      const isEdit = before && !ids.has(before.id) && type === (row.code.type ?? 'url') && !taken.has(before.id);
      if (!isEdit) asNew.push(lineOf(place));
      else if (id !== before.id) adopt.push({ line: lineOf(place), id: before.id });
      if (isEdit) taken.add(before.id);
    }
    return { adopt, notCreated: [], asNew };
  }

  /** Takes in what a run said, and checks that it agrees with the service where it says that all is done. */
  function settle(machine: Machine, end: RunEnd, asNew: readonly number[]): void {
    const rows = rowsOf();
    const ended = endedOf(end);
    const { results } = ended;
    const failure = ended.failure(end, rows, 'codes.results.csv');
    tally.count('exits', failure === undefined ? 'done' : (failure as Error).name);
    for (const { outcome } of results) tally.count('outcomes', outcome);
    const ids = results.map(({ id }) => id);
    const known = ids.filter((id) => id !== undefined);
    expect(new Set(known).size).toBe(known.length);
    if (failure === undefined) {
      for (const [place, row] of sheet.entries()) {
        const code = world.service.codes.find(({ id }) => id === ids[place]);
        expect(code, `the code of line ${lineOf(place)}`).toBeDefined();
        if (code && !machine.stale.has(code.id)) expect(valuesKey(code)).toBe(keyOf(row));
      }
    }
    machine.last = [...sheet];
    machine.killed = [];
    for (const [place, row] of sheet.entries()) {
      const { id, outcome } = results[place] ?? {};
      if (id !== undefined && outcome !== 'edited' && outcome !== 'failed') machine.coded.set(row.uid, { key: keyOf(row), id });
      else if (asNew.includes(lineOf(place))) machine.coded.delete(row.uid);
    }
    machine.results = rows.map((row, place) => {
      const { id, slug, outcome } = results[place] ?? {};
      return { seen: seenOf(row), id: outcome === 'failed' ? undefined : id, slug, isEdited: outcome === 'edited' };
    });
  }

  /** Another workspace has none of these codes: nothing is sent there, and nothing said to be done. */
  async function runElsewhere(machine: Machine): Promise<void> {
    const own: World = { ...world, memory: machine.memory };
    const ids = [...machine.coded.values()];
    if (!machine.hasJournal || ids.length === 0 || machine.killed.length > 0) return;
    const service = { ...world.service, workspace: workspaceOf('svc_live_elsewhere') };
    const getCode = () => Promise.reject(new NotFoundError('no such code'));
    const posts = world.service.posts();
    await expect(run(own, rowsOf(), { ...jobOf(machine, {}), service: { ...service, getCode } })).rejects.toBeInstanceOf(
      UsageError,
    );
    expect(world.service.posts()).toBe(posts);
  }

  for (const step of steps) {
    if (step.do === 'run') await runOn(step);
    else if (step.do === 'rotate key') apiKey = `svc_live_${runs}_${uids}`;
    else if (step.do === 'other workspace') await runElsewhere(machines[0] ?? newMachine());
    else edit(step as Edit);
  }
  for (let turn = 0; ; turn++) {
    expect(turn, 'a person who knows comes to an end').toBeLessThan(8);
    const end = await runOn({ do: 'run', machine: 0, word: 'truth' });
    if (end && endedOf(end).failure(end, rowsOf(), '') === undefined) break;
    if (end?.rows.some(({ candidates }) => candidates.length > 0)) return; // a person's, as in create-rows.property.test.ts
  }
}

type RunEnd = Awaited<ReturnType<typeof run>>;

/** What is told of the ends of all rows. */
function endedOf({ rows }: RunEnd) {
  const ended = createResults();
  for (const row of rows) ended.take(row);
  return ended;
}

function codeOf(name: number, destination: number, type: number): NewCode {
  return {
    name: pick(NAMES, name) ?? '',
    type: pick(TYPES, type) ?? 'url',
    destination: `https://${pick(HOSTS, destination)}.example/`,
  };
}

function countBy(items: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
}
