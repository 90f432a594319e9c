import { quote } from '#base/text/quote';
import type { Field, Policy, Row } from '#codes/engine/plan/model';
import { isUnedited } from '#codes/engine/plan/values';
import {
  type CommonChanges,
  hasTargets,
  LIST,
  type ParseShortUrl,
  refuseDates,
  TYPES,
  throughOf,
  UNNAMED,
  withoutTargets,
} from '#codes/input/check-rows';
import {
  type Columns,
  findWord,
  type InputCell,
  instead,
  matchColumns,
  readText,
  renameAdvice,
  wrongWord,
} from '#codes/input/columns';
import { createUnfinishedTest } from '#codes/input/outcomes';
import { type Doubt, readChanges, readDestination } from '#codes/input/read-changes';
import {
  type Checked,
  type Fault,
  fold,
  type Input,
  type InputRow,
  mapRows,
  UTM_COLUMNS,
} from '#files/formats/read/input';
import { type CodeChanges, newCode } from '#service/shapes';
import { createNewRows, repeatedKeys } from './new-rows.ts';
import { createIdentityReader } from './row-identity.ts';

type Verb = Policy['verb'];

export interface RowsOptions extends CommonChanges {
  verb: Verb;
  keyColumn?: string;
  slugOfShortUrl?: ParseShortUrl;
  readAt?: (cell: InputCell) => number | undefined;
}

export interface CheckedRows extends Checked<Row> {
  unusedFlags: Field[];
}

const TARGETS = ['id', 'slug'];
const CHANGES = ['name', 'destination', 'status'];
const OURS = ['base', 'decision', 'updated_at', 'short_url'];
const NEW_CODE = ['name', 'type', 'destination'];

const COLUMNS: Readonly<Record<Verb, { known: readonly string[]; optional: readonly string[] }>> = {
  create: { known: [...NEW_CODE, ...UTM_COLUMNS], optional: ['status', ...TARGETS, ...OURS] },
  update: { known: [...TARGETS, ...CHANGES, ...UTM_COLUMNS], optional: ['type', ...OURS] },
  apply: { known: [...NEW_CODE, 'status', ...TARGETS], optional: [...UTM_COLUMNS, ...OURS] },
  delete: { known: TARGETS, optional: OURS },
};

const PLAN = 'To make a plan, run `qrctl qr list -o plan.csv` and add a column named at.';
const START: Readonly<Record<Verb, string>> = {
  create: 'Run `qrctl qr create --template` to print a sample file.',
  update: `${LIST} To create codes for rows without an ID, run \`qrctl qr create --from FILE\`.`,
  apply: 'Run `qrctl qr apply --init -o codes.csv` to create a file of the existing codes.',
  delete: LIST,
};

const EMPTY: Fault = { message: 'the file is empty' };

/**
 * E2: reads the rows, with all faults and warnings. Throws UsageError for a dated plan if `update` has
 * neither `readAt` nor `ignoreDates`.
 */
export async function checkRows(input: Input, options: RowsOptions): Promise<CheckedRows> {
  const { verb, signal, readAt } = options;
  if (verb === 'update' && !options.ignoreDates && !readAt) refuseDates(input);
  const keyColumn = fold(options.keyColumn ?? 'key');
  const { known, optional } = COLUMNS[verb];
  const hasKeys = verb !== 'delete' && !readAt;
  const keys = verb === 'apply' ? [keyColumn] : [];
  const mayHave = [...optional, ...(hasKeys ? [keyColumn] : [])];
  const columns = matchColumns(input, [...keys, ...known, ...(readAt ? ['at'] : [])], mayHave);
  const { faults, warnings, unread, notes } = columns;
  if (verb === 'create' && input.isRecord) notes.push(noteOfBackup(input));
  for (const fault of faultsOfColumns(input, columns, options)) faults.push(fault);
  const reader = createRowReader(input, columns, { ...options, keyColumn });
  const rows = await mapRows(input.rows, reader.read, signal);
  if (verb === 'create') faults.push(...reader.newRows.faultsOfFile());
  const column = options.keyColumn ?? 'key';
  for (const fault of repeatedKeys(input, rows)) faults.push({ ...fault, column });
  for (const fault of reader.newRows.repeated()) warnings.push(fault);
  const doubts = rows.flatMap((row) => row.doubts.map(({ fault }) => fault));
  const unusedFlags = reader.unusedFlags();
  const start = readAt ? PLAN : START[verb];
  const isEmpty = input.headerLine !== undefined && input.columns.length === 0;
  const found = isEmpty ? [EMPTY] : faults;
  return { rows, faults: found, warnings, doubts, unread, notes, start, unusedFlags };
}

function noteOfBackup({ rows }: Input): string {
  const slug = String(rows[0]?.values.get('slug') ?? '');
  return `The slug ${quote(slug)} of the backup does not come back: a new code gets a new slug, and images with the old one stay invalid`;
}

