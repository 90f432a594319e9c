/** Judges the requests of one run as they arrive, by what the ledger has on disk at that instant and the hidden identities of the rows. */
import { isDeepStrictEqual } from 'node:util';
import type { LedgerView, PlanItem } from '#codes/engine/plan/model';
import type { CodeChanges, NewCode, QrCode } from '#service/shapes';
import { judgeOverwriting } from '../codes/engine/plan/world/overwriting.ts';
import type { Job, Judge, Moment } from '../codes/engine/plan/world/run.ts';
import type { ModelCode } from '../codes/engine/plan/world/service.ts';
import { readRow, type SheetRow } from '../codes/engine/plan/world/sheet.ts';
import { count, type Truth } from '../codes/engine/plan/world/truth.ts';
import { fieldOf, isEqual, sharesDestination, sharesName } from '../codes/engine/plan/world/values.ts';
import { itemOf, sendingOf } from './items.ts';
import { findPatch, findPosts, type PostRecord, readView } from './memory-file.ts';

export interface RunJudge {
  onPost(values: NewCode): Promise<{ token: number; sent(): void }>;
  onPatch(id: string, set: CodeChanges): Promise<void>;
  onDelete(id: string): Promise<void>;
  onListing(listing: ReadonlyMap<string, QrCode>): void;
  /** Edits by others that the run overwrote, as `ID FIELD`: its output must name them. */
  readonly overwritten: ReadonlySet<string>;
  /** Ids of the codes whose rows the run changed, with the fields. */
  readonly patched: readonly { readonly row: SheetRow; readonly set: CodeChanges; readonly before: QrCode }[];
}

interface RunOf {
  readonly truth: Truth;
  readonly judge: Judge;
  readonly job: Job;
  /** State directory of the machine. */
  readonly state: string;
  /** Numbers of the POSTs that its ledger has before the run. */
  readonly earlierNs: ReadonlySet<number>;
}

