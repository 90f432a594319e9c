/**
 * Histories of one file in git: people edit, rename, remove and sort rows, branch and merge, lose lock files and journals, change and delete
 * codes by hand; and in between `qr apply` runs, is killed, and loses responses. What must hold is checked by what the model knows of each
 * code, not by what the engine knows.
 */
import { expect } from 'vitest';
import { exitCodeOf, PartialError, UnprovenError, UsageError } from '../../../src/base/errors.ts';
import type { ApplyJob, ApplyService } from '../../../src/codes/engine/apply-job.ts';
import { valuesKey } from '../../../src/codes/engine/creation/same-values.ts';
import type { KeyedRow } from '../../../src/codes/engine/keyed-rows.ts';
import { foldKey, formatLock, type LockEntry, parseLock } from '../../../src/codes/engine/lock-file.ts';
import type { CodeChanges, NewCode, QrCode } from '../../../src/service/shapes.ts';
import type { Mishap, ModelCode } from '../../support/model-service/codes.ts';
import { applyIn, applyWorld, JOURNAL, LOCK, readLines } from './apply-world.ts';
import { WORKSPACE } from './creation/world.ts';
import { OPTIONS, rowOf } from './plan-world.ts';

export type Step =
  | { do: 'add'; at: number; name: number; place: number }
  | { do: 'edit'; at: number; field: keyof CodeChanges; value: number }
  | { do: 'clear'; at: number; field: 'destination' | 'status' }
  | { do: 'remove' | 'restore' | 'rename'; at: number }
  | { do: 'sort'; by: number }
  | { do: 're-save' }
  | { do: 'by hand'; at: number; field: keyof CodeChanges; value: number }
  | { do: 'delete by hand'; at: number }
  | { do: 'create by hand'; at: number; name: number; place: number; alike: boolean }
  | { do: 'lose lock' | 'lose journal' | 'old lock' | 'branch' | 'switch' }
  | { do: 'merge'; lines: 'ours' | 'theirs' | 'both' }
  | Run;

export interface Run {
  do: 'run';
  kill?: { step: number; fault: 'end-before' | 'end-within' | 'end-after'; keep?: number };
  /** The process dies at this request, before it leaves or when its response is there. */
  cut?: { request: number; answered: boolean };
  mishaps?: readonly Mishap[];
  keepEdits?: boolean;
  pause?: boolean;
  most?: number;
  /** The user answers what is asked, as one who knows. */
  decides?: boolean;
}

interface SheetRow {
  key: string;
  changes: CodeChanges;
}

export interface Tally {
  readonly exits: Map<string, number>;
  readonly outcomes: Map<string, number>;
  readonly steps: Map<string, number>;
  count(kind: 'exits' | 'outcomes' | 'steps', what: string): void;
}

export function createTally(): Tally {
  const tally = { exits: new Map<string, number>(), outcomes: new Map<string, number>(), steps: new Map<string, number>() };
  return { ...tally, count: (kind, what) => void tally[kind].set(what, (tally[kind].get(what) ?? 0) + 1) };
}

const NAMES = ['Menu', 'Poster', 'Flyer', 'Table', 'Window'];
const STATUSES = ['active', 'paused', 'expired'];
const placeOf = (n: number) => `https://${'abcde'[n % 5]}.example/`;
const textOf = (field: keyof CodeChanges, n: number) =>
  field === 'name' ? (NAMES[n % NAMES.length] ?? '') : field === 'destination' ? placeOf(n) : (STATUSES[n % 3] ?? '');
const codeOfRow = ({ changes: { name = '', destination } }: SheetRow): NewCode => {
  return destination === undefined ? { name } : { name, destination };
};

interface Branch {
  sheet: SheetRow[];
  lock: string | undefined;
}

