/** E1: identifies the code of each row by the first step that applies. */
import { countBy } from '#base/collections';
import { inQuotes, quote } from '#base/text/quote';
import type { Fault } from '#files/formats/read/input';
import type { QrCode } from '#service/shapes';
import { type Answers, type Identity, type Ladder, settle } from './ladder.ts';
import { matchLost } from './match-lost.ts';
import { findEdits, takeEqual, takeKnownValues } from './match-values.ts';
import type { Claim, Decisions, PlanInput, Row } from './model.ts';
import { createOwnerSearch, identifyNamed, keyedCodes, missingKeys, takeKeys } from './name-code.ts';
import { indexBy, rowValues, valuesKey } from './values.ts';

export interface Identities {
  rows: readonly Identity[];
  taken: ReadonlySet<string>;
  faults: readonly Fault[];
}

export function identifyRows(input: PlanInput): Identities {
  const { rows, listing, policy } = input;
  const faults: Fault[] = [];
  const bySlug = new Map([...listing.codes.values()].map((code) => [code.slug, code]));
  const find = (name: string) => listing.codes.get(name.toLowerCase()) ?? bySlug.get(name);
  const refuse = (fault: Fault) => void faults.push(fault);
  const answers = readAnswers(rows, policy.decisions, find, refuse);
  const ladder: Ladder = { input, answers, taken: new Set(), found: new Map() };
  const named = new Map<QrCode, Row>();
  const owners = keyedCodes(input);
  const ownersOf = createOwnerSearch(owners, input.ledger);
  const cells = new Set(rows.flatMap(({ id, slug }) => [id ?? [], slug ?? []].flat()));
  const missing = missingKeys(rows, owners);
  const naming = { find, bySlug, ownersOf, missing, named: cells, refuse };
  for (const row of rows) {
    const identity = row.inRun === 'failed' ? { is: 'new' as const } : identifyNamed(row, ladder, naming);
    if (!identity) continue;
    settle(ladder, row, identity);
    if (identity.is !== 'code') continue;
    const other = named.get(identity.code);
    if (other)
      faults.push({
        line: row.line,
        message: `the code ${quote(identity.code.slug)} is also that of line ${other.line}`,
      });
    named.set(identity.code, row);
  }
  faults.push(...faultsOfAdoption(ladder));
  if (policy.verb === 'create' || policy.verb === 'apply') {
    takeKnownValues(ladder);
    matchLost(ladder, ownersOf);
    takeEqual(ladder);
    takeKeys(ladder, ownersOf);
    findEdits(ladder);
  }
  const identities = rows.map((row) => ladder.found.get(row) ?? ({ is: 'new' } as const));
  return { rows: identities, taken: ladder.taken, faults };
}

/** Returns a fault for each code that a decision assigns to one row and the ledger to another. */
function faultsOfAdoption({ input: { rows, ledger }, taken, found }: Ladder): Fault[] {
  const adopted = [...found].flatMap(([{ line }, identity]) => {
    const code = identity.is === 'code' && identity.how === 'decision' ? identity.code : undefined;
    const claim = code && ledger.claims.get(code.id.toLowerCase());
    return claim ? { line, code, claim } : [];
  });
  if (adopted.length === 0) return [];
  const keyOf = ({ rows: [newest] }: Claim) => newest && valuesKey(newest);
  const claims = [...ledger.claims.values()].filter(({ id }) => !taken.has(id) && !ledger.replaced.has(id));
  const others = countBy(claims, keyOf);
  const open = rows.filter((row) => !found.has(row));
  const openByValues = indexBy(open, (row) => valuesKey(rowValues(row)));
  return adopted.flatMap(({ line, code, claim }) => {
    const values = keyOf(claim) ?? '';
    const alike = (openByValues.get(values) ?? []).filter(({ key }) => key === claim.key);
    const [first] = alike;
    if (!first || alike.length <= (others.get(values) ?? 0)) return [];
    return { line, message: `the code ${quote(code.slug)} is also that of line ${first.line}` };
  });
}

/** Parses a range of lines, such as `15-20`. The count for `20-15` is negative. */
export function parseLines(text: string): { first: number; count: number } | undefined {
  const [, first, last] = /^([1-9]\d{0,8})-([1-9]\d{0,8})$/.exec(text) ?? [];
  return first === undefined ? undefined : { first: Number(first), count: Number(last) - Number(first) + 1 };
}

function readAnswers(
  rows: readonly Row[],
  { adopt, asNew: named, asNewAll }: Decisions,
  find: (name: string) => QrCode | undefined,
  refuse: (fault: Fault) => void,
): Answers {
  const keys = new Set(rows.flatMap(({ key }) => key ?? []));
  const lines = new Set(rows.map(({ line }) => `${line}`));
  const refuseFlag = (message: string, line?: number) => refuse({ line, message, isOfFlag: true });
  const asNew = new Map<string, number>();
  for (const [name, times] of named) {
    const range = parseLines(name);
    if (range && keys.has(name))
      refuseFlag(`${inQuotes(name)} is a key and a range of lines: write key:${name}, or each line`);
    const { first = 0, count = 0 } = range ?? {};
    const each = range ? Array.from({ length: count }, (_, at) => `line:${first + at}`) : [name];
    for (const one of each) asNew.set(one, (asNew.get(one) ?? 0) + times);
  }
  for (const name of [...adopt.keys(), ...asNew.keys()]) {
    const isBoth = keys.has(name) && lines.has(name);
    const isKnown = keys.has(name.replace(/^key:/, '')) || lines.has(name.replace(/^line:/, ''));
    if (isBoth && !rows.some(({ key, line }) => key === name && `${line}` === name))
      refuseFlag(
        `${inQuotes(name)} is the key of one row and the line of another: write line:${name} or key:${name}`,
      );
    else if (!isKnown && !keys.has(name)) refuseFlag(`no row has the line or key ${inQuotes(name)}`);
  }
  const of = <T>(named: ReadonlyMap<string, T>, { key, line }: Row): T | undefined =>
    (key === undefined ? undefined : (named.get(`key:${key}`) ?? named.get(key))) ??
    named.get(`line:${line}`) ??
    (keys.has(`${line}`) ? undefined : named.get(`${line}`));
  return {
    codeOf(row) {
      const name = of(adopt, row) ?? (row.decision?.is === 'code' ? row.decision.name : undefined);
      const code = name === undefined ? undefined : find(name);
      if (name !== undefined && !code) {
        const lacks = `no code has the ID or slug ${quote(name)}`;
        const forms = 'the decision must be mine, theirs, new, skip, or the ID or slug of a code';
        if (of(adopt, row) === undefined) refuse({ line: row.line, message: `${forms}: ${lacks}` });
        else refuseFlag(lacks, row.line);
      }
      return code;
    },
    isFlagged: (row) => of(asNew, row) !== undefined,
    newOf(row) {
      const isAsked = row.decision ? row.decision.is === 'new' : asNewAll;
      return of(asNew, row) ?? (isAsked ? 1 : 0);
    },
  };
}
