import { isDeepStrictEqual } from 'node:util';
import { inShell, inShellOr, quote, shown } from '#base/text/quote';
import type { Clock } from '#base/time/time';
import { OTHER_FILE } from '#files/durable/path-errors';
import { isObject } from '#service/json';
import { checkWorkspace, type RecordedWorkspace, type Workspace } from '#service/workspace';
import type { CodeOverlap } from './overlap.ts';

type AppendFormat = 'csv' | 'ndjson' | 'parquet';

export interface Partitioning {
  by: 'day' | 'month';
  timezone: string;
}

export interface CodesOfRun {
  codes: readonly string[];
  /** Filters passed with `--all`, such as `--name menu`; otherwise, whether `--all` is passed. */
  all: boolean | string;
}

export interface AppendIdentity extends CodesOfRun {
  columns: readonly string[];
  format: AppendFormat;
  dialect: {
    header: boolean;
    excel: boolean;
    rawCells: boolean;
    delimiter?: string;
    timezone?: string;
  };
  partition?: Partitioning;
}

export function isCodesOfRun({ codes, all }: Record<string, unknown>): boolean {
  return isTexts(codes) && (typeof all === 'string' || typeof all === 'boolean');
}

function isTexts(list: unknown): boolean {
  return Array.isArray(list) && list.every((item) => typeof item === 'string');
}

export function isIdentity(value: Record<string, unknown>, formats: readonly AppendFormat[]): boolean {
  const { columns, format, dialect } = value;
  const { header, excel, rawCells, timezone, delimiter } = isObject(dialect) ? dialect : {};
  return (
    formats.some((known) => known === format) &&
    isCodesOfRun(value) &&
    isTexts(columns) &&
    [header, excel, rawCells].every((item) => typeof item === 'boolean') &&
    [timezone, delimiter].every((item) => item === undefined || typeof item === 'string')
  );
}

const CSV_FLAGS = [
  ['header', '--no-header', false],
  ['excel', '--excel', true],
  ['rawCells', '--raw-cells', true],
] as const;

interface Difference {
  reason: string;
  wayOn: string;
}

export function differenceOf(was: AppendIdentity, is: AppendIdentity): Difference | undefined {
  const { partition, format, columns } = was;
  // P7: refuses another partitioning, because all rows of a day must be in one directory.
  if (partition && partition.by !== is.partition?.by)
    return {
      reason: `is partitioned by ${partition.by}, not by ${is.partition?.by}`,
      wayOn: `Pass --partition-by ${partition.by}`,
    };
  if (partition && partition.timezone !== is.partition?.timezone)
    return zoneDifference('uses', partition.timezone, is.partition?.timezone);
  if (format !== is.format)
    return { reason: `was written as ${format}, not ${is.format}`, wayOn: `Pass --format ${format}` };
  const other = codeDifference(was, is, 'contains the scans of');
  if (other) return other;
  if (columns.join() !== is.columns.join())
    return {
      reason: `has the columns ${namesOf(columns)}, not ${namesOf(is.columns)}`,
      wayOn: wayToColumns(columns),
    };
  const different = CSV_FLAGS.find(([key]) => format === 'csv' && was.dialect[key] !== is.dialect[key]);
  if (different) {
    const [key, flag, sense] = different;
    const [how, wayOn] = was.dialect[key] === sense ? ['with', 'Add'] : ['without', 'Omit'];
    return { reason: `was written ${how} ${flag}`, wayOn: `${wayOn} ${flag}` };
  }
  // A6: refuses another zone, because a column must not have times in two zones.
  if (was.dialect.timezone !== is.dialect.timezone)
    return zoneDifference('has ts_local in', was.dialect.timezone, is.dialect.timezone);
  const [before = '', after] = [was, is].map(delimiterOf);
  if (before === after) return undefined;
  const wayOn = `Add --delimiter ${before === ',' ? "','" : inShellOr('CHARACTER', before)}`;
  return { reason: `was written with --delimiter ${before}, not ${after}`, wayOn };
}

function zoneDifference(has: string, was = 'undefined', is = 'undefined'): Difference {
  return {
    reason: `${has} the time zone ${quote(was)}, not ${quote(is)}`,
    wayOn: `Add --timezone ${inShellOr('ZONE', was)}`,
  };
}

/** A30: describes the difference between the codes of two runs, if any. */
export function codeDifference(was: CodesOfRun, is: CodesOfRun, has: string): Difference | undefined {
  const isSame = was.all || is.all ? was.all === is.all : isDeepStrictEqual(sorted(was), sorted(is));
  if (isSame) return undefined;
  return {
    reason: `${has} ${codesOf(was)}, not ${has.endsWith(' of') ? 'of ' : ''}${codesOf(is)}`,
    wayOn: wayToCodes(was, is),
  };
}