export async function playHistory(steps: readonly Step[], tally: Tally): Promise<void> {
  let fates: Mishap[] = [];
  const world = applyWorld({ mishap: () => fates.shift() ?? 'none', byOf: () => runs });
  const { service, memory } = world;
  let sheet: SheetRow[] = [];
  const removed: SheetRow[] = [];
  let added = 0;
  let other: (Branch & { base: Branch }) | undefined;
  const locks: string[] = [];
  /** Whose code each is, as far as that was ever recorded or sent. */
  const owners = new Map<string, string>();
  let runs = 0;
  let recreated: ReadonlySet<string> = new Set();
  let planned: { key: string; values: string }[] = [];

  const pick = <T>(items: readonly T[], at: number): T | undefined => items[at % Math.max(1, items.length)];
  const read = () => memory.read(LOCK);
  const entries = (text = read()): LockEntry[] => (text === undefined ? [] : [...readLines(text).entries.values()]);

  /**
   * The one rule: a key that has a code gets no other, unless the user says so or nothing can show that it has one. Of rows that say the same,
   * nobody can tell whose a code is that the lock file does not have: each may have one.
   */
  function checkCreations(made: readonly ModelCode[], lockNow: readonly LockEntry[]): void {
    const locked = new Map(lockNow.map((entry) => [entry.id, entry.key]));
    const given = new Set(made.flatMap(({ id }) => locked.get(id) ?? []));
    for (const code of made) {
      const alike = planned.filter(({ values, key }) => values === valuesKey(code.sent) && !given.has(key));
      const key = locked.get(code.id) ?? alike[0]?.key;
      expect(key, `the key of ${code.slug}, of as many codes as rows`).toBeDefined();
      if (key === undefined) continue;
      given.add(key);
      for (const other of service.codes) {
        const isTaken = ![undefined, key].includes(locked.get(other.id));
        if (owners.get(other.id) !== key || isTaken || made.includes(other) || recreated.has(key)) continue;
        const { name, destination } = code.sent;
        // Many new rows may lead to one page.
        const isPlaceOwn = rowsNow().filter((row) => row.changes.destination === destination).length <= 1;
        const isSimilar = other.name.trim() === name.trim() || (destination && isPlaceOwn && other.destination === destination);
        expect(locked.has(other.id) || isSimilar, `a code of ${key}, which has ${other.slug}`).toBeFalsy();
        tally.count('outcomes', 'unknowable');
      }
      owners.set(code.id, key);
    }
  }

  const rowsNow = (): KeyedRow[] => sheet.map(({ key, changes }, place) => rowOf(key, place + 2, { changes }));

  function edit(step: Exclude<Step, Run>): void {
    const at = 'at' in step ? step.at % Math.max(1, sheet.length) : 0;
    const row = sheet[at];
    switch (step.do) {
      case 'add':
        if (sheet.length >= 8) return;
        sheet.splice(at, 0, {
          key: `k${++added}`,
          changes: { name: textOf('name', step.name), destination: placeOf(step.place) },
        });
        return;
      case 'edit':
        if (row) sheet[at] = { ...row, changes: { ...row.changes, [step.field]: textOf(step.field, step.value) } };
        return;
      case 'clear':
        if (row && (step.field === 'status' || entries(goodLock(read())).some(({ key }) => key === row.key))) {
          const { [step.field]: _, ...changes } = row.changes;
          sheet[at] = { ...row, changes };
        }
        return;
      case 'remove':
        if (row) removed.push(...sheet.splice(at, 1));
        return;
      case 'restore': {
        const back = removed.splice(step.at % Math.max(1, removed.length), 1)[0];
        if (back && !sheet.some(({ key }) => key === back.key)) sheet.splice(at, 0, back);
        return;
      }
      case 'rename':
        if (row) sheet[at] = { ...row, key: `k${++added}` };
        return;
      case 'sort':
        sheet =
          step.by % 2 === 0
            ? [...sheet].reverse()
            : [...sheet].sort((one, two) => ((one.changes.name ?? '') < (two.changes.name ?? '') ? -1 : 1));
        return;
      case 're-save':
        sheet = sheet.map((one) =>
          one.changes.name ? { ...one, changes: { ...one.changes, name: ` ${one.changes.name.trim()}` } } : one,
        );
        return;
      case 'by hand': {
        const code = pick(service.codes, step.at);
        if (code) Object.assign(code, { [step.field]: textOf(step.field, step.value) });
        return;
      }
      case 'delete by hand': {
        const code = pick(service.codes, step.at);
        if (code) service.remove(code);
        return;
      }
      case 'create by hand': {
        const like = step.alike ? row && codeOfRow(row) : undefined;
        service.add(like ?? { name: textOf('name', step.name), destination: placeOf(step.place) }, 0);
        return;
      }
      case 'lose lock':
        if (read() !== undefined) memory.remove(LOCK);
        return;
      case 'lose journal':
        if (memory.read(JOURNAL) !== undefined) memory.remove(JOURNAL);
        return;
      case 'old lock': {
        const old = pick(locks, locks.length - 2);
        if (old !== undefined) memory.write(LOCK, old);
        return;
      }
      case 'branch': {
        const branch = { sheet: [...sheet], lock: read() };
        other = { ...branch, base: branch };
        return;
      }
      case 'switch': {
        if (!other) return;
        const here = { sheet, lock: read() };
        sheet = other.sheet;
        writeLock(other.lock);
        other = { ...here, base: other.base };
        return;
      }
      case 'merge':
        if (other) merge(other, step.lines);
        other = undefined;
    }
  }

  function writeLock(text: string | undefined): void {
    if (text !== undefined) memory.write(LOCK, text);
    else if (read() !== undefined) memory.remove(LOCK);
  }

  /** As git merges by lines; where both sides changed a line, or added some at one place, as the user says. */
  function merge({ base, sheet: theirs, lock }: NonNullable<typeof other>, lines: 'ours' | 'theirs' | 'both'): void {
    const byKey = (rows: readonly SheetRow[]) => new Map(rows.map((row) => [row.key, row]));
    const [was, here, there] = [byKey(base.sheet), byKey(sheet), byKey(theirs)];
    const text = (row: SheetRow | undefined) => JSON.stringify(row);
    const merged = sheet.filter(({ key }) => there.has(key) || !was.has(key) || text(here.get(key)) !== text(was.get(key)));
    sheet = merged.map((row) => (text(row) === text(was.get(row.key)) ? (there.get(row.key) ?? row) : row));
    sheet.push(...theirs.filter(({ key }) => !here.has(key) && !was.has(key)));
    const [baseLines, ours, others] = [base.lock, read(), lock].map(
      (one) => new Map(entries(goodLock(one)).map((entry) => [entry.key, entry])),
    );
    if (!baseLines || !ours || !others) return;
    const kept: LockEntry[] = [];
    for (const key of new Set([...ours.keys(), ...others.keys()])) {
      const [b, o, t] = [baseLines.get(key), ours.get(key), others.get(key)];
      const same = (one: LockEntry | undefined, two: LockEntry | undefined) => JSON.stringify(one) === JSON.stringify(two);
      const chosen = same(o, t) || same(t, b) ? [o] : same(o, b) ? [t] : lines === 'both' ? [o, t] : [lines === 'ours' ? o : t];
      kept.push(...chosen.flatMap((entry) => entry ?? []));
    }
    if (kept.length > 0) memory.write(LOCK, linesOf(kept));
  }

  const linesOf = (kept: readonly LockEntry[]) => {
    const [first] = locks;
    const { workspace } = readLines(first ?? '');
    const head = formatLock({ workspace, entries: new Map() });
    const lines = kept.map((entry) =>
      formatLock({ workspace, entries: new Map([[entry.key, entry]]) })
        .split('\n')
        .find((line) => line.startsWith('{"key"')),
    );
    return head.replace('null\n]', `${lines.join('\n')}${lines.length > 0 ? '\n' : ''}null\n]`);
  };

  /** The lock file, or what is left of it where a merge left lines that contradict each other. */
  function goodLock(text: string | undefined): string | undefined {
    if (text === undefined) return undefined;
    const lines = text.split('\n').filter((line) => line.startsWith('{"key"'));
    const seen = new Set<string>();
    const good = lines
      .map((line): LockEntry => JSON.parse(line.replace(/,$/, '')))
      .filter(({ key, id }) => {
        const isNew = !seen.has(foldKey(key)) && !seen.has(id);
        if (isNew) seen.add(foldKey(key)).add(id);
        return isNew;
      });
    return linesOf(good);
  }

  /** What a user answers who knows: the code that was the key's, or that there is none. */
  function decide(asked: ReadonlySet<string>): Pick<ApplyJob, 'adopt' | 'recreate'> {
    const adopt = new Map<string, string>();
    const recreate = new Set<string>();
    const taken = new Set(
      entries()
        .filter(({ key }) => sheet.some((row) => row.key === key))
        .map(({ id }) => id),
    );
    for (const key of asked) {
      const own = service.codes.find(({ id }) => owners.get(id) === key && !taken.has(id));
      const present = entries().find((entry) => entry.key === key && service.codes.some(({ id }) => id === entry.id));
      if (present) adopt.set(key, present.id);
      else if (own) adopt.set(key, own.id);
      else recreate.add(key);
      if (own) taken.add(own.id);
    }
    return { adopt, recreate };
  }

  /** Keys that the last run left to the user. */
  let asked = new Set<string>();

  async function runOnce(step: Run): Promise<number> {
    const text = read();
    try {
      if (text !== undefined) await parseLock(text, LOCK);
    } catch {
      const posts = service.posts();
      await expect(applyIn(world, rowsNow())).rejects.toBeInstanceOf(UsageError);
      expect([service.posts(), read()]).toEqual([posts, text]);
      tally.count('exits', 'contradicting lock');
      memory.write(LOCK, goodLock(read()) ?? '');
    }
    const decisions = step.decides ? decide(asked) : { adopt: new Map<string, string>(), recreate: new Set<string>() };
    recreated = decisions.recreate;
    fates = [...(step.mishaps ?? [])];
    let isKilled = false;
    let requests = 0;
    const die = () => {
      isKilled = true;
      memory.fault = () => 'end-before';
      return new Error('killed');
    };
    memory.fault = (at) => {
      if (isKilled) return 'end-before';
      if (!step.kill || at < step.kill.step) return undefined;
      isKilled = true;
      return step.kill.fault;
    };
    const { cut } = step;
    const send = async <T>(work: () => Promise<T>): Promise<T> => {
      if (isKilled) throw die();
      const isCut = cut !== undefined && ++requests >= cut.request;
      if (isCut && !cut.answered) throw die();
      const answer = await work();
      if (isKilled || isCut) throw die();
      return answer;
    };
    const own: ApplyService = {
      ...service,
      workspace: WORKSPACE,
      createCode: (code, beforeSend) => send(() => service.createCode(code, beforeSend)),
      getCode: (id) => send(() => service.getCode(id)),
      updateCode: (id, changes) =>
        send(() => {
          // Nothing that no key has is touched, and what is to be paused is removed.
          const code = service.codes.find((one) => one.id === id);
          const locked = entries().filter((one) => one.id === id);
          const fresh = code && !there.has(id) ? planned.filter(({ values }) => values === valuesKey(code.sent)) : [];
          const touched = [...locked, ...fresh].map(({ key }) => key);
          expect(touched, `the key of ${id}`).not.toEqual([]);
          const rows = sheet.filter(({ key }) => touched.includes(key));
          if (rows.length === 0) expect([changes, step.pause]).toEqual([{ status: 'paused' }, true]);
          for (const [field, value] of Object.entries(changes)) {
            const isBack = field === 'status' && value === 'active' && rows.some((row) => row.changes.status === undefined);
            if (rows.length > 0 && !isBack) expect(rows.map((row) => row.changes[field as keyof CodeChanges])).toContain(value);
          }
          const fate = fates.shift() ?? 'none';
          return service.updateCode(id, changes, fate === 'applied' || fate === 'drop' ? fate : 'none');
        }),
    };
    const options = {
      ...{ ...OPTIONS, keepEdits: step.keepEdits ?? false, removed: step.pause ? ('pause' as const) : ('report' as const) },
      maxChanges: step.most === undefined ? { count: 1000 } : { count: step.most },
    };
    runs += 1;
    planned = [];
    const there = new Set(service.codes.map(({ id }) => id));
    const job: Partial<ApplyJob> = {
      ...{ service: own, options, ...decisions },
      listCodes: () => send(async () => (await service.listCodes()).map((code: QrCode) => ({ ...code }))),
      askClock: () => send(service.askClock),
      onPlan: ({ items }) => {
        planned = items.flatMap(({ key, action, row }) =>
          action === 'create' && row ? [{ key, values: valuesKey(codeOfRow({ key, changes: row.changes })) }] : [],
        );
      },
    };
    const end = await applyIn(world, rowsNow(), job).catch((error) => ({ error }));
    memory.fault = () => undefined;
    memory.revive(isKilled && step.kill?.keep !== undefined ? { keep: () => step.kill?.keep ?? 0 } : undefined);
    fates = [];
    await world.time.advance(30_000);
    const now = entries();
    checkCreations(
      service.codes.filter(({ id }) => !there.has(id)),
      now,
    );
    for (const { id, key } of now) owners.set(id, key);
    locks.push(...[read()].flatMap((one) => one ?? []));
    if (isKilled) {
      tally.count('exits', 'killed');
      return -1;
    }
    asked = new Set();
    if ('error' in end) {
      const exit = exitCodeOf(end.error);
      tally.count('exits', `${exit} before anything was sent`);
      if (exit === 1) throw end.error;
      // A new code for a key needs a destination.
      if (exit === 2) sheet = sheet.map(({ key, changes }) => ({ key, changes: { destination: placeOf(0), ...changes } }));
      expect(end.error instanceof UnprovenError || end.error instanceof UsageError || exit === 7, String(end.error)).toBe(true);
      if (end.error instanceof UnprovenError)
        asked = new Set(
          [...String(end.error).matchAll(/^(?:Error: |UnprovenError: )?"?(k\d+)"?: sent/gm)].flatMap(([, key]) => key ?? []),
        );
      return exit;
    }
    for (const { outcome, item } of end.ended) {
      tally.count('outcomes', `${item.action} ${outcome}`);
      if (outcome === 'undecided') asked.add(item.key);
    }
    const exit = end.failure === undefined ? 0 : exitCodeOf(end.failure);
    tally.count('exits', String(exit));
    if (exit === 0) await checkAgreement(job);
    else
      expect(end.failure instanceof UnprovenError || end.failure instanceof PartialError || exit === 7, String(end.failure)).toBe(
        true,
      );
    return exit;
  }

  /** 0: file, lock file and service agree, and a second run sends nothing. */
  async function checkAgreement(job: Partial<ApplyJob>): Promise<void> {
    const now = new Map(entries().map((entry) => [entry.key, entry]));
    expect(new Set([...now.values()].map(({ id }) => id)).size).toBe(now.size);
    for (const { key, changes } of sheet) {
      const entry = now.get(key);
      const code = service.codes.find(({ id }) => id === entry?.id);
      expect(code, `the code of ${key}`).toBeDefined();
      if (!code || !entry) continue;
      const { name, destination, status } = code;
      expect(entry, key).toMatchObject({ name, destination, status });
      expect(
        {
          name: (changes.name ?? name).trim(),
          destination: changes.destination ?? destination,
          status: changes.status ?? status,
        },
        key,
      ).toEqual({ name: name.trim(), destination, status });
    }
    const [text, posts, codes, hasJournal] = [
      read(),
      service.posts(),
      JSON.stringify(service.codes),
      memory.read(JOURNAL) !== undefined,
    ];
    const [lists, steps] = [service.lists(), memory.steps()];
    const again = await applyIn(world, rowsNow(), { options: job.options ?? OPTIONS });
    expect(again.failure).toBeUndefined();
    expect([read(), service.posts(), JSON.stringify(service.codes)]).toEqual([text, posts, codes]);
    if (!hasJournal) expect([service.lists(), memory.steps()]).toEqual([lists + 1, steps]);
  }

  for (const step of steps) {
    tally.count('steps', step.do);
    if (step.do === 'run') await runOnce(step);
    else edit(step);
  }
  // Whoever knows comes to an end.
  for (let turn = 0; (await runOnce({ do: 'run', decides: true })) !== 0; turn++) expect(turn).toBeLessThan(10);
}
