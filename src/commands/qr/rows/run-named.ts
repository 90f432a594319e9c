import { NotFoundError, PartialError, UnprovenError } from '#base/errors';
import { countOf, formatCount } from '#base/text/quote';
import type { RowEnd, RunEnd } from '#codes/engine/executor/job';
import type { Row } from '#codes/engine/plan/model';
import { reasonOf } from '#codes/engine/results/explain';
import { isDone } from '#codes/input/outcomes';
import { findCode, findCodes, type Lookup, type Target, targetOf } from '#codes/listing/find-codes';
import type { Output } from '#commands/output-options';
import { resolveNames } from '#commands/short-urls';
import type { Context } from '#context';
import type { Source } from '#files/formats/read/input';
import { withoutRequest } from '#service/name-request';
import type { QrCode } from '#service/shapes';
import { carryOut, previewRows, type RowsJob, type RowsVerb } from './carry-out.ts';
import { policyOf, type RowsFlags } from './flags.ts';
import { finishOutput, noteOutcomes, noteStop } from './notes.ts';

/** Rows for specified codes: one per code, even if specified twice, and one per name without a code. */
type NamedRows = Awaited<ReturnType<typeof findNamed>>;

export type NamedVerb = Pick<RowsVerb, 'done' | 'confirm' | 'backUp' | 'openPreview'> & {
  verb: 'update' | 'delete';
};

interface NamedEnd {
  ends: readonly (readonly [name: string, end: RowEnd | undefined])[];
  failure: unknown;
}

/** Builds a row per code or unknown name. Throws NotFoundError if the only code does not exist. */
export async function findNamed(
  context: Context,
  names: readonly string[],
  change: Pick<Row, 'wish' | 'utm' | 'keepUtm'> = { wish: {} },
) {
  const targets = (await resolveNames(context, names)).map(targetOf);
  const lookup = await lookUp(context, targets);
  const rows: Row[] = [];
  const places = new Map<string, number>();
  const codes = new Map<QrCode, number>();
  for (const [at, name] of names.entries()) {
    const own = targets[at] ?? {};
    const code = lookup(own);
    const place = places.get(name) ?? (code && codes.get(code)) ?? rows.length;
    places.set(name, place);
    if (place < rows.length) continue;
    if (code) codes.set(code, place);
    const target = code ? { id: code.id.toLowerCase(), slug: code.slug } : own;
    rows.push({ ...ROW, ...target, ...change, row: place + 1, line: place + 1 });
  }
  return { rows, codes: [...codes.keys()], places };
}

async function lookUp(context: Context, targets: readonly Target[]): Promise<Lookup> {
  const service = await context.service();
  const names = new Set(targets.map(({ id, slug = '' }) => id ?? slug));
  if (names.size > 1) return findCodes(targets, service);
  const [only = ''] = names;
  const code = await findCode(service, only);
  return () => code;
}

const ROW: Omit<Row, 'row' | 'line' | 'wish'> = { values: new Map(), doubts: [] };

const ARGUMENTS: Source = { name: 'the arguments' };

export async function previewNamed(
  context: Context,
  named: NamedRows,
  verb: NamedVerb,
  flags: RowsFlags,
): Promise<void> {
  await previewRows(context, jobOf(named, verb, flags));
}

/**
 * Changes specified codes. After the first change, returns an error in `failure`, unless the run is aborted.
 */
export async function runNamed(
  context: Context,
  named: NamedRows,
  verb: NamedVerb,
  flags: RowsFlags,
): Promise<NamedEnd> {
  const end = await carryOut(context, jobOf(named, verb, flags));
  const ends = [...named.places].map(([name, place]) => [name, end.ends[place]] as const);
  return finishNamed(context, end, ends);
}

export function finishNamed(context: Context, end: RunEnd, ends: NamedEnd['ends']): NamedEnd {
  const results = ends.flatMap(([, result]) => result ?? []);
  noteOutcomes(context, results);
  noteStop(context, end, false, 'code');
  return { ends, failure: failureOf(end, results) };
}

/** Builds a job without brakes, because the user specified each code. */
function jobOf({ rows, codes }: NamedRows, { verb, ...rest }: NamedVerb, flags: RowsFlags): RowsJob {
  const policy = policyOf(verb, flags, { force: true, maxChanges: { percent: 100 } });
  const file = { input: ARGUMENTS, checked: { rows, warnings: [] } };
  return { file, flags, verb: { ...rest, policy, named: codes } };
}

/** Returns the error that stopped the run, or else an error for failed codes: the first one if all failed. */
function failureOf({ stop, firstError, isUnproven }: RunEnd, results: readonly RowEnd[]): unknown {
  if (stop !== undefined) return stop;
  const failed = results.filter((end) => !isDone(end));
  const [first] = failed;
  if (!first) return undefined;
  // Compares reasons without their requests, which contain IDs.
  const reasons = new Set(failed.map((end) => withoutRequest(reasonOf(end) ?? '')));
  const [reason] = reasons;
  const next = failed.every(({ item }) => item.action === 'failed')
    ? 'Correct or omit the codes that do not exist. Run `qrctl qr list` to see all slugs.'
    : 'See the output for the reasons. It is safe to run the same command again.';
  if (failed.length === results.length)
    return firstError ?? new NotFoundError(reasonOf(first) ?? '', { hint: next });
  const told = failed.length > 1 && reasons.size === 1 ? `, all for the same reason: ${reason}` : '';
  const Kind = isUnproven ? UnprovenError : PartialError;
  return new Kind(`${formatCount(failed.length)} of ${countOf(results.length, 'code')} failed${told}`, {
    hint: next,
  });
}

export async function printNamed(output: Output, { ends, failure }: NamedEnd): Promise<void> {
  const records = ends.map(([name, end]) => {
    const { id = null, slug = null } = end?.code ?? end?.item.row ?? targetOf(name);
    const error = (end && reasonOf(end)) ?? null;
    return { code: name, id, slug, outcome: end?.outcome ?? 'not-attempted', error };
  });
  await finishOutput(output.print(records, { thing: 'code' }), failure);
  if (failure !== undefined) throw failure;
}