/** Returns the judge of one run. */
export function judgeRun({ truth, judge, job, state, earlierNs }: RunOf): RunJudge {
  const { service, tally } = truth;
  const { sheet, policy, lock } = job;
  const problem = (what: string) => tally.problems.push(what);
  const sentOf = new Map<number, SheetRow>();
  const made = new Set<string>();
  const overwritten = new Set<string>();
  const patched: { row: SheetRow; set: CodeChanges; before: QrCode }[] = [];
  const before = new Set(service.codes.keys());
  let listing: ReadonlyMap<string, QrCode> = new Map();

  const momentOf = (view: LedgerView, own?: { row: SheetRow | undefined; item: PlanItem }): Moment => {
    const taken = new Set<string>();
    const items = sheet.rows.map((row, index): PlanItem => {
      if (own && row === own.row) return own.item;
      const known = knownCode(row, view, taken);
      if (known) taken.add(known.id);
      const isClaimed = known !== undefined && before.has(known.id) && view.claims.has(known.id);
      const isFound = known !== undefined && before.has(known.id) && row.id === undefined && !isClaimed;
      return itemOf({
        row: readRow(row, index),
        code: known,
        how: isClaimed ? 'ledger' : 'none',
        action: isFound ? 'exists' : 'unchanged',
      });
    });
    const rowOf = new Map(
      items.flatMap((item, index) => (item.row ? [[item.row, sheet.rows[index] as SheetRow]] : [])),
    );
    const plan = {
      items,
      faults: [],
      brakes: [],
      warnings: [],
      absent: [],
      unmanaged: 0,
    } as unknown as Moment['plan'];
    return { job, plan, listing, view, rowOf };
  };

  /** The code that a row has by what everybody can see. */
  function knownCode(row: SheetRow, view: LedgerView, taken: ReadonlySet<string>): QrCode | undefined {
    const codes = [...listing.values(), ...service.live().map(({ code }) => code)].filter(
      ({ id }) => !taken.has(id),
    );
    const entry = row.key === undefined ? undefined : lock?.get(row.key)?.id;
    const claimed = ({ id }: QrCode) => {
      const claim = view.claims.get(id);
      if (!claim) return false;
      return row.key === undefined ? claim.rows.some((known) => isEqual(known, row)) : claim.key === row.key;
    };
    return (
      codes.find(({ id, slug }) => (row.id !== undefined ? row.id === id : row.slug === slug)) ??
      codes.find(({ id }) => id === entry) ??
      codes.find(claimed) ??
      findEqual(row, view, taken)
    );
  }

  /** Of more codes with equal values than rows, nobody knows which is whose. */
  function findEqual(row: SheetRow, view: LedgerView, taken: ReadonlySet<string>): QrCode | undefined {
    const equal = [...listing.values()].filter(
      (code) => before.has(code.id) && !view.claims.has(code.id) && isEqual(code, row),
    );
    const alike = sheet.rows.filter((other) => other.id === undefined && isEqual(other, row));
    return equal.length > alike.length ? undefined : equal.find(({ id }) => !taken.has(id));
  }

  function rowOfPost(record: PostRecord): SheetRow | undefined {
    const again = record.again === undefined ? undefined : sentOf.get(record.again);
    if (again) return again;
    const used = new Set(sentOf.values());
    const alike = sheet.rows.filter(
      (row) => isEqual(record.values, row) && row.key === record.key && !used.has(row),
    );
    const has = (row: SheetRow) => service.live().some(({ tokens }) => tokens.has(row.token));
    const rank = (row: SheetRow) =>
      ((record.decided ?? false) === (row.decision?.is === 'new') ? 0 : 4) +
      (row.id === undefined ? 0 : 2) +
      (has(row) ? 1 : 0);
    return alike.sort((one, other) => rank(one) - rank(other))[0];
  }

  function rowOfPatch(
    id: string,
    record: Awaited<ReturnType<typeof findPatch>>,
    view: LedgerView,
  ): SheetRow | undefined {
    const model = service.codes.get(id);
    const isNamed = (row: SheetRow) =>
      row.id === id || (row.id === undefined && row.slug === model?.code.slug);
    const decided = (row: SheetRow) =>
      row.decision?.is === 'code' && [id, model?.code.slug].includes(row.decision.name);
    const sent = [...sentOf].find(([, row]) => model?.tokens.has(row.token) && made.has(id))?.[1];
    const { rows } = sheet;
    const keyed = record?.key === undefined ? [] : rows.filter(({ key }) => key === record.key);
    const alike = rows.filter((row) => record?.row && isEqual(record.row, row));
    const owners = alike.filter((row) => model?.tokens.has(row.token));
    return (
      rows.find(decided) ??
      rows.find(isNamed) ??
      sent ??
      keyed[0] ??
      owners[0] ??
      alike.find((row) => !knownCode(row, view, new Set([id]))) ??
      alike[0]
    );
  }

  /** With `--apply-edits` the user agrees that a row which may be an edit is one. */
  function noteGuess(row: SheetRow, { code, tokens }: ModelCode): void {
    if (row.id !== undefined || row.slug !== undefined || tokens.has(row.token)) return;
    if (!sharesName(code, row) && !sharesDestination(code, row)) return;
    tokens.add(row.token);
    count(tally, 'limit: --apply-edits carries out a guess');
  }

  return {
    overwritten,
    patched,
    onListing(codes) {
      listing = codes;
    },
    async onPost(values) {
      const view = await readView(state);
      const intents = (await findPosts(state)).filter(({ n }) => !sentOf.has(n) && !earlierNs.has(n));
      const record = intents.find((one) => isDeepStrictEqual(one.values, values));
      if (!record) {
        problem(`a POST without its intent in the ledger: ${JSON.stringify(values)}`);
        return { token: truth.newToken(), sent: () => undefined };
      }
      const row = rowOfPost(record);
      if (!row) {
        problem(`a POST of values that no row has left: ${JSON.stringify(record)}`);
        return { token: truth.newToken(), sent: () => undefined };
      }
      const earlier = {
        ...view,
        unclear: view.unclear.filter(
          ({ n, run }) => n !== record.n && !(sentOf.has(n) && run === record.run),
        ),
      };
      const { again, decided = false, replaces } = record;
      const repeats =
        again === undefined
          ? undefined
          : (view.unclear.find(({ n }) => n === again) ?? sendingOf(record, before));
      const item = itemOf({
        row: readRow(row, sheet.rows.indexOf(row)),
        action: 'create',
        values,
        isDecided: decided,
        repeats,
        replaces,
      });
      const moment = momentOf(earlier, { row, item });
      judge.post(item, row, moment);
      sentOf.set(record.n, row);
      return {
        token: row.token,
        sent() {
          judge.sent(item, row, moment);
        },
      };
    },
    async onPatch(id, set) {
      const now = service.codes.get(id);
      if (!now) return;
      for (const code of service.codes.keys()) if (!before.has(code)) made.add(code);
      const view = await readView(state);
      const record = await findPatch(state, id);
      if (!record) problem(`a PATCH without its intent in the ledger: ${id} ${JSON.stringify(set)}`);
      const row = rowOfPatch(id, record, view);
      if (record?.pause === 'removed' && policy.removed === 'pause' && lock?.has(record.key ?? '')) return;
      if (!row) {
        problem(`a PATCH of a code that no row names: ${id} ${JSON.stringify(set)}`);
        return;
      }
      const isFile = policy.verb === 'apply' && policy.conflicts === 'file';
      const changes = Object.keys(set).map(
        (field) => ({ field, what: isFile ? 'overwrite' : 'send' }) as never,
      );
      const item = itemOf({
        row: readRow(row, sheet.rows.indexOf(row)),
        action: made.has(id) ? 'create' : 'update',
        how: 'id',
        code: now.code,
        send: set,
        changes,
      });
      const moment = momentOf(view, { row, item });
      if (policy.applyEdits) noteGuess(row, now);
      judge.patch(item, row, moment);
      patched.push({ row, set, before: now.code });
      if (!isFile || made.has(id)) return;
      for (const field of Object.keys(set) as (keyof CodeChanges & ('name' | 'destination' | 'status'))[]) {
        const asked = { ...item, changes: [] };
        if (set[field] === fieldOf(now.code, field)) continue;
        const quiet = { ...truth, tally: { problems: [], counts: new Map() } };
        judgeOverwriting(quiet, { row, item: asked, field, now, moment }, () =>
          overwritten.add(`${id} ${field}`),
        );
      }
    },
    async onDelete(id) {
      const now = service.codes.get(id);
      if (!now) return;
      const view = await readView(state);
      const row = rowOfPatch(id, undefined, view);
      const item = itemOf({ row: row && readRow(row, 0), action: 'delete', how: 'id', code: now.code });
      judge.delete(item, row as SheetRow, momentOf(view, { row, item }));
    },
  };
}
