import { codeOfShortUrl, isShortUrl } from '#base/text/short-url';
import { DAY_MS } from '#base/time/time';
import type { QrCode } from '#service/shapes';
import { type CheckJob, checkDestinations } from './check-destinations.ts';
import { findDestinationProblem } from './destination.ts';
import { type CheckOutcome, findSilence, type Verdict } from './verdict.ts';

/** Output row for a code. Scripts rely on its keys. */
export interface CheckRow {
  [column: string]: unknown;
  id: string;
  destination: string | null;
  outcome: CheckOutcome;
  final_url: string | null;
  tls_days: number | null;
  error: string | null;
}

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

interface CheckCodesOptions extends Omit<CheckJob, 'headers' | 'refuse' | 'onDone'> {
  shortUrl: string | undefined;
  baseUrl: string | undefined;
  userAgent: string;
  requireUtm: readonly string[] | undefined;
  now(): number;
  onProgress(state: { done: number; total: number }): void;
}

/**
 * Returns a row per code, and `silence` if hosts were requested and none responded. Rejects only if `follow`
 * does.
 */
export async function checkCodes(codes: readonly QrCode[], options: CheckCodesOptions) {
  const plans = codes.map((code) => ({ code, ...planCheck(code, options) }));
  const wanted = new Set(plans.flatMap(({ url }) => url ?? []));
  let done = 0;
  options.onProgress({ done, total: wanted.size });
  const verdicts = await checkDestinations(wanted, {
    ...options,
    headers: { ...HEADERS, 'user-agent': options.userAgent },
    refuse: (url) => refusal(url, options),
    onDone: () => options.onProgress({ done: ++done, total: wanted.size }),
  });
  const nowMs = options.now();
  const rows = plans.map(({ code, url, verdict, odd }) =>
    rowOf(code, verdict ?? verdicts.get(url ?? '') ?? NOT_REQUESTED, { odd, nowMs, ...options }),
  );
  return { rows, silence: findSilence(verdicts.values()) };
}

const NOT_REQUESTED: Verdict = { outcome: 'empty' };

interface PlannedCheck {
  url?: string;
  verdict?: Verdict;
  odd?: string;
}

function planCheck(code: QrCode, { shortUrl, allowPrivate }: CheckCodesOptions): PlannedCheck {
  const destination = code.destination?.trim() ?? '';
  if (destination === '') return { verdict: NOT_REQUESTED };
  const isWeb = /^https?:/i.test(destination);
  const problem = findDestinationProblem(destination, isWeb ? 'url' : code.type);
  const broken = (error: string): PlannedCheck => ({ verdict: { outcome: 'broken', error } });
  if (problem?.kind === 'unusable' || (problem?.kind === 'dotless' && !allowPrivate))
    return broken(problem.words);
  if (!isWeb) return { verdict: { outcome: 'not-web' } };
  const url = new URL(destination);
  const target = shortUrl === undefined ? undefined : codeOfShortUrl(shortUrl, destination);
  if (target !== undefined && [code.slug, code.id].includes(target))
    return broken('points back to the code itself');
  const isOdd = problem?.kind === 'odd' || problem?.kind === 'invisible';
  return { url: url.href, odd: isOdd ? problem.reason : undefined };
}

function refusal(url: URL, { shortUrl, baseUrl }: CheckCodesOptions): string | undefined {
  if (shortUrl !== undefined && isShortUrl(shortUrl, url))
    return "points to a code's short URL, which qrctl does not request because each request counts as a scan";
  if (baseUrl !== undefined && `${url.href}/`.startsWith(`${baseUrl}/`))
    return "points to the service's API, which qrctl does not check";
  return undefined;
}

function rowOf(
  { id, slug, name, destination }: QrCode,
  { outcome, status, finalUrl, redirects, tlsEndsMs, ms, error }: Verdict,
  { odd, nowMs, requireUtm }: Pick<CheckCodesOptions, 'requireUtm'> & { odd?: string; nowMs: number },
): CheckRow {
  const isRequested = redirects !== undefined || ms !== undefined;
  const final = outcome === 'redirected' && finalUrl !== undefined ? new URL(finalUrl) : undefined;
  const tags =
    requireUtm && isRequested && findUtmProblem(new URL(destination?.trim() ?? ''), final, requireUtm);
  return {
    id,
    slug,
    name,
    destination,
    outcome,
    http_status: status ?? null,
    final_url: finalUrl ?? null,
    redirects: redirects ?? null,
    tls_days: tlsEndsMs === undefined ? null : Math.floor((tlsEndsMs - nowMs) / DAY_MS),
    ms: ms ?? null,
    error: [error, tags, odd].filter(Boolean).join('; ') || null,
  };
}

export function findUtmProblem(
  destination: URL,
  finalUrl: URL | undefined,
  required: readonly string[],
): string | undefined {
  const lackedBy = (url: URL | undefined) =>
    required
      .filter((name) => url && (url.searchParams.get(`utm_${name}`) ?? '').trim() === '')
      .map((name) => `utm_${name}`)
      .join(', ');
  const [missing, lost] = [lackedBy(destination), lackedBy(finalUrl)];
  if (missing !== '') return `missing ${missing}`;
  return lost === '' ? undefined : `lost in redirects: ${lost}`;
}

export function hasUtmProblem(error: string): boolean {
  return /(^|; )(missing|lost in redirects:) utm_/.test(error);
}

export interface ComparedRow {
  destination: string | null;
  failing: boolean;
  ending: boolean;
}

export function isNews(now: ComparedRow, before: ComparedRow | undefined): boolean {
  if (before === undefined) return now.failing || now.ending;
  if (now.failing !== before.failing) return true;
  return (now.failing && now.destination !== before.destination) || (now.ending && !before.ending);
}
