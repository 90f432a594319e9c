/** Prints counts and warnings of `qr check`, and creates the failure it ends with. */
import { PartialError, UnavailableError } from '../../../base/errors.ts';
import { parseUrl } from '../../../base/text/parse-url.ts';
import { countOf, formatCount, quote, shown } from '../../../base/text/quote.ts';
import { formatDuration } from '../../../base/time/time.ts';
import type { findSilence } from '../../../codes/destinations/verdict.ts';
import type { Context } from '../../../context.ts';
import type { CheckRow } from './columns.ts';

/** Number of days before the end of a certificate from which it is reported. */
const ENDING_DAYS = 21;

/** Returns whether the certificate of a row ends soon. */
export function ends({ tls_days: days }: Pick<CheckRow, 'tls_days'>): boolean {
  return days !== null && days <= ENDING_DAYS;
}

/** Notes how many destinations had each outcome, and warns of certificates. */
export function tellOutcomes(
  { console }: Context,
  rows: readonly CheckRow[],
  outcomes: ReadonlyMap<string, number>,
  ms: number,
): void {
  const parts = [...outcomes].map(([outcome, count]) => `${formatCount(count)} ${outcome}`);
  if (rows.length > 0)
    console.note(`${countOf(rows.length, 'code')} in ${formatDuration(ms)}: ${parts.join(', ')}`);
  const hosts = new Map<string, number>();
  for (const row of rows.filter(ends)) {
    const host = parseUrl(row.final_url ?? '')?.host ?? row.final_url ?? '';
    hosts.set(host, Math.min(hosts.get(host) ?? Number.POSITIVE_INFINITY, row.tls_days ?? 0));
  }
  for (const [host, days] of [...hosts].sort(([, a], [, b]) => a - b)) {
    console.warn(
      `the TLS certificate of ${shown(host)} ${days < 0 ? 'has expired' : `expires in ${countOf(days, 'day')}`}`,
    );
  }
}

/** The failure of a run in which no destination responded; `file` is what it would have written. */
export function noResponse(
  { asked, reason }: NonNullable<ReturnType<typeof findSilence>>,
  file: string | undefined,
): UnavailableError {
  const message =
    asked === 1
      ? `the only destination that was checked did not respond (${reason}): it is down, or this machine cannot reach it`
      : `none of ${countOf(asked, 'destination')} responded (${reason}), but the service did: this machine seems unable to reach other hosts`;
  const unwritten = file === undefined ? '' : ` ${file} was not written.`;
  return new UnavailableError(message, {
    hint: `Check the firewall, DNS and proxy of this machine, then run the command again.${unwritten}`,
  });
}

/** The failure of a run that found rows it fails on; `isNews`: since the run before. */
export function failure(failed: readonly CheckRow[], of: number, isNews: boolean): PartialError {
  const [{ slug, error }] = failed as [CheckRow];
  const what = isNews
    ? `${countOf(failed.length, 'code')} newly failed the check`
    : `${failed.length} of ${countOf(of, 'code')} failed the check`;
  const example = failed.length === 1 ? `: ${quote(String(slug))}${error === null ? '' : `: ${error}`}` : '';
  return new PartialError(`${what}${example}`, {
    hint: 'Correct a destination with `qrctl qr update CODE --destination ADDRESS`.',
  });
}
