/** Checks the destinations of codes, prints the rows, and fails by `--fail-on`. */
import { lookup } from 'node:dns/promises';
import { version } from '../../../../package.json';
import { addFailedCodes } from '../../../base/run/annotations.ts';
import { countOutcomes } from '../../../base/run/count-outcomes.ts';
import { fillShortUrl, isShortUrl } from '../../../base/text/short-url.ts';
import { DAY_MS } from '../../../base/time/units.ts';
import { checkDestinations } from '../../../codes/destinations/check-destinations.ts';
import { findDestinationProblem } from '../../../codes/destinations/destination.ts';
import { widenLookups } from '../../../codes/destinations/lookup-threads.ts';
import { type ComparedRow, isNews } from '../../../codes/destinations/since-last.ts';
import { findUtmProblem, hasUtmProblem } from '../../../codes/destinations/utm-problem.ts';
import { findSilence, OUTCOMES, type Verdict } from '../../../codes/destinations/verdict.ts';
import type { Context } from '../../../context.ts';
import { proxyFor } from '../../../service/proxy.ts';
import type { QrCode } from '../../../service/shapes.ts';
import { chooseCodes } from '../../choose-codes.ts';
import { checkChoice } from '../../code-choice.ts';
import { openOutput } from '../../output-options.ts';
import { type Comparison, openLastRun, printNews } from '../../since-last.ts';
import { type CheckRow, COLUMNS } from './columns.ts';
import type { CheckFlags } from './flags.ts';
import { ends, failure, noResponse, tellOutcomes } from './tell.ts';

/** Number of hosts in parallel: as many as a browser has connections in total. */
const HOSTS_AT_ONCE = 256;

/** Headers like a browser's, to get the page that visitors get; the name is qrctl's own. */
const HEADERS = {
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
  'accept-language': 'en-US,en;q=0.9',
  'accept-encoding': 'gzip, deflate, br',
  'upgrade-insecure-requests': '1',
  'sec-fetch-dest': 'document',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-site': 'none',
  'sec-fetch-user': '?1',
};
const USER_AGENT = `Mozilla/5.0 (compatible; qrctl/${version}; checks destinations of QR codes)`;

/**
 * Checks and prints. Throws PartialError if an outcome of `--fail-on` is found, UnavailableError if no destination responds, and as listed
 * in errors.ts for the listing.
 */
export async function runCheck(context: Context, names: readonly string[], flags: CheckFlags): Promise<void> {
  // Every code, unless some are chosen.
  checkChoice(names, names.length > 0 || flags.from !== undefined ? flags : { ...flags, all: true });
  const lookupWidth = widenLookups(context.env);
  const output = await openOutput(context, flags, COLUMNS);
  const fails = failureTest(flags);
  const last = await openLastRun(context, flags.sinceLast, comparison(fails));
  try {
    const found = await chooseCodes(context, names, flags, { order: 'as listed', mayBeNone: true });
    const codes = [...new Map(found.map((code) => [code.id, code])).values()];
    const began = context.clock.monotonic();
    const { rows, silence } = await checkCodes(context, codes, flags, lookupWidth);
    const outcomes = countOutcomes(rows);
    Object.assign(context.facts, { codes: rows.length, outcomes: Object.fromEntries(outcomes) });
    if (silence) {
      // K10: no file, and no news; on standard output the rows give the reason for each.
      const { path } = output.plan;
      if (!last && path === undefined) await output.print(rows);
      throw noResponse(silence, flags.sinceLast ?? path);
    }
    tellOutcomes(context, rows, outcomes, context.clock.monotonic() - began);
    const told = await printNews(output, rows, last);
    const failed = told.filter(fails);
    addFailedCodes(
      context.facts,
      failed.map(({ id, outcome, error }) => ({
        id: String(id),
        message: [outcome, error].filter(Boolean).join(': '),
      })),
    );
    if (failed.length > 0) throw failure(failed, told.length, last !== undefined);
  } finally {
    await last?.close();
  }
}

type Fails = (row: Pick<CheckRow, 'outcome' | 'error'>) => boolean;

function failureTest({ failOn = ['broken', 'unreachable'], requireUtm }: CheckFlags): Fails {
  const failures = new Set<string>(failOn);
  return ({ outcome, error }) =>
    failures.has(outcome) || (requireUtm !== undefined && hasUtmProblem(error ?? ''));
}

function comparison(fails: Fails): Comparison<CheckRow, ComparedRow> {
  const compare = (
    row: Parameters<Fails>[0] & Pick<CheckRow, 'id' | 'destination' | 'tls_days'>,
  ): ComparedRow => {
    return { id: row.id, destination: row.destination, failing: fails(row), ending: ends(row) };
  };
  return {
    columns: COLUMNS,
    mark: 'destination',
    run: 'a check',
    read(text) {
      const [id, days] = [text('id'), text('tls_days')];
      const outcome = OUTCOMES.find((known) => known === text('outcome'));
      if (!outcome || id === null) return undefined;
      const tls_days = days === null ? null : Number(days);
      return compare({ id, outcome, destination: text('destination'), error: text('error'), tls_days });
    },
    isNews: (row, before) => isNews(compare(row), before),
  };
}

