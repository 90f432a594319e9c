/** The flags for UTM tags, of create and update. */
import { InvalidArgumentError } from 'commander';
import { normaliseUtm, type UtmTags } from '../../codes/utm.ts';
import type { OptionDefinition } from '../define.ts';

const GROUP = 'UTM flags (tags on the destination, in lower case, blanks as _):';

function tag(name: string, description: string): OptionDefinition<string> {
  const parse = (raw: string) => {
    if (normaliseUtm(raw) === '') throw new InvalidArgumentError('It must not be empty.');
    return normaliseUtm(raw);
  };
  return { flags: `--utm-${name} <text>`, description, group: GROUP, parse };
}

export const utmOptions = {
  utmSource: tag('source', 'where people come from: poster'),
  utmMedium: tag('medium', 'by what: print'),
  utmCampaign: tag('campaign', 'for what: "Spring Sale" becomes spring_sale'),
  utmTerm: tag('term', 'a search word'),
  utmContent: tag('content', 'which of several'),
};

/** The tags that were given; undefined where none was. */
export function utmOf(flags: Partial<Record<keyof typeof utmOptions, string | undefined>>): UtmTags | undefined {
  const { utmSource: source, utmMedium: medium, utmCampaign: campaign, utmTerm: term, utmContent: content } = flags;
  const given = Object.entries({ source, medium, campaign, term, content }).filter(([, value]) => value !== undefined);
  return given.length > 0 ? Object.fromEntries(given) : undefined;
}
