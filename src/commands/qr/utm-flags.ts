/** Declares the flags for UTM tags of create and update. */
import { InvalidArgumentError } from 'commander';
import { normaliseUtm, type UtmTags } from '../../base/text/utm.ts';
import type { OptionDefinition } from '../define.ts';

const GROUP = 'UTM flags (added to the destination, in lower case):';

function tag(name: string, description: string): OptionDefinition<string> {
  const parse = (raw: string) => {
    if (normaliseUtm(raw) === '') throw new InvalidArgumentError('at least one character');
    return normaliseUtm(raw);
  };
  return { flags: `--utm-${name} <text>`, description, group: GROUP, parse };
}

export const utmOptions = {
  utmSource: tag('source', 'Source of the traffic, such as poster'),
  utmMedium: tag('medium', 'Medium, such as print'),
  utmCampaign: tag('campaign', 'Campaign, such as spring_sale'),
  utmTerm: tag('term', 'Search term'),
  utmContent: tag('content', 'Variant of the content, such as blue'),
};

/** Returns the tags of the flags; undefined if there are none. */
export function utmOf(
  flags: Partial<Record<keyof typeof utmOptions, string | undefined>>,
): UtmTags | undefined {
  const {
    utmSource: source,
    utmMedium: medium,
    utmCampaign: campaign,
    utmTerm: term,
    utmContent: content,
  } = flags;
  const given = Object.entries({ source, medium, campaign, term, content }).filter(
    ([, value]) => value !== undefined,
  );
  return given.length > 0 ? Object.fromEntries(given) : undefined;
}