function faultsOfColumns(input: Input, { has, unread }: Columns, options: RowsOptions): Fault[] {
  const { verb, keyColumn: column = 'key', changes = {}, utm, slugOfShortUrl } = options;
  const line = input.headerLine;
  if (verb === 'create' || (input.rows.length === 0 && line === undefined)) return [];
  if (verb === 'apply') {
    const message = `is missing: each row needs a key that never changes${instead(unread)}`;
    return has(fold(column)) ? [] : [{ line, column, message }];
  }
  const faults: Fault[] = [];
  if (options.readAt && !has('at'))
    faults.push({ line, column: 'at', message: `is missing: each row needs a time${instead(unread)}` });
  if (!hasTargets(has, slugOfShortUrl)) faults.push(withoutTargets(line, unread));
  const isFlagged = Object.keys(changes).length > 0 || utm !== undefined;
  if (verb === 'delete' || isFlagged || [...CHANGES, ...UTM_COLUMNS].some(has)) return faults;
  const message = input.isBare
    ? 'a list of codes contains no changes: add --name, --destination or --status'
    : `no column contains changes: ${renameAdvice(input, unread) ?? 'add a name, destination or status column'}`;
  return [...faults, { line, message }];
}

const NO_DOUBTS: readonly Doubt[] = [];
const NO_CHANGES: CodeChanges = {};

type Wished = Pick<Row, 'wish' | 'type' | 'utm' | 'mayLackUtm' | 'doubts' | 'typeFault'>;

function createRowReader(input: Input, columns: Columns, options: RowsOptions & { keyColumn: string }) {
  const { cell, has, faults, warnings, noDestination } = columns;
  const { verb, changes: common = NO_CHANGES, slugOfShortUrl, readAt } = options;
  const isJson = input.headerLine === undefined;
  const mayCreate = verb === 'create';
  const through = throughOf(input);
  const identity = createIdentityReader(input, columns, options);
  const newRows = createNewRows(input, columns, options);
  const isUnfinished = createUnfinishedTest(input);
  const needsTarget = (verb === 'update' || verb === 'delete') && hasTargets(has, slugOfShortUrl);
  const flags = Object.keys(common) as Field[];
  const used = new Set<Field>();

  function read(from: InputRow): Row {
    const { row, line, values, defused } = from;
    const { id, slug } = identity.readTarget(from);
    const key = identity.readKey(from);
    const decision = identity.readDecision(from);
    const isUnnamed = id === undefined && slug === undefined;
    if (isUnnamed && needsTarget && !isUnfinished(from)) faults.push({ line, message: UNNAMED });
    const wished = readWish(from, key, isUnnamed);
    const { wish, type, utm, mayLackUtm, typeFault } = wished;
    const { base, updatedAtMs } = identity.readSaved(from);
    const atMs = readAt && has('at') ? readAt(cell(from, 'at')) : undefined;
    const doubts = readAt ? judgeDated({ ...wished, base, through }) : wished.doubts;
    // Lists all fields, because object spread uses several times the memory.
    return {
      row,
      line,
      values,
      defused,
      key,
      id,
      slug,
      wish,
      type,
      utm,
      mayLackUtm,
      keepUtm: options.keepUtm,
      backupOf: mayCreate && input.isRecord ? String(values.get('id')).toLowerCase() : undefined,
      base,
      updatedAtMs,
      decision,
      through,
      doubts,
      atMs,
      typeFault,
      noDestination,
    };
  }

  function readWish(from: InputRow, key: string | undefined, isUnnamed: boolean): Wished {
    const isNew = mayCreate && isUnnamed;
    const { changes: own, doubts = NO_DOUBTS } = readChanges(from, columns, { ...options, isNew }, isJson);
    for (const flag of flags) if (own[flag] === undefined) used.add(flag);
    const job = { own: own.destination, options, isNew };
    const { destination, utm, mayLackUtm } = readDestination(from, columns, job);
    const wish: CodeChanges = flags.length === 0 ? own : Object.assign({}, common, own);
    wish.destination = destination;
    const { type, typeFault } = readType(from);
    if (isNew) newRows.judge(from, { key, wish, type, typeFault, utm, doubts });
    else if (mayCreate && key === undefined && wish.name !== undefined)
      newRows.repeat(from.line, newCode(wish.name, type, wish.destination), false);
    // Without ID and slug, only `qr apply` needs the doubts: `newRows` judged those of `qr create`.
    return {
      wish,
      type,
      utm,
      mayLackUtm,
      doubts: isUnnamed && verb !== 'apply' ? NO_DOUBTS : doubts,
      typeFault,
    };
  }

  /** Reports the doubts that apply to a dated row, because the row runs unattended. */
  function judgeDated(row: Wished & Pick<Row, 'base' | 'through'>): readonly Doubt[] {
    for (const { field, fault, isOdd } of row.doubts) {
      if (isUnedited(row, field) || (field === 'destination' && (row.type ?? 'url') !== 'url')) continue;
      (isOdd ? warnings : faults).push(fault);
    }
    return NO_DOUBTS;
  }

  /** E2: reads the type. An unknown type is valid for a code that has it. */
  function readType(from: InputRow): Pick<Row, 'type' | 'typeFault'> {
    const typeCell = cell(from, 'type');
    const type = readText(typeCell)?.trim() || undefined;
    if (type === undefined) return {};
    const word = findWord(type, TYPES);
    if (word !== undefined) return { type: word };
    const { message, explanation } = wrongWord(type, TYPES);
    return { type, typeFault: { ...typeCell.faultOf(message), explanation } };
  }

  return {
    read,
    newRows,
    unusedFlags: () => (input.rows.length > 0 ? flags.filter((flag) => !used.has(flag)) : []),
  };
}
