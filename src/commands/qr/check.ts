import { lookup } from 'node:dns/promises';
import { PartialError, UnavailableError } from '#base/errors';
import { addFailedCodes } from '#base/run/annotations';
import { formatClosing } from '#base/run/closing-line';
import { countOutcomes } from '#base/run/outcomes';
import { parseUrl } from '#base/text/parse-url';
import { countAmong, countOf, formatCount, quote, shown } from '#base/text/quote';
import { UTM_NAMES } from '#base/text/utm';
import { formatDuration } from '#base/time/time';
import {
  type CheckRow,
  type ComparedRow,
  checkCodes,
  hasUtmProblem,
  isNews,
} from '#codes/destinations/check-codes';
import { widenLookups } from '#codes/destinations/resolve-host';
import { type findSilence, OUTCOMES } from '#codes/destinations/verdict';
import { chooseCodes, eachOnce } from '#commands/choose-codes';
import { checkChoice, filterOptions, fromCodesOptions } from '#commands/code-choice';
import {
  CODE_ARGUMENTS,
  defineCommand,
  flag,
  type OptionDefinition,
  parsed,
  parseList,
  type Values,
} from '#commands/define';
import { openOutput, outputOptions } from '#commands/output-options';
import { type Comparison, openLastRun, printNews, sinceLastOption } from '#commands/since-last';
import type { Context } from '#context';
import { type Column, colorBy, numberColumn, wholeColumn } from '#files/formats/columns';
import { proxyFor } from '#service/proxy';
import { version } from '../../../package.json';

const FAILURES = [...OUTCOMES.filter((outcome) => outcome !== 'ok'), 'none'] as const;

const options = {
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
    rare: true,
  }),
  userAgent: parsed(
    '--user-agent <text>',
    'User-Agent header to send',
    {
      parse: (raw: string) =>
        /^[\x20-\x7e]{1,200}$/.test(raw) && raw.trim() !== '' ? raw.trim() : undefined,
      forms: 'up to 200 visible ASCII characters',
    },
    { rare: true },
  ),
  ...outputOptions,
};

type CheckFlags = Values<typeof options>;

const COLUMNS: readonly Column[] = [
  wholeColumn('id', 2),
  wholeColumn('slug', 10),
  { name: 'name', importance: 8, leastWidth: 16 },
  { name: 'destination', importance: 7, leastWidth: 20, isUrl: true },
  {
    ...wholeColumn('outcome', 11),
    color: colorBy({ green: ['ok', 'redirected'], red: ['broken', 'unreachable'], yellow: ['blocked'] }),
  },
  numberColumn('http_status', 5),
  { name: 'final_url', importance: 1, leastWidth: 20 },
  numberColumn('redirects', 3),
  numberColumn('tls_days', 4),
  numberColumn('ms', 3),
  { name: 'error', importance: 9, leastWidth: 20 },
];

export const command = defineCommand({
  description:
    'Checks whether the destinations of codes respond.\n\n' +
    'Without CODE, it checks every code. A destination behind a login or bot protection is "blocked", which is not a failure. If no ' +
    'destination responds, the command exits with code 7 and writes no file.\n\n' +
    'It sends a GET request without your key, reads only the headers, and follows redirects, one request at a time per host. ' +
    'Private addresses are refused, even after a redirect. Behind a proxy, names that this machine cannot resolve are refused, too.\n\n' +
    '--timeout applies to each destination. qrctl checks up to 256 hosts at once; with --concurrency, up to that number.',
  arguments: CODE_ARGUMENTS,
  options,
  columns: [{ columns: COLUMNS }],
  examples: [
    ['qrctl qr check', 'Check every destination'],
    ['qrctl qr check spring-menu --require-utm source,campaign', 'Check one destination and its UTM tags'],
    [
      'qrctl qr check --status active --fail-on broken,unreachable,empty -o dead.csv',
      'Write a file, and exit with code 8 if a destination fails',
    ],
    [
      'qrctl qr check --status active --since-last check.csv --quiet',
      'Print only changes, for example in a nightly cron job',
    ],
  ],
  async run(context, { args: names, options: flags }) {
    checkChoice(names, names.length > 0 || flags.from !== undefined ? flags : { ...flags, all: true });
    const lookupWidth = widenLookups(context.env);
    const output = await openOutput(context, flags, COLUMNS);
    const fails = failureTest(flags);
    const last = await openLastRun(context, flags.sinceLast, comparison(fails));
    try {
      const found = await chooseCodes(context, names, flags, { isAsListed: true, mayBeNone: true });
      const startMs = context.clock.monotonic();
      const job = await checkOptions(context, flags);
      const progress = context.console.progress('destinations');
      const { rows, silence } = await checkCodes(eachOnce(found), {
        ...job,
        lookupWidth,
        onProgress: progress.update,
      }).finally(progress.stop);
      const outcomes = countOutcomes(rows);
      Object.assign(context.facts, { codes: rows.length, outcomes: Object.fromEntries(outcomes) });
      if (silence) {
        // K10: writes no file if no destination responds. Rows printed without --since-last show why.
        const { path } = output.plan;
        if (!last && path === undefined) await output.print(rows);
        throw noResponse(silence, flags.sinceLast ?? path);
      }
      noteOutcomes(context, rows, outcomes, context.clock.monotonic() - startMs);
      const printed = await printNews(output, rows, last);
      const failed = printed.filter(fails);
      addFailedCodes(
        context.facts,
        failed.map(({ id, outcome, error }) => ({
          id,
          message: [outcome, error].filter(Boolean).join(': '),
        })),
      );
      if (failed.length > 0) throw failure(failed, printed.length, last !== undefined);
    } finally {
      await last?.close();
    }
  },
});

