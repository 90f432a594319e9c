import { InvalidArgumentError } from 'commander';
import { UsageError } from '#base/errors';
import { addUtm, normalizeUtm, type UtmTags } from '#base/text/utm';
import { findDestinationProblem, isDead } from '#codes/destinations/destination';
import type { OptionDefinition } from '#commands/define';
import type { Context } from '#context';
import type { NewCode, QrCode } from '#service/shapes';

const GROUP = 'UTM flags (added to the destination, in lower case):';

function tag(name: string, description: string, rare?: true): OptionDefinition<string> {
  const parse = (raw: string) => {
    if (normalizeUtm(raw) === '') throw new InvalidArgumentError('at least one character');
    return normalizeUtm(raw);
  };
  return { flags: `--utm-${name} <text>`, description, group: GROUP, parse, rare };
}

export const utmOptions = {
  utmSource: tag('source', 'Source of the traffic, such as poster'),
  utmMedium: tag('medium', 'Medium, such as print'),
  utmCampaign: tag('campaign', 'Campaign, such as spring_sale'),
  utmTerm: tag('term', 'Search term', true),
  utmContent: tag('content', 'Variant of the content, such as blue', true),
};

export function utmOf(
  flags: Partial<Record<keyof typeof utmOptions, string | undefined>>,
): UtmTags | undefined {
  const tags = withoutUndefined({
    source: flags.utmSource,
    medium: flags.utmMedium,
    campaign: flags.utmCampaign,
    term: flags.utmTerm,
    content: flags.utmContent,
  });
  return Object.keys(tags).length > 0 ? tags : undefined;
}

export function withTags(destination: string, utm: UtmTags, what = 'the destination'): string {
  try {
    return addUtm(destination, utm);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new UsageError(`${what} ${cause.message}; no changes were made`, {
      hint: 'Pass --destination https://…, or omit the --utm-… flags.',
      cause,
    });
  }
}

export function withoutUndefined<K extends string>(
  values: Record<K, string | undefined>,
): Partial<Record<K, string>> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<
    Record<K, string>
  >;
}

/** Warns about a problem with the destination. Unless `force`, throws UsageError if phones can't open it. */
export function checkNewDestination(context: Context, code: NewCode, force = false): void {
  if (!force) refuseDead(code.destination, code.type);
  warnOfDestination(context, code);
}

export function warnOfDestination({ console }: Context, { destination, type }: NewCode | QrCode): void {
  const problem = findDestinationProblem(destination, type);
  if (problem) console.warn(`the destination ${problem.words}`);
}

/** Throws UsageError if phones can't open the destination, unless every code already has it. */
export function refuseDestination(codes: readonly QrCode[], destination: string): void {
  for (const code of codes) if (code.destination !== destination) refuseDead(destination, code.type);
}

function refuseDead(destination: string | undefined, type: string | undefined): void {
  const problem = findDestinationProblem(destination, type);
  if (!problem || !isDead(problem)) return;
  throw new UsageError(`the destination ${problem.words}`, {
    hint: 'Pass --destination https://…, or add --force to use this address.',
  });
}
