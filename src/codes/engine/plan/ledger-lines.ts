/** Defines ledger lines. A known kind of line with a different shape is damaged, despite a valid checksum. */
import { isObject } from '#service/json';

type Check<T> = (value: unknown) => value is T;
type Checked<C> = C extends Check<infer T> ? T : never;
type Shape<F> = { readonly [K in keyof F as undefined extends Checked<F[K]> ? never : K]: Checked<F[K]> } & {
  readonly [K in keyof F as undefined extends Checked<F[K]> ? K : never]?: Checked<F[K]>;
};

const text = (value: unknown): value is string => typeof value === 'string';
const count = (value: unknown): value is number => Number.isSafeInteger(value);
const flag = (value: unknown): value is boolean => typeof value === 'boolean';

function optional<T>(check: Check<T>): Check<T | undefined> {
  return (value): value is T | undefined => value === undefined || check(value);
}

function list<T>(check: Check<T>): Check<readonly T[]> {
  return (value): value is readonly T[] => Array.isArray(value) && value.every(check);
}

function oneOf<T extends string>(...choices: readonly T[]): Check<T> {
  return (value): value is T => choices.some((choice) => choice === value);
}

function shape<F extends Readonly<Record<string, Check<unknown>>>>(fields: F): Check<Shape<F>> {
  const checks = Object.entries(fields);
  return (value): value is Shape<F> => isObject(value) && checks.every(([name, check]) => check(value[name]));
}

function byField<T>(check: Check<T>) {
  return shape({ name: optional(check), destination: optional(check), status: optional(check) });
}

const code = shape({ name: text, type: optional(text), destination: optional(text) });
const values = byField(text);
const changes = list(shape({ from: text, sent: text, stored: text }));
const why = oneOf('removed', 'backup');
const mark = shape({ atMs: count, says: text });

/** Ledger records by kind. `n` numbers the requests and increases across runs. IDs are in lower case. */
const RECORDS = {
  /** Start of a run. `ids`: codes listed before its first POST. `undoes`: run that it reverts. */
  run: shape({ run: text, ids: optional(list(text)), undoes: optional(text) }),
  /**
   * Recorded before a POST. `again`: `n` of the row's earlier request. `replaces`: previous code of the row.
   * `status`: status to set later.
   */
  post: shape({
    run: text,
    n: count,
    values: code,
    key: optional(text),
    again: optional(count),
    replaces: optional(text),
    decided: optional(flag),
    status: optional(text),
  }),
  /** Code that a POST created, from its response or a look-up. `decided`: the user requested a new code. */
  made: shape({ n: count, id: text, slug: text, stored: values, decided: optional(flag) }),
  not: shape({ n: count }),
  patch: shape({
    run: text,
    n: count,
    id: text,
    set: values,
    before: values,
    key: optional(text),
    row: optional(code),
    pause: optional(oneOf('removed', 'backup', 'restored')),
    due: optional(byField(mark)),
  }),
  set: shape({ n: count, stored: values }),
  /** Due changes that need no request. `stored`: values that the code keeps. */
  due: shape({ run: text, id: text, due: byField(mark), stored: values }),
  delete: shape({ run: text, n: count, id: text }),
  deleted: shape({ n: count }),
  /** Existing code for a row. `replaces`: code that it replaces, as the user requested on another machine. */
  found: shape({
    run: text,
    id: text,
    row: code,
    stored: values,
    key: optional(text),
    replaces: optional(text),
  }),
  /** Request that is not looked up again, because the user decided about it. */
  decided: shape({ n: count }),
  end: shape({ run: text }),
};

const KEPT = {
  claim: shape({
    claim: shape({
      id: text,
      key: optional(text),
      rows: list(code),
      origin: oneOf('made', 'found', 'changed'),
      n: count,
      order: count,
      run: text,
      isEnded: optional(flag),
      stored: values,
      changes: optional(shape({ name: changes, destination: changes, status: changes })),
      due: optional(byField(list(mark))),
      isDecided: flag,
      unsent: optional(text),
      paused: optional(shape({ why, status: text })),
      isDeleted: flag,
    }),
  }),
  stored: shape({ field: oneOf('name', 'destination', 'status'), value: text, stored: text }),
  replaced: shape({ id: text, by: text }),
  first: shape({ ids: list(text) }),
  sending: shape({
    sending: shape({
      run: text,
      n: count,
      values: code,
      key: optional(text),
      replaces: optional(text),
      decided: flag,
      status: optional(text),
      again: optional(count),
      first: count,
      rowCode: optional(text),
      isChecked: optional(flag),
    }),
  }),
  counters: shape({ next: count, order: count }),
};

type LinesOf<S> = { [K in keyof S]: { is: K } & Checked<S[K]> }[keyof S];

export type LedgerRecord = LinesOf<typeof RECORDS>;
export type KeptLine = LinesOf<typeof KEPT>;
export type LedgerLine = LedgerRecord | KeptLine;

const LINES: Readonly<Record<LedgerLine['is'], Check<unknown>>> = { ...RECORDS, ...KEPT };

export function isLedgerLine(line: { is: string }): line is LedgerLine {
  return isKnownKind(line.is) && LINES[line.is](line);
}

export function isKnownKind(is: string): is is LedgerLine['is'] {
  return Object.hasOwn(LINES, is);
}