const HOSTS_AT_ONCE = 256;
const USER_AGENT = `Mozilla/5.0 (compatible; qrctl/${version}; checks destinations of QR codes)`;

async function checkOptions(context: Context, flags: CheckFlags) {
  const { clock, signal, env } = context;
  const { shortUrl, baseUrl, concurrency, timeoutMs } = await context.settings();
  const service = await context.service();
  return {
    clock,
    signal,
    shortUrl,
    baseUrl,
    timeoutMs,
    lookup: (hostname: string) => lookup(hostname, { all: true, verbatim: true }),
    proxyFor: (url: URL) => proxyFor(url, env),
    userAgent: flags.userAgent ?? USER_AGENT,
    allowPrivate: flags.allowPrivate ?? false,
    requireUtm: flags.requireUtm,
    width: context.flags.concurrency === undefined ? HOSTS_AT_ONCE : concurrency,
    now: () => service.nowMs() ?? clock.now(),
  };
}

type Fails = (row: Pick<CheckRow, 'outcome' | 'error'>) => boolean;

function failureTest({ failOn = ['broken', 'unreachable'], requireUtm }: CheckFlags): Fails {
  const failures = new Set<string>(failOn);
  return ({ outcome, error }) =>
    failures.has(outcome) || (requireUtm !== undefined && hasUtmProblem(error ?? ''));
}

const ENDING_DAYS = 21;

function endsSoon({ tls_days: days }: Pick<CheckRow, 'tls_days'>): boolean {
  return days !== null && days <= ENDING_DAYS;
}

function comparison(fails: Fails): Comparison<CheckRow, ComparedRow> {
  const compare = (row: Pick<CheckRow, 'destination' | 'outcome' | 'tls_days' | 'error'>): ComparedRow => {
    return { destination: row.destination, failing: fails(row), ending: endsSoon(row) };
  };
  return {
    columns: COLUMNS,
    mark: 'destination',
    run: 'a check',
    read(text) {
      const days = text('tls_days');
      const outcome = OUTCOMES.find((known) => known === text('outcome'));
      if (!outcome || text('id') === null) return undefined;
      const tls_days = days === null ? null : Number(days);
      return compare({ outcome, destination: text('destination'), error: text('error'), tls_days });
    },
    isNews: (row, before) => isNews(compare(row), before),
  };
}

function noteOutcomes(
  { console }: Context,
  rows: readonly CheckRow[],
  outcomes: ReadonlyMap<string, number>,
  ms: number,
): void {
  const parts = [...outcomes].map(([outcome, count]) => `${formatCount(count)} ${outcome}`);
  console.note(
    formatClosing(`Checked ${[countOf(rows.length, 'code'), ...parts].join(', ')}`, [formatDuration(ms)]),
  );
  const daysByHost = new Map<string, number>();
  for (const { final_url, tls_days } of rows.filter(endsSoon)) {
    const host = parseUrl(final_url ?? '')?.host ?? final_url ?? '';
    daysByHost.set(host, Math.min(daysByHost.get(host) ?? Infinity, tls_days ?? 0));
  }
  for (const [host, days] of [...daysByHost].sort(([, a], [, b]) => a - b)) {
    const state = days < 0 ? 'has expired' : `expires in ${countOf(days, 'day')}`;
    console.warn(`the TLS certificate of ${shown(host)} ${state}`);
  }
}

function noResponse(
  { requested, reason }: NonNullable<ReturnType<typeof findSilence>>,
  file: string | undefined,
): UnavailableError {
  const message =
    requested === 1
      ? `the only destination that was checked did not respond (${reason}): it is down, or this machine cannot reach it`
      : `none of ${countOf(requested, 'destination')} responded (${reason}), but the service did: this machine seems unable to reach other hosts`;
  const unwritten = file === undefined ? '' : ` ${file} was not written.`;
  return new UnavailableError(message, {
    hint: `Check the firewall, DNS and proxy of this machine, then run the command again.${unwritten}`,
  });
}

function failure(failed: readonly CheckRow[], of: number, isNews: boolean): PartialError {
  const count = isNews
    ? `${countOf(failed.length, 'code')} newly failed the check`
    : `${countAmong(failed.length, of, 'code')} failed the check`;
  const [{ slug, error } = { slug: '', error: null }] = failed.length === 1 ? failed : [];
  const example = slug === '' ? '' : `: ${quote(String(slug))}${error === null ? '' : `: ${error}`}`;
  return new PartialError(`${count}${example}`, {
    hint: 'Correct a destination with `qrctl qr update CODE --destination ADDRESS`.',
  });
}
