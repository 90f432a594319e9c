/** `qr check`: its flags; run-check.ts asks the destinations. */
import { InvalidArgumentError } from 'commander';
import { OUTCOMES } from '../../../check/verdict.ts';
import { UTM_NAMES } from '../../../codes/utm.ts';
import { CODE_STATUSES } from '../../../service/shapes.ts';
import { choices, defineCommand, flag, type OptionDefinition, oneOf, parsed, text, type Values } from '../../define.ts';
import { fromCodesOption } from '../../from-option.ts';
import { outputOptions } from '../../output-options.ts';

const FAILURES = [...OUTCOMES.filter((outcome) => outcome !== 'ok'), 'none'] as const;

const options = {
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

export const command = defineCommand({
  description:
    'Asks the destination of each code (every code, unless some are named) whether it is alive: GET, the headers only, without the key, one ' +
    'request at a time on each host, redirects followed and counted. What is behind a login or a wall against bots is "blocked", which is ' +
    'no failure. Addresses that are not of the public internet are refused after looking up their names, also where a redirect leads to one; ' +
    'behind a proxy, names that this machine cannot look up are refused too. ' +
    'If no destination responds, the network of this machine is to blame: exit 7, and no file is written. ' +
    '--timeout is for one destination, its redirects with it; --concurrency for how many hosts are asked at once (default here: 256).',
  arguments: [{ term: '[code...]', description: 'ids (uuid) or slugs', complete: 'codes' }],
  options,
  examples: [
    { command: 'qrctl qr check', does: 'every destination' },
    { command: 'qrctl qr check aB3xY --require-utm source,campaign', does: 'one, and whether its tags survive' },
    {
      command: 'qrctl qr check --status active --fail-on broken,unreachable,empty -o dead.csv',
      does: 'a file, and exit 8 where something is dead',
    },
    {
      command: 'qrctl qr check --status active --since-last check.csv --quiet',
      does: 'every night: silent unless something changed',
    },
  ],
  async run(context, { args, options }) {
    await (await import('./run-check.ts')).runCheck(context, args, options);
  },
});

function parseList<const C extends readonly string[]>(raw: string, known: C): C[number][] {
  const words = raw.split(',').map((word) => word.trim());
  if (words.includes('')) throw new InvalidArgumentError(`It takes names separated by commas, of ${known.join(', ')}.`);
  return words.map((word) => oneOf(word, known));
}
