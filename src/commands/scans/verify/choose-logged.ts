/** The codes that `scans verify` compares, checked against the logs: each has one log, which is of this workspace. */
import { UsageError } from '../../../base/errors.ts';
import { countOf, inShellOr, quote } from '../../../base/text/quote.ts';
import type { Context } from '../../../context.ts';
import { checkOwnWorkspace } from '../../../scans/append/own-workspace.ts';
import type { CodeLabel } from '../../../scans/export/export-codes.ts';
import { chooseLabelsOfLog } from '../../choose-codes.ts';
import type { CodeChoice } from '../../code-choice.ts';
import { covers, isDirectory, type ScanLog } from './scan-log.ts';

/**
 * Returns the codes. Throws UsageError if an appended log belongs to another workspace, if a code is not in the log, and if several logs have it;
 * NotFoundError for a code that neither the service nor a log has.
 */
export async function chooseLogged(
  context: Context,
  names: readonly string[],
  {
    choice,
    logs,
    places,
    movedFrom,
  }: {
    choice: CodeChoice;
    logs: readonly ScanLog[];
    places: readonly string[];
    movedFrom: string | undefined;
  },
): Promise<CodeLabel[]> {
  const service = await context.service();
  const known = new Set(
    logs.flatMap(({ state }) => (state ? [...state.identity.codes, ...state.overlaps.keys()] : [])),
  );
  const { codes } = await chooseLabelsOfLog(context, names, choice, { isWanted: true }, known);
  const { workspace, getCode } = service;
  const seen = new Set(codes.filter(({ missing }) => !missing).map(({ id }) => id));
  for (const { place, state } of logs) {
    // V13: codes of another workspace are not those of the log, even if they are equal.
    if (state)
      await checkOwnWorkspace(
        place,
        state,
        { workspace, getCode, seen, movedFrom },
        'specify a different log with --input',
      );
  }
  const isInDirectory = (await Promise.all(places.map(isDirectory))).includes(true);
  for (const code of codes) checkLogsOf(code, logs, isInDirectory);
  const unknown = codes.find(
    ({ id, missing }) => missing && !known.has(id) && logs.every(({ state }) => state),
  );
  if (unknown) throw unknown.missing;
  return codes;
}

/** V12: a code that its log is not about would be missing in it, or equal by chance. */
function checkLogsOf({ id, slug }: CodeLabel, logs: readonly ScanLog[], isInDirectory: boolean): void {
  const kept = logs.filter(({ state }) => state);
  const [one, other] = kept.filter((log) => covers(log, id));
  const which = quote(slug ?? id);
  if (one && other)
    throw new UsageError(`${one.place} and ${other.place} both have the scans of ${which}`, {
      hint: 'Verify one of them at a time.',
    });
  const [log] = kept;
  // A directory may lack the file of a new code.
  if (one || !log?.state || kept.length < logs.length || isInDirectory) return;
  const { codes } = log.state.identity;
  const those =
    codes.length > MOST_PASTED ? 'its codes' : codes.map((code) => inShellOr('CODE', code)).join(' ');
  throw new UsageError(
    `${log.place} was not exported with ${which}: it has the scans of ${countOf(codes.length, 'other code')}`,
    {
      hint: `Pass only ${those}.`,
    },
  );
}

/** Maximum number of IDs in a hint, to be pasted. */
const MOST_PASTED = 5;
