/** Flags of `qr check`. */
import { InvalidArgumentError } from 'commander';
import { UTM_NAMES } from '../../../base/text/utm.ts';
import { OUTCOMES } from '../../../codes/destinations/verdict.ts';
import { filterOptions } from '../../code-choice.ts';
import { flag, type OptionDefinition, oneOf, parsed, type Values } from '../../define.ts';
import { outputOptions } from '../../output-options.ts';
import { fromCodesOptions } from '../../shared-flags.ts';
import { sinceLastOption } from '../../since-last.ts';

const FAILURES = [...OUTCOMES.filter((outcome) => outcome !== 'ok'), 'none'] as const;

export const options = {
  ...fromCodesOptions(),
  status: filterOptions.status,
  failOn: {
    flags: '--fail-on <list>',
    description: `Exit with code 8 if one of these outcomes is found: ${FAILURES.join(', ')} (default: broken,unreachable)`,
    parse: (raw) => parseList(raw, FAILURES),
  } satisfies OptionDefinition<(typeof FAILURES)[number][]>,
  requireUtm: {
    flags: '--require-utm <list>',
    description: `Exit with code 8 if one of these tags is missing: ${UTM_NAMES.join(', ')}`,
    parse: (raw) => parseList(raw.replace(/(^|,\s*)utm_/g, '$1'), UTM_NAMES),
  } satisfies OptionDefinition<(typeof UTM_NAMES)[number][]>,
  sinceLast: sinceLastOption,
  allowPrivate: flag('--allow-private', 'Check private, loopback and link-local addresses, too', {
    risky: true,
  }),
  userAgent: parsed('--user-agent <text>', 'User-Agent header to send', {
    parse: (raw: string) => (/^[\x20-\x7e]{1,200}$/.test(raw) && raw.trim() !== '' ? raw.trim() : undefined),
    forms: 'up to 200 visible ASCII characters',
  }),
  ...outputOptions,
};

export type CheckFlags = Values<typeof options>;

function parseList<const C extends readonly string[]>(raw: string, known: C): C[number][] {
  const words = raw.split(',').map((word) => word.trim());
  if (words.includes('')) throw new InvalidArgumentError(`names separated by commas: ${known.join(', ')}`);
  return words.map((word) => oneOf(word, known));
}
