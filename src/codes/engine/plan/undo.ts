/** Reads the changes of a run from the ledger, and plans to put back those that nobody has edited since. */
import { joinSome } from '../../../base/text/quote.ts';
import type { QrCode } from '../../../service/shapes.ts';
import type { LedgerLine } from './ledger-lines.ts';
import { FIELDS, type Field, type Plan, type PlanInput, type Row, type Values } from './model.ts';
import { plan } from './plan.ts';
import { fieldsOf } from './values.ts';

/** Change of a code by a run. */
export interface CodeChange {
  readonly id: string;
  /** Values before the first change of each field; of a created code, the status that stops it. */
  readonly before: Values;
  /** Values after the last change of each field. */
  readonly after: Values;
  readonly is: 'changed' | 'created' | 'deleted';
}

export interface RunChanges {
  readonly run: string;
  /** The run that this one undid. */
  readonly undoes: string | undefined;
  readonly isEnded: boolean;
  readonly codes: ReadonlyMap<string, CodeChange>;
}

/** Collects the changes of each run, oldest first, from the lines of a ledger. */
export function createRunReader() {
  const runs = new Map<string, RunChanges & { isEnded: boolean; readonly codes: Map<string, CodeChange> }>();
  const open = new Map<number, { readonly run: string; readonly id?: string; readonly before?: Values }>();
  let current = '';

  function note(run: string, change: CodeChange): void {
    const codes = runs.get(run)?.codes;
    const known = codes?.get(change.id);
    const before = known?.is === 'created' ? known.before : { ...change.before, ...known?.before };
    codes?.set(change.id, {
      ...change,
      is: known?.is ?? change.is,
      before,
      after: { ...known?.after, ...change.after },
    });
  }

  function take(line: LedgerLine): void {
    switch (line.is) {
      case 'run':
        current = line.run;
        if (!runs.has(line.run))
          runs.set(line.run, { run: line.run, undoes: line.undoes, isEnded: false, codes: new Map() });
        break;
      case 'post':
        open.set(line.n, { run: line.run });
        break;
      case 'made':
        note(open.get(line.n)?.run ?? current, {
          id: line.id,
          is: 'created',
          before: { status: 'paused' },
          after: { status: line.stored.status ?? '' },
        });
        break;
      case 'patch': {
        const { run, id, before, set: after } = line;
        open.set(line.n, { run, id, before });
        // A response may be lost: then the code has either value.
        if (line.pause !== 'backup') note(run, { id, is: 'changed', before, after });
        break;
      }
      case 'set': {
        const { run, id, before } = open.get(line.n) ?? {};
        if (run !== undefined && id !== undefined && before && runs.get(run)?.codes.has(id))
          note(run, { id, is: 'changed', before, after: line.stored });
        break;
      }
      case 'delete':
        open.set(line.n, { run: line.run, id: line.id });
        break;
      case 'deleted': {
        const { run, id } = open.get(line.n) ?? {};
        if (run !== undefined && id !== undefined) note(run, { id, is: 'deleted', before: {}, after: {} });
        break;
      }
      case 'end': {
        const run = runs.get(line.run);
        if (run) run.isEnded = true;
      }
    }
  }

  return { take, runs: (): RunChanges[] => [...runs.values()].filter(({ codes }) => codes.size > 0) };
}

/** Returns the run with this name; by default, the last one that changed something, is not an undo, and was not undone. */
export function chooseRun(runs: readonly RunChanges[], name: string | undefined): RunChanges | undefined {
  if (name !== undefined) return runs.find(({ run }) => run === name);
  const undone = new Set(runs.flatMap(({ undoes, isEnded }) => (isEnded && undoes) || []));
  return runs.findLast(({ run, undoes }) => undoes === undefined && !undone.has(run));
}

/** Returns a row for each code of a run, with the values to put back. */
export function undoRows({ codes }: RunChanges): Row[] {
  return [...codes.values()].map(({ id, before }, at) => ({
    row: at + 1,
    line: at + 1,
    values: new Map(),
    doubts: [],
    id,
    wish: before,
  }));
}

/** Plans only the fields that still have what the run set. */
export function planUndo(input: PlanInput, { codes }: RunChanges): Plan {
  const kept = new Map<Row, readonly Field[]>();
  const rows = input.rows.map((row) => {
    const code = input.listing.codes.get(row.id ?? '');
    const change = codes.get(row.id ?? '');
    if (!code || !change) return row;
    const fields = FIELDS.filter(
      (field) => row.wish[field] !== undefined && row.wish[field] !== fieldsOf(code)[field],
    );
    const back = fields.filter((field) => fieldsOf(code)[field] === change.after[field]);
    const narrowed = { ...row, wish: pick(row.wish, back) };
    const others = fields.filter((field) => !back.includes(field));
    if (others.length > 0) kept.set(narrowed, others);
    return narrowed;
  });
  const planned = plan({ ...input, rows });
  const items = planned.items.map((item) => {
    const fields = item.row && kept.get(item.row);
    return fields && item.code ? { ...item, reason: describeKept(fields, item.code) } : item;
  });
  return { ...planned, items, warnings: [] };
}

function pick(values: Values, fields: readonly Field[]): Values {
  return Object.fromEntries(fields.map((field) => [field, values[field]]));
}

function describeKept(fields: readonly Field[], code: QrCode): string {
  const values = fields.map((field) => `${field} ${JSON.stringify(fieldsOf(code)[field])}`);
  return `kept, edited since: ${joinSome(values, { most: FIELDS.length })}`;
}
