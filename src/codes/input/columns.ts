import leven from 'leven';
import { countAmong, inQuotes, listSome, quote } from '#base/text/quote';
import {
  type Fault,
  faultsOfRead,
  fold,
  type Input,
  type InputRow,
  isAddress,
  MOST_FAULTS,
  OUR_COLUMNS,
  showValue,
} from '#files/formats/read/input';
import { ambiguity, fieldOf } from './header-words.ts';

export interface InputCell {
  value: unknown;
  faultOf(message: string): Fault;
  fault(message: string, more?: Pick<Fault, 'explanation' | 'mayForce'>): void;
  warn(message: string): void;
}

export type Columns = ReturnType<typeof matchColumns>;

export function matchColumns(input: Input, known: readonly string[], optional: readonly string[] = []) {
  const line = input.headerLine;
  const faults: Fault[] = [];
  const warnings = warningsOfHidden(input);
  const found = new Map<string, string>();
  const mayHave = (field: string) => known.includes(field) || optional.includes(field);
  for (const column of input.columns) {
    const folded = fieldOf(input, column);
    if (!mayHave(folded)) continue;
    const other = found.get(folded);
    // Ignores equal column names, because the reader of the file reports them.
    if (other !== undefined && other !== column)
      faults.push({ line, column, message: `means the same as column ${quote(other)}` });
    found.set(folded, column);
  }
  const { fields = [], ambiguous = [] } = input.named ?? {};
  const notes = [...fields].flatMap(([column, field]) =>
    mayHave(field) ? [`column ${quote(column)} is read as ${field}`] : [],
  );
  const unclear = new Map<string, Fault>();
  for (const [field, columns] of ambiguous)
    if (mayHave(field)) unclear.set(field, { line, message: ambiguity(field, columns) });
  faults.push(...unclear.values());
  const read = new Set(found.values());
  for (const fault of faultsOfRead(input, read)) faults.push(fault);
  for (const column of input.columns) {
    const meant = read.has(column) ? undefined : known.find((name) => looksLike(fold(column), name));
    if (meant === undefined) continue;
    const row = input.rows.find(({ values }) => values.has(column));
    const isThere = line === undefined && row ? row.values.has(found.get(meant) ?? '') : found.has(meant);
    const message = `unknown column; did you mean ${meant}?`;
    if (!isThere) faults.push({ line: line ?? row?.line, column, message });
  }
  const unreadable = new Set(faults.map(placeKey));
  const cell = (row: InputRow, name: string): InputCell => {
    const own = found.get(name);
    const column = own !== undefined && fold(own) !== name ? own : name;
    const faultOf = (message: string): Fault => ({ line: row.line, column, message });
    const fault: InputCell['fault'] = (message, more) => {
      if (faults.length >= MOST_FAULTS) return;
      const fresh = faultOf(message);
      if (!unreadable.has(placeKey({ ...fresh, column: own }))) faults.push({ ...fresh, ...more });
    };
    return {
      value: own === undefined ? undefined : row.values.get(own),
      faultOf,
      fault,
      warn: (message) => warnings.push(faultOf(message)),
    };
  };
  const unread = input.columns.filter((column) => !read.has(column) && !OUR_COLUMNS.has(fold(column)));
  const isMissing = known.includes('destination') && !found.has('destination');
  const noDestination = isMissing
    ? (unclear.get('destination') ?? missingDestination(input, unread))
    : undefined;
  return { has: (name: string) => found.has(name), cell, faults, warnings, unread, notes, noDestination };
}

function warningsOfHidden({ name, rows, hiddenRows = 0 }: Input): Fault[] {
  if (hiddenRows === 0) return [];
  const [count, verb] = [countAmong(hiddenRows, rows.length, 'row'), hiddenRows === 1 ? 'is' : 'are'];
  const message = `${count} in ${name} ${verb} hidden but included; pass --visible-only to omit hidden rows`;
  return [{ message }];
}

function placeKey({ line, column }: Fault): string {
  return JSON.stringify([line, column]);
}

const MOST_SLIPS = 2;

function looksLike(word: string, known: string): boolean {
  if (known.length <= MOST_SLIPS) return false;
  const slips = leven(word, known, { maxDistance: MOST_SLIPS + 1 });
  if (known.length >= 6) return slips <= MOST_SLIPS;
  return slips === 1 || (slips === MOST_SLIPS && [...word].sort().join('') === [...known].sort().join(''));
}

const HALF_CHARACTER = /\p{Surrogate}/u;

/**
 * Returns the text of a cell, or undefined if it is empty. A value that is not a string is a fault, because
 * the number 007 would be 7. A lone surrogate is a fault unless `mayBeHalf` is set.
 */
export function readText({ value, fault }: InputCell, mayBeHalf = false): string | undefined {
  if ((value ?? '') === '') return undefined;
  if (typeof value !== 'string') {
    fault(`must be a quoted string, not ${showValue(value)}`);
    return undefined;
  }
  if (!mayBeHalf && HALF_CHARACTER.test(value))
    fault(`${showValue(value)} contains an incomplete character (a lone surrogate)`);
  return value;
}

export interface Words {
  what: string;
  all: readonly string[];
}

export function findWord(text: string, { all }: Words): string | undefined {
  const trimmed = text.trim();
  return all.find((word) => word === trimmed) ?? all.find((word) => word === trimmed.toLowerCase());
}

export function wrongWord(text: string, { what, all }: Words) {
  return {
    message: `${inQuotes(text.trim())} is not ${what}`,
    explanation: `${what} is one of ${all.join(', ')}`,
  };
}

const SAMPLE = 200;

/** Returns advice to rename an unread column to destination if most of its first cells contain addresses. */
export function renameAdvice({ rows }: Input, unread: readonly string[]): string | undefined {
  const sample = rows.slice(0, SAMPLE);
  const likely = unread.filter((column) => {
    const cells = sample
      .map(({ values }) => String(values.get(column) ?? ''))
      .filter((cell) => cell.trim() !== '');
    return cells.filter(isAddress).length > cells.length / 2;
  });
  if (likely.length === 0) return undefined;
  const [names, which] = likely.length === 1 ? ['column', 'it'] : ['columns', 'the correct one'];
  const verb = likely.length === 1 ? 'contains' : 'contain';
  return `${names} ${likely.map(inQuotes).join(' and ')} ${verb} addresses, so rename ${which} to destination`;
}

function missingDestination(input: Input, unread: readonly string[]): Fault | undefined {
  const { headerLine: line } = input;
  const advice = renameAdvice(input, unread);
  if (advice === undefined && line === undefined) return undefined;
  const message = `is missing; ${advice ?? `every code of type url needs one${instead(unread)}`}`;
  return { line, column: 'destination', message };
}

export function instead(unread: readonly string[]): string {
  if (unread.length === 0) return '';
  return ` (the file has ${listSome(unread.map(inQuotes), 5)})`;
}

export function findColumn(columns: readonly string[], name: string): string | undefined {
  return columns.find((column) => fold(column) === name);
}
