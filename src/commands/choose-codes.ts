import { onceBy } from '#base/collections';
import { NotFoundError } from '#base/errors';
import { fetchInOrder } from '#base/parallel';
import { shown } from '#base/text/quote';
import { type Doubt, everyCode } from '#codes/listing/codes';
import { findCodes as findTargets, getIfThere, missingCode, targetOf } from '#codes/listing/find-codes';
import { oldestFirst } from '#codes/listing/oldest-first';
import type { Context } from '#context';
import type { CodeLabel } from '#scans/export/export-codes';
import type { Service } from '#service/service';
import type { QrCode } from '#service/shapes';
import { type CodeChoice, createFilter, everyOf, filterWords } from './code-choice.ts';
import { resolveNames } from './short-urls.ts';

/**
 * Returns the chosen codes. Throws UsageError if codes in the `--from` file do not exist, and NotFoundError
 * for a missing CODE or, unless `mayBeNone`, for filters without matches.
 */
export async function chooseCodes(
  context: Context,
  names: readonly string[],
  choice: CodeChoice,
  { isAsListed = false, mayBeNone = false } = {},
): Promise<QrCode[]> {
  const { from } = choice;
  const found: CodeLabel[] =
    from === undefined
      ? await findCodes(context, names, { isWanted: true })
      : (await (await import('./codes-of-file.ts')).readRowsOfFile(context, { ...choice, from })).map(
          ({ code }) => code,
        );
  const gone = found.find(({ missing }) => missing);
  if (gone) throw gone.missing;
  const codes = filterCodes(found as QrCode[], choice, mayBeNone);
  return isAsListed || everyOf(names, choice) === false ? codes : oldestFirst(codes);
}

function filterCodes<C extends CodeLabel>(found: readonly C[], choice: CodeChoice, mayBeNone = false): C[] {
  const isChosen = createFilter(choice);
  const codes = found.filter((code) => code.missing !== undefined || isChosen(code as C & QrCode));
  const filters = filterWords(choice);
  if (codes.length > 0 || mayBeNone || filters === undefined) return codes;
  throw new NotFoundError(`no code matches ${shown(filters)}`, {
    hint: 'List the codes with `qrctl qr list`, and correct the filter.',
  });
}

/** Labels that a command needs. If `isWanted` is set, codes specified by ID also get slugs and names. */
interface Need {
  isWanted: boolean;
  doubt?: Doubt;
}

async function findCodes(
  context: Context,
  names: readonly string[],
  { isWanted, doubt }: Need,
): Promise<CodeLabel[]> {
  const service = await context.service();
  return names.length > 0
    ? namedCodes(service, await resolveNames(context, names), isWanted)
    : everyCode(service, doubt);
}

/**
 * Returns a label of each chosen code. If slugs and names aren't wanted and no filter is set, a code
 * specified by ID costs no request. A requested ID that does not exist is marked as missing. Otherwise throws
 * like `chooseCodes`.
 */
export async function chooseLabels(
  context: Context,
  given: readonly string[],
  choice: CodeChoice,
  { isWanted, doubt }: Need,
): Promise<CodeLabel[]> {
  const need = { isWanted: isWanted || filterWords(choice) !== undefined, doubt };
  const { from } = choice;
  const codes =
    from === undefined
      ? await findCodes(context, given, need)
      : await (await import('./codes-of-file.ts')).readLabelsOfFile(
          context,
          { ...choice, from },
          need.isWanted,
        );
  const once = eachOnce(filterCodes(codes, choice));
  return everyOf(given, choice) === false ? once : oldestFirst(once as QrCode[]);
}

/**
 * Chooses codes for a log with scans of the `known` IDs. A43: if several codes are specified, and as many do
 * not exist as codes of the log were deleted, also returns the deleted codes, marked as missing.
 */
export async function chooseLabelsOfLog(
  context: Context,
  given: readonly string[],
  choice: CodeChoice,
  need: Need,
  known: ReadonlySet<string>,
): Promise<CodeLabel[]> {
  try {
    return await chooseLabels(context, given, choice, need);
  } catch (error) {
    if (!(error instanceof NotFoundError) || given.length < 2 || known.size === 0) throw error;
    const service = await context.service();
    const listed = await everyCode(service, need.doubt);
    const named = (await resolveNames(context, given)).map((name) =>
      listed.find(({ id, slug }) => id === name.toLowerCase() || slug === name),
    );
    const found = named.filter((code) => code !== undefined);
    const deleted = (await fetchUnlisted(service, listed, known)).filter(({ missing }) => missing);
    if (named.length - found.length !== deleted.length) throw error;
    return eachOnce([...found, ...deleted]);
  }
}

export function eachOnce<C extends CodeLabel>(codes: readonly C[]): C[] {
  return onceBy(codes, ({ id }) => id);
}

async function namedCodes(
  service: Service,
  names: readonly string[],
  isWanted: boolean,
): Promise<CodeLabel[]> {
  const targets = names.map(targetOf);
  const wanted = targets.filter(({ id }) => isWanted || id === undefined);
  const lookup = await findTargets(wanted, service, true);
  return targets.map(
    (target) => lookup(target) ?? (isWanted ? missingCode(target) : { id: target.id ?? '' }),
  );
}

/** Requests `ids` that are not in `listed`. Marks a nonexistent code as missing, so that only it fails. */
export async function fetchUnlisted(
  service: Service,
  listed: readonly CodeLabel[],
  ids: Iterable<string>,
): Promise<CodeLabel[]> {
  const others = new Set(ids);
  for (const { id } of listed) others.delete(id);
  const fetch = async (id: string): Promise<CodeLabel> =>
    (await getIfThere(service, id)) ?? missingCode({ id });
  const codes: CodeLabel[] = [];
  for await (const code of fetchInOrder(others, fetch, service.concurrency)) codes.push(code);
  return codes;
}
