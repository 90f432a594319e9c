/** Checks the shape of each line of a ledger: a line of another shape is damage, whatever its checksum is. */
import { isObject } from '../../../service/json.ts';
import type { LedgerLine } from '../plan/ledger-view.ts';

type Check = (value: unknown) => boolean;

const text: Check = (value) => typeof value === 'string';
const count: Check = Number.isSafeInteger;
const flag: Check = (value) => typeof value === 'boolean';
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const list =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const oneOf =
  (...choices: readonly string[]): Check =>
  (value) =>
    typeof value === 'string' && choices.includes(value);

function shape(fields: Readonly<Record<string, Check>>): Check {
  const checks = Object.entries(fields);
  return (value) => isObject(value) && checks.every(([name, check]) => check(value[name]));
}

const code = shape({ name: text, type: optional(text), destination: optional(text) });
const byField = (check: Check) =>
  shape({ name: optional(check), destination: optional(check), status: optional(check) });
const values = byField(text);
const changes = list(shape({ from: text, sent: text, stored: text }));
const why = oneOf('removed', 'backup');
const mark = shape({ atMs: count, says: text });

const sent = { run: text, n: count };

const claim = shape({
  id: text,
  key: optional(text),
  rows: list(code),
  origin: oneOf('made', 'found', 'changed'),
  n: count,
  order: count,
  run: text,
  stored: values,
  changes: optional(shape({ name: changes, destination: changes, status: changes })),
  due: optional(byField(list(mark))),
  isDecided: flag,
  unsent: optional(text),
  paused: optional(shape({ why, status: text })),
  isDeleted: flag,
});
const sending = shape({
  ...sent,
  values: code,
  key: optional(text),
  replaces: optional(text),
  decided: flag,
  status: optional(text),
  again: optional(count),
  first: count,
  rowCode: optional(text),
  since: optional(text),
});

const SHAPES: Readonly<Record<LedgerLine['is'], Check>> = {
  run: shape({ run: text, ids: optional(list(text)) }),
  post: shape({
    ...sent,
    values: code,
    key: optional(text),
    again: optional(count),
    replaces: optional(text),
    decided: optional(flag),
    status: optional(text),
  }),
  made: shape({ n: count, id: text, slug: text, stored: values, decided: optional(flag) }),
  not: shape({ n: count }),
  patch: shape({
    ...sent,
    id: text,
    set: values,
    before: values,
    key: optional(text),
    row: optional(code),
    pause: optional(why),
    due: optional(byField(mark)),
  }),
  set: shape({ n: count, stored: values }),
  due: shape({ run: text, id: text, due: byField(mark), stored: values }),
  delete: shape({ ...sent, id: text }),
  deleted: shape({ n: count }),
  found: shape({
    run: text,
    id: text,
    row: code,
    stored: values,
    key: optional(text),
    replaces: optional(text),
  }),
  decided: shape({ n: count }),
  end: shape({ run: text }),
  claim: shape({ claim }),
  stored: shape({ field: oneOf('name', 'destination', 'status'), value: text, stored: text }),
  replaced: shape({ id: text, by: text }),
  first: shape({ ids: list(text) }),
  sending: shape({ sending }),
  counters: shape({ next: count, order: count }),
};

/** Returns whether a line has a shape that this version writes. */
export function isLedgerLine(line: { readonly is: string }): line is LedgerLine {
  return isKnownKind(line.is) && SHAPES[line.is](line);
}

/** Returns whether this version knows the kind of a line; a newer version may write others. */
export function isKnownKind(is: string): is is LedgerLine['is'] {
  return Object.hasOwn(SHAPES, is);
}
