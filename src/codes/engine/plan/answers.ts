/** The decisions of the user about rows: by the `decision` column, or by flags that name a row by its line or key. */

import { inQuotes, quote } from '../../../base/text/quote.ts';
import type { Fault } from '../../../files/formats/read/input.ts';
import type { QrCode } from '../../../service/shapes.ts';
import type { Decisions, Row } from './model.ts';

export interface Answers {
  /** Code that the user assigned to a row; undefined if there is none. */
  codeOf(row: Row): QrCode | undefined;
  /** Number of new codes that the user asked for. */
  newOf(row: Row): number;
}

/** Resolves the decisions. `refuse` is told of those about a row or code that does not exist. */
export function readAnswers(
  rows: readonly Row[],
  { adopt, asNew, asNewAll }: Decisions,
  find: (name: string) => QrCode | undefined,
  refuse: (fault: Fault) => void,
): Answers {
  const keys = new Set(rows.flatMap(({ key }) => key ?? []));
  const lines = new Set(rows.map(({ line }) => `${line}`));
  for (const name of [...adopt.keys(), ...asNew.keys()]) {
    const [isKey, isLine] = [keys.has(name), lines.has(name)];
    if (isKey && isLine && !rows.some(({ key, line }) => key === name && `${line}` === name))
      refuse({
        message: `${inQuotes(name)} is the key of one row and the line of another: write line:${name} or key:${name}`,
      });
    else if (
      !isKey &&
      !isLine &&
      !keys.has(name.replace(/^key:/, '')) &&
      !lines.has(name.replace(/^line:/, ''))
    )
      refuse({ message: `no row has the line or key ${inQuotes(name)}` });
  }
  const of = <T>(named: ReadonlyMap<string, T>, { key, line }: Row): T | undefined =>
    (key === undefined ? undefined : (named.get(`key:${key}`) ?? named.get(key))) ??
    named.get(`line:${line}`) ??
    (keys.has(`${line}`) ? undefined : named.get(`${line}`));
  return {
    codeOf(row) {
      const name = of(adopt, row) ?? (row.decision?.is === 'code' ? row.decision.name : undefined);
      const code = name === undefined ? undefined : find(name);
      if (name !== undefined && !code)
        refuse({
          line: row.line,
          message: `no code has the ID or slug ${quote(name)} (expected that, new, mine, theirs or skip)`,
        });
      return code;
    },
    newOf(row) {
      // The answer of the row itself wins over one for all.
      const isAsked = row.decision ? row.decision.is === 'new' : asNewAll;
      return of(asNew, row) ?? (isAsked ? 1 : 0);
    },
  };
}
