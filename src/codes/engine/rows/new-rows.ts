import { foldKey } from '#base/text/clean';
import { inQuotes } from '#base/text/quote';
import { findDestinationProblem, isDead } from '#codes/destinations/destination';
import type { Row } from '#codes/engine/plan/model';
import { valuesKey } from '#codes/engine/plan/values';
import { type Columns, instead } from '#codes/input/columns';
import type { Doubt } from '#codes/input/read-changes';
import { isShortened } from '#codes/input/shortened-number';
import { type Fault, type Input, type InputRow, placeOf } from '#files/formats/read/input';
import { type NewCode, newCode } from '#service/shapes';

type JudgedRow = Pick<Row, 'key' | 'wish' | 'type' | 'typeFault' | 'utm'> & { doubts: readonly Doubt[] };

export function createNewRows(input: Input, columns: Columns, { force = false }: { force?: boolean }) {
  const { has, cell, faults, unread, noDestination } = columns;
  const repeated = createRepeatedRows(input);
  let count = 0;
  let needsDestination = false;

  function judge(row: InputRow, { key, wish, type, typeFault, utm, doubts }: JudgedRow): void {
    count += 1;
    const { name = '', destination } = wish;
    judgeName(row, name);
    for (const { field, fault } of doubts) if (field !== 'destination') faults.push(fault);
    if (typeFault) faults.push(typeFault);
    else if (noDestination)
      needsDestination ||= utm !== undefined || findDestinationProblem(undefined, type) !== undefined;
    else judgeDestination(row, destination, type);
    if (key === undefined && name.trim() !== '') repeated.add(row.line, newCode(name, type, destination));
  }

  function judgeName(row: InputRow, name: string): void {
    const nameCell = cell(row, 'name');
    if (has('name') && (nameCell.value ?? '') === '') nameCell.fault('is empty');
    if (name.trim() !== '' && name !== name.trim())
      nameCell.warn(`${inQuotes(name)} has leading or trailing spaces, which are kept`);
    if (isShortened(name))
      nameCell.warn(
        `${inQuotes(name)} looks like a long number shortened by a spreadsheet: format the column as text and retype the value`,
      );
  }

  function judgeDestination(row: InputRow, destination: string | undefined, type: string | undefined): void {
    const problem = findDestinationProblem(destination, type);
    if (problem === undefined) return;
    const address = cell(row, 'destination');
    if (isDead(problem) && !force) address.fault(problem.words, { mayForce: true });
    else address.warn(problem.words);
  }

  function faultsOfFile(): Fault[] {
    const isEmptyTable = input.rows.length === 0 && input.headerLine !== undefined;
    const needsName = !has('name') && (count > 0 || isEmptyTable);
    const message = `is missing; every code needs a name${instead(unread)}`;
    return [
      ...(needsName ? [{ line: input.headerLine, column: 'name', message }] : []),
      ...(needsDestination && noDestination ? [noDestination] : []),
    ];
  }

  return { judge, repeat: repeated.add, faultsOfFile, repeated: repeated.warnings };
}

/** E2: returns faults for keys that equal an earlier one, or differ only in case or spaces. */
export function repeatedKeys(input: Input, rows: readonly Pick<Row, 'key' | 'line'>[]): Fault[] {
  const first = new Map<string, { key: string; line: number }>();
  return rows.flatMap(({ key, line }): Fault[] => {
    if (key === undefined) return [];
    const folded = foldKey(key);
    const other = first.get(folded);
    if (!other) {
      first.set(folded, { key, line });
      return [];
    }
    const place = placeOf(input, other.line);
    const message =
      other.key === key
        ? `${inQuotes(key)} is also the key of ${place}`
        : `${inQuotes(key)} differs from the key ${inQuotes(other.key)} of ${place} only in case or spacing`;
    return [{ line, message }];
  });
}

/** Warns about new rows with the values of an earlier row. They are valid: posters may share an address. */
function createRepeatedRows(input: Input) {
  const firstLines = new Map<string, number>();
  const warnings: Fault[] = [];
  return {
    warnings: (): readonly Fault[] => warnings,
    add(line: number, code: NewCode, isNew = true) {
      const values = valuesKey(code);
      const first = firstLines.get(values);
      if (first === undefined) firstLines.set(values, line);
      else if (isNew) {
        const message = `has the same values as ${placeOf(input, first)}: each row gets its own code`;
        warnings.push({ line, message });
      }
    },
  };
}