function sorted({ codes }: CodesOfRun): string[] {
  return [...codes].sort();
}

function wayToCodes(was: CodesOfRun, is: CodesOfRun): string {
  if (was.all)
    return typeof was.all === 'string' ? `Pass the same filters (${shown(was.all)})` : 'Pass only --all';
  const codes = `Pass the same codes${is.all ? ' instead of --all or filters' : ''}`;
  if (was.codes.length > MOST_PASTED) return codes;
  const words = sorted(was).map((code) => inShellOr('CODE', code));
  return `${codes} (${words.join(' ')})`;
}

function wayToColumns(columns: readonly string[]): string {
  const isPlain = columns.length <= MOST_NAMES && columns.every((name) => quote(name) === name);
  return isPlain ? `Pass --fields ${columns.map(inShell).join()}` : 'Omit --fields';
}

function delimiterOf({ dialect: { delimiter = ',' } }: AppendIdentity): string {
  return delimiter === '\t' ? 'tab' : shown(delimiter);
}

function codesOf(run: CodesOfRun): string {
  const { all, codes } = run;
  if (all) return typeof all === 'string' ? `all codes with ${shown(all)}` : 'all codes';
  return codes.length === 1 ? `code ${namesOf(codes)}` : `codes ${namesOf(sorted(run), ', ')}`;
}

const MOST_NAMES = 20;
export const MOST_PASTED = 5;

function namesOf(names: readonly string[], separator = ','): string {
  const more = names.length > MOST_NAMES ? `${separator}…` : '';
  return names.slice(0, MOST_NAMES).map(quote).join(separator) + more;
}

export interface OwnWorkspace {
  workspace: Workspace;
  getCode(id: string): Promise<unknown>;
  /** IDs of codes that the service returned in this run. */
  seen: ReadonlySet<string>;
  movedFrom?: string;
}

export interface AppendRun {
  identity: AppendIdentity;
  own: OwnWorkspace;
  overlapMs: number;
  sinceMs?: number;
  untilMs?: number;
  rotated?: boolean;
  elsewhere?: string;
  clock: Clock;
  signal?: AbortSignal;
  serviceNow?: () => number | undefined;
  note?: (line: string) => void;
  warn?: (line: string) => void;
  remark?: (line: string) => void;
}

interface Saved {
  workspace: RecordedWorkspace;
  identity: AppendIdentity;
  overlaps: ReadonlyMap<string, CodeOverlap>;
}

export interface Recorded {
  workspace: RecordedWorkspace;
  isRenewed: boolean;
}

/** A6: throws UsageError if a log belongs to another workspace. May request codes to find out. */
export async function checkOwnWorkspace(
  path: string,
  { workspace: recorded, identity, overlaps }: Saved,
  { workspace, getCode, seen, movedFrom }: OwnWorkspace,
  elsewhere: string,
): Promise<Recorded> {
  const newest = [...overlaps].sort(([, a], [, b]) => (b.watermarkMs ?? 0) - (a.watermarkMs ?? 0));
  const known = new Set([...newest.map(([code]) => code), ...identity.codes]);
  const found = await checkWorkspace({
    path,
    recorded,
    workspace,
    movedFrom,
    elsewhere,
    knownIds: [...[...known].filter((id) => seen.has(id)), ...known],
    getCode: async (id) => (seen.has(id) ? undefined : getCode(id)),
  });
  return found === 'same'
    ? { workspace: recorded, isRenewed: false }
    : { workspace: await workspace.record(), isRenewed: true };
}

/** A6, P7: throws UsageError if a log belongs to another export or another workspace. */
export async function checkOwnExport(
  path: string,
  saved: Saved,
  { identity, own, elsewhere = OTHER_FILE }: Pick<AppendRun, 'identity' | 'own' | 'elsewhere'>,
  refusal: (path: string, reason: string, wayOn: string) => Error,
): Promise<Recorded> {
  const recorded = await checkOwnWorkspace(path, saved, own, elsewhere);
  // Ignores deleted codes, because a run may specify or omit them.
  const withoutGone = (run: AppendIdentity) => {
    return { ...run, codes: run.codes.filter((code) => !saved.overlaps.get(code)?.isGone) };
  };
  const difference = differenceOf(withoutGone(saved.identity), withoutGone(identity));
  if (difference) throw refusal(path, `it ${difference.reason}`, `${difference.wayOn}, or ${elsewhere}`);
  return recorded;
}