async function checkCodes(
  context: Context,
  codes: readonly QrCode[],
  flags: CheckFlags,
  lookupWidth: number,
): Promise<{ rows: CheckRow[]; silence: ReturnType<typeof findSilence> }> {
  const { clock, signal, env } = context;
  const settings = await context.settings();
  const service = await context.service();
  const plans = codes.map((code) => ({
    code,
    ...planCode(code, settings.shortUrl, flags.allowPrivate === true),
  }));
  const wanted = new Set(plans.flatMap(({ ask }) => ask ?? []));
  const progress = context.console.progress('destinations');
  let done = 0;
  const draw = () => progress.update({ done, total: wanted.size });
  draw();
  try {
    const verdicts = await checkDestinations(wanted, {
      lookup: (hostname) => lookup(hostname, { all: true, verbatim: true }),
      lookupWidth,
      proxyFor: (url) => proxyFor(url, env),
      refuse: (url) => refusal(url, settings),
      headers: { ...HEADERS, 'user-agent': flags.userAgent ?? USER_AGENT },
      allowPrivate: flags.allowPrivate ?? false,
      width: context.flags.concurrency === undefined ? HOSTS_AT_ONCE : settings.concurrency,
      timeoutMs: settings.timeoutMs,
      ...{ clock, signal },
      onDone() {
        done += 1;
        draw();
      },
    });
    const nowMs = service.nowMs() ?? clock.now();
    const rows = plans.map(({ code, ask, verdict, odd }) => {
      return rowOf({ code, verdict: verdict ?? verdicts.get(ask ?? '') ?? UNASKED, odd }, nowMs, flags);
    });
    return { rows, silence: findSilence(verdicts.values()) };
  } finally {
    progress.stop();
  }
}

const UNASKED: Verdict = {
  outcome: 'empty',
  ...{
    status: undefined,
    finalUrl: undefined,
    redirects: undefined,
    tlsEndsMs: undefined,
    ms: undefined,
    error: undefined,
  },
  responded: undefined,
};

interface PlannedCheck {
  /** Address to request. */
  ask?: string;
  /** Outcome if no request is needed. */
  verdict?: Verdict;
  /** Problem of a destination that is requested, because only the response shows whether it works. */
  odd?: string | undefined;
}

function planCode(code: QrCode, shortUrl: string | undefined, allowPrivate: boolean): PlannedCheck {
  const destination = code.destination?.trim() ?? '';
  if (destination === '') return { verdict: UNASKED };
  const isWeb = /^https?:/i.test(destination);
  const problem = findDestinationProblem(destination, isWeb ? 'url' : code.type);
  if (problem?.kind === 'unusable' || (problem?.kind === 'dotless' && !allowPrivate))
    return { verdict: { ...UNASKED, outcome: 'broken', error: problem.words } };
  if (!isWeb) return { verdict: { ...UNASKED, outcome: 'not-web' } };
  const url = new URL(destination);
  const own = shortUrl === undefined ? undefined : new URL(fillShortUrl(shortUrl, code));
  if (own && own.origin === url.origin && own.pathname === url.pathname) {
    return { verdict: { ...UNASKED, outcome: 'broken', error: 'points back to the code itself' } };
  }
  return {
    ask: url.href,
    odd: problem?.kind === 'odd' || problem?.kind === 'invisible' ? problem.reason : undefined,
  };
}

/** Short URLs of codes are never requested, because that would count as a scan, and the service only by its own client. */
function refusal(
  url: URL,
  { shortUrl, baseUrl }: { shortUrl: string | undefined; baseUrl: string | undefined },
): string | undefined {
  if (shortUrl !== undefined && isShortUrl(shortUrl, url))
    return "points to a code's short URL, which qrctl does not request because each request counts as a scan";
  if (baseUrl !== undefined && `${url.href}/`.startsWith(`${baseUrl}/`))
    return "points to the service's API, which qrctl does not check";
  return undefined;
}

function rowOf(
  { code, verdict, odd }: { code: QrCode; verdict: Verdict; odd: string | undefined },
  nowMs: number,
  { requireUtm }: CheckFlags,
): CheckRow {
  const { outcome, status, finalUrl, redirects, tlsEndsMs, ms, error } = verdict;
  const asked = redirects !== undefined || ms !== undefined;
  const landed = outcome === 'redirected' && finalUrl !== undefined ? new URL(finalUrl) : undefined;
  const tags =
    requireUtm && asked
      ? findUtmProblem(new URL(code.destination?.trim() ?? ''), landed, requireUtm)
      : undefined;
  return {
    id: code.id,
    slug: code.slug,
    name: code.name,
    destination: code.destination,
    outcome,
    http_status: status ?? null,
    final_url: finalUrl ?? null,
    redirects: redirects ?? null,
    tls_days: tlsEndsMs === undefined ? null : Math.floor((tlsEndsMs - nowMs) / DAY_MS),
    ms: ms ?? null,
    error: [error, tags, odd].filter(Boolean).join('; ') || null,
  };
}
