/** `qr update CODE…`: the same changes of one or several codes. */
import { UsageError } from '../../../base/errors.ts';
import { quote } from '../../../base/text/quote.ts';
import { addUtm, type UtmTags } from '../../../base/text/utm.ts';
import type { Context } from '../../../context.ts';
import type { CodeChanges, QrCode } from '../../../service/shapes.ts';
import { planOutput, printRecord } from '../../output-options.ts';
import { mustKnowType, refuseDestination, warnOfDestination } from '../check-destination.ts';
import { codeOutput } from '../code-columns.ts';
import { NAMED_COLUMNS } from '../named-codes.ts';
import {
  errorOf,
  findNamed,
  type NamedEnd,
  type NamedVerb,
  previewNamed,
  printNamed,
  runNamed,
} from '../rows/run-named.ts';
import type { UpdateFlags } from './flags.ts';

interface Asked {
  readonly changes: CodeChanges;
  readonly utm: UtmTags | undefined;
}

const VERB: NamedVerb = { verb: 'update', done: 'updated' };

/**
 * Changes each code. One code is printed as it is then, several with their outcomes; a missing one fails alone. The codes are read first,
 * and one that has the values already costs no other request. Throws as listed in errors.ts, at the end.
 */
export async function updateNamed(
  context: Context,
  names: readonly string[],
  asked: Asked,
  flags: UpdateFlags,
): Promise<void> {
  const isOne = names.length === 1;
  // Flags and files that can't be used cost no request.
  const single = isOne && !flags.dryRun ? await codeOutput(context, flags, 'record') : undefined;
  if (!isOne && !flags.dryRun) await planOutput(context, flags, NAMED_COLUMNS, 'list');
  const wish = wishOf(asked);
  const utm = wish.destination === undefined ? asked.utm : undefined;
  const named = await findNamed(context, names, { wish, utm });
  refuseTags(named.codes, utm);
  if (mustKnowType(wish, flags.force)) refuseDestination(named.codes, wish.destination);
  if (flags.dryRun) return previewNamed(context, named, VERB, flags);
  const end = await runNamed(context, named, VERB, flags);
  if (wish.destination !== undefined) warnOfDestinations(context, end);
  const [[, only] = []] = end.ends;
  if (!single || !only?.code || end.failure !== undefined) return printNamed(context, end, flags);
  const altered = errorOf(only);
  if (altered !== undefined) context.console.warn(altered);
  await printRecord(context, single.toRecord(only.code), single.columns, flags);
}

/** Returns the changes with the tags in a new destination. Throws UsageError if that is not a web address. */
function wishOf({ changes, utm }: Asked): CodeChanges {
  const { destination } = changes;
  if (utm === undefined || destination === undefined) return changes;
  return { ...changes, destination: withTags(destination, utm, 'the destination') };
}

/** Throws UsageError if one of the codes has no destination that tags can be added to. */
function refuseTags(codes: readonly QrCode[], utm: UtmTags | undefined): void {
  if (utm === undefined) return;
  for (const { slug, destination } of codes)
    withTags(destination ?? '', utm, `the destination of ${quote(slug)}`);
}

function withTags(destination: string, utm: UtmTags, what: string): string {
  try {
    return addUtm(destination, utm);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new UsageError(`${what} ${cause.message}; no changes were made`, {
      hint: 'Omit the --utm-… flags, or pass a web address with --destination.',
      cause,
    });
  }
}

function warnOfDestinations(context: Context, { ends }: NamedEnd): void {
  for (const [, end] of ends)
    if (end?.outcome === 'updated' && end.code) warnOfDestination(context, end.code);
}
