import { PartialError, UnprovenError } from '#base/errors';
import { formatClosing } from '#base/run/closing-line';
import { countOf, quote } from '#base/text/quote';
import { DAY_MS, formatInstant } from '#base/time/time';
import { widest } from '#scans/export/range';
import { formatLocalRange } from '#scans/format-local-range';
import type { ScanLog } from './scan-log.ts';
import type { CodeResult } from './verify-codes.ts';

export interface VerifiedCode extends CodeResult {
  isAccepted: boolean;
}

export function rowsOf(result: CodeResult): Record<string, unknown>[] {
  const { code, outcome, days, missing, logged, reason, added } = result;
  const { id, slug = null, name = null } = code;
  const about = { id, slug, name, logged, error: reason?.message ?? null };
  if (days.length === 0)
    return [{ ...about, day: null, outcome, missing, gone: outcome === 'gone' ? logged : 0, twice: 0 }];
  return days.map(({ day, missing, gone, twice }) => {
    const isRepaired = outcome === 'different' && added > 0 && gone === 0 && twice === 0;
    const date = formatInstant(day * DAY_MS).slice(0, '2026-10-31'.length);
    return { ...about, day: date, outcome: isRepaired ? 'repaired' : outcome, missing, gone, twice };
  });
}

export function totalsOf(results: readonly CodeResult[]) {
  const totals = { logged: 0, missing: 0, gone: 0, twice: 0, added: 0 };
  for (const { days, missing: lacking, logged, added } of results) {
    totals.logged += logged;
    totals.added += added;
    totals.missing += lacking;
    for (const { missing, gone, twice } of days) {
      totals.missing += missing;
      totals.gone += gone;
      totals.twice += twice;
    }
  }
  return totals;
}

export function closingNotes(
  results: readonly CodeResult[],
  { logs, zone, requests }: { logs: readonly ScanLog[]; zone: string; requests: number },
): string[] {
  const compared = results.filter(
    ({ outcome, range }) => range && outcome !== 'gone' && outcome !== 'unproven',
  );
  const { logged, added } = totalsOf(compared);
  const notes = logs.flatMap(({ place, gone }) =>
    gone.length === 0
      ? []
      : `${countOf(gone.length, 'rotated file')} of ${place} ${gone.length === 1 ? 'is' : 'are'} not in its directory. ` +
        'To compare the scans up to there too, add --input FILE',
  );
  const unkept = logs.filter(({ state }) => state === undefined);
  if (unkept.length > 0)
    notes.push(
      `${unkept.length === 1 ? unkept[0]?.place : countOf(unkept.length, 'file')}: compared by ID and time only, because no state of an append shows changed values`,
    );
  const range = formatLocalRange(compared.map(({ range }) => range).reduce(widest, undefined), zone);
  const verified =
    `Verified ${countOf(logged, 'scan')} of ${countOf(compared.length, 'code')} ${range}`.trim();
  const repaired = added > 0 ? `, added ${countOf(added, 'missing scan')}` : '';
  return [...notes, formatClosing(`${verified}${repaired}`, [countOf(requests, 'request')])];
}

export function failureOf(
  results: readonly VerifiedCode[],
  { logs, isRepair }: { logs: readonly ScanLog[]; isRepair: boolean },
): Error | undefined {
  const unproven = results.filter(({ outcome }) => outcome === 'unproven');
  if (unproven[0]) return unprovenError(unproven[0], unproven.length);
  const different = results.filter(({ outcome, isAccepted }) => outcome !== 'equal' && !isAccepted);
  const deleted = different.filter(({ outcome }) => outcome === 'gone');
  const { missing, gone, twice, added } = totalsOf(results);
  const left = missing - added;
  const faults = new Set(results.flatMap(({ reason }) => reason?.message ?? []));
  const parts = [
    left > 0 && `${countOf(left, 'scan')} missing`,
    gone > 0 && `${countOf(gone, 'scan')} no longer on the service`,
    twice > 0 && `${countOf(twice, 'duplicate row')}`,
    deleted.length > 0 &&
      `${countOf(deleted.length, 'code')} deleted (${countOf(totalsOf(deleted).logged, 'scan')} no longer on the service)`,
  ].filter(Boolean);
  const place =
    logs.length === 1 ? (logs[0]?.place ?? '') : `the files of ${countOf(different.length, 'code')}`;
  const differs = `${place} differ${logs.length === 1 ? 's' : ''} from the service: ${parts.join(', ')}`;
  const lines = [...faults, ...(parts.length > 0 ? [differs] : [])];
  if (lines.length === 0) return undefined;
  if (isRepair && faults.size > 0 && added === 0) lines.push('nothing was repaired');
  const hints = [
    faults.size > 0 &&
      (logs.find(({ fault }) => fault)?.fault?.hint ?? 'Export the scans again with `qrctl scans export`.'),
    left > 0 && (isRepair ? NEW : hintOfMissing(logs)),
    deleted.length > 0 && !isRepair && ACCEPT,
  ];
  return new PartialError(lines.join('\n'), { hint: hints.find((hint) => hint !== false) ?? STAYS });
}

const NEW = 'To add a code that has no file yet, run `qrctl scans export --append`.';
const ACCEPT =
  'The rows of deleted codes stay in the file. To accept this, run the command once with --accept-gone.';
const STAYS =
  'Rows that the service no longer has, and duplicate rows, are never removed. List them with --format csv.';

function hintOfMissing(logs: readonly ScanLog[]): string {
  return logs.every(({ state }) => state !== undefined)
    ? 'To add the missing scans, run the command again with --repair.'
    : 'To get the missing scans, export again with `qrctl scans export`. Only files written with --append can be repaired.';
}

function unprovenError({ code, reason, range }: CodeResult, count: number): UnprovenError {
  const which = count === 1 ? quote(code.slug ?? code.id) : countOf(count, 'code');
  return new UnprovenError(`${which} could not be compared with the service: ${reason?.message}`, {
    hint: range
      ? 'When fewer scans arrive, run the same command again.'
      : 'Run the export again, or pass another range.',
    cause: reason,
  });
}
