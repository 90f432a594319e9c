import type { LedgerLine } from './ledger-lines.ts';
import { FIELDS, type Field, type Plan, type PlanInput, type Row, type Values } from './model.ts';
import { plan } from './plan.ts';
import { fieldsOf } from './values.ts';

export interface CodeChange {
  id: string;
  /** Values before the run first changed each field. For a created code, only the status `paused`. */
  before: Values;
  after: Values;
  is: 'changed' | 'created' | 'deleted';
}

export interface RunChanges {
  run: string;
  undoes: string | undefined;
  isDone: boolean;
  codes: ReadonlyMap<string, CodeChange>;
}

type Request = Extract<LedgerLine, { is: 'post' | 'patch' | 'delete' }>;

/** Creates a reader that collects each run's changes. A PATCH without a clear response counts as applied. */
export function createRunReader() {
  const runs = new Map<string, RunChanges & { isDone: boolean; codes: Map<string, CodeChange> }>();
  const open = new Map<number, Request>();
  const failed = new Set<string | undefined>();

  function note(run: string, change: CodeChange): void {
    const codes = runs.get(run)?.codes;
    const known = codes?.get(change.id);
    const before = known?.is === 'created' ? known.before : { ...change.before, ...known?.before };
    const after = { ...known?.after, ...change.after };
    codes?.set(change.id, { ...change, is: known?.is ?? change.is, before, after });
  }

  function notePatch({ run, id, before, pause }: Extract<Request, { is: 'patch' }>, after: Values): void {
    if (pause !== 'backup' && pause !== 'restored') note(run, { id, is: 'changed', before, after });
  }

  function close(n: number): Request | undefined {
    const request = open.get(n);
    open.delete(n);
    return request;
  }

  function take(line: LedgerLine): void {
    switch (line.is) {
      case 'run':
        if (!runs.has(line.run))
          runs.set(line.run, { run: line.run, undoes: line.undoes, isDone: false, codes: new Map() });
        break;
      case 'post':
      case 'patch':
      case 'delete':
        open.set(line.n, line);
        break;
      case 'made': {
        const request = close(line.n);
        const { id, stored } = line;
        if (request) note(request.run, { id, is: 'created', before: { status: 'paused' }, after: stored });
        break;
      }
      case 'set': {
        const request = close(line.n);
        if (request?.is === 'patch') notePatch(request, line.stored);
        break;
      }
      case 'deleted': {
        const request = close(line.n);
        if (request?.is === 'delete')
          note(request.run, { id: request.id, is: 'deleted', before: {}, after: {} });
        break;
      }
      case 'not':
        failed.add(close(line.n)?.run);
        break;
      case 'end': {
        const run = runs.get(line.run);
        if (run) run.isDone = true;
      }
    }
  }

  function finish(): RunChanges[] {
    for (const request of open.values()) {
      failed.add(request.run);
      if (request.is === 'patch') notePatch(request, request.set);
    }
    const changed = [...runs.values()].filter(({ codes }) => codes.size > 0);
    return changed.map((run) => ({ ...run, isDone: run.isDone && !failed.has(run.run) }));
  }

  return { take, finish };
}

/**
 * Chooses the run `name`. Without a name, chooses the last run, or if that is an undo, the run that it
 * reverts (unfinished) or none (finished).
 */
export function chooseRun(runs: readonly RunChanges[], name: string | undefined): RunChanges | undefined {
  if (name !== undefined) return runs.find(({ run }) => run === name);
  const last = runs.at(-1);
  if (last?.undoes === undefined) return last;
  return last.isDone
    ? undefined
    : runs.find(({ run, undoes }) => run === last.undoes && undoes === undefined);
}

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

export const CREATE_AGAIN =
  'Deleted codes stay deleted. To create one again from its backup, with a new slug, run `qrctl qr create --from DIR/ID.json`.';

export function planUndo(input: PlanInput, { codes }: RunChanges): Plan {
  const kept = new Map<Row | undefined, string>();
  const rows = input.rows.map((row) => {
    const { id = '', wish } = row;
    const code = input.listing.codes.get(id);
    const change = codes.get(id);
    if (!code || !change) return row;
    const current = fieldsOf(code);
    const fields = FIELDS.filter((field) => wish[field] !== undefined && wish[field] !== current[field]);
    const back = fields.filter((field) => current[field] === change.after[field]);
    const narrowed = { ...row, wish: pick(wish, back) };
    const others = fields.filter((field) => !back.includes(field));
    if (others.length > 0) kept.set(narrowed, describeKept(pick(current, others)));
    return narrowed;
  });
  const planned = plan({ ...input, rows });
  const items = planned.items.map((item) =>
    item.action === 'gone'
      ? { ...item, nextStep: CREATE_AGAIN }
      : { ...item, reason: kept.get(item.row) ?? item.reason },
  );
  return { ...planned, items, warnings: [] };
}

function pick(values: Values, fields: readonly Field[]): Values {
  return Object.fromEntries(fields.map((field) => [field, values[field]]));
}

function describeKept(values: Values): string {
  const each = Object.entries(values).map(([field, value]) => `${field} ${JSON.stringify(value)}`);
  return `kept, edited since: ${each.join(', ')}`;
}
