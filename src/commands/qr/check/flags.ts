/** Flags of `qr check`. */
import { InvalidArgumentError } from 'commander';
import { OUTCOMES } from '../../../check/verdict.ts';
import { UTM_NAMES } from '../../../codes/utm.ts';
import { CODE_STATUSES } from '../../../service/shapes.ts';
import { choices, flag, type OptionDefinition, oneOf, parsed, text, type Values } from '../../define.ts';
import { fromCodesOption } from '../../from-option.ts';
import { outputOptions } from '../../output-options.ts';

const FAILURES = [...OUTCOMES.filter((outcome) => outcome !== 'ok'), 'none'] as const;

export const options = {
  from: fromCodesOption(),
  status: choices('--status <status>', 'only codes of this status', CODE_STATUSES),
  failOn: {
    flags: '--fail-on <list>',
    description: `exit 8 where one of these outcomes is found (default: broken,unreachable); of ${FAILURES.join(', ')}`,
    parse: (raw) => parseList(raw, FAILURES),
  } satisfies OptionDefinition<(typeof FAILURES)[number][]>,
  requireUtm: {
    flags: '--require-utm <list>',
    description: `exit 8 where a destination lacks one of these tags, or its redirects lose it; of ${UTM_NAMES.join(', ')}`,
    parse: (raw) => parseList(raw.replace(/(^|,\s*)utm_/g, '$1'), UTM_NAMES),
  } satisfies OptionDefinition<(typeof UTM_NAMES)[number][]>,
  sinceLast: text(
    '--since-last <file>',
    'print only what turned broken or whole since the run that wrote FILE, and write it anew',
    {
      complete: 'files',
    },
  ),
  allowPrivate: flag('--allow-private', 'also ask addresses that are not of the public internet: private, loopback, link-local', {
    risky: true,
  }),
  userAgent: parsed('--user-agent <text>', 'how to introduce this program to those who are asked', {
    parse: (raw: string) => (/^[\x20-\x7e]{1,200}$/.test(raw) && raw.trim() !== '' ? raw.trim() : undefined),
    forms: 'It takes up to 200 visible ASCII characters.',
  }),
  ...outputOptions,
};

export type CheckFlags = Values<typeof options>;

function parseList<const C extends readonly string[]>(raw: string, known: C): C[number][] {
  const words = raw.split(',').map((word) => word.trim());
  if (words.includes('')) throw new InvalidArgumentError(`It takes names separated by commas, of ${known.join(', ')}.`);
  return words.map((word) => oneOf(word, known));
}
