/** What a person needs who reads of a failure in a mail at night: whose run it was, what it worked on, and whether anything is lost. */
import { Failure, PartialError, UnavailableError, UsageError } from '../../../errors.ts';
import { countOf } from '../../../quote.ts';

const LONGER = 'a longer outage is waited out with --retry-for, such as --retry-for 15m';

export interface FailedRun {
  profile: string;
  /** The printed form of the key. */
  key: string;
  /** File or directory; undefined: standard output. */
  place: string | undefined;
  append: boolean;
  /** Scans that this run added to an appended file. */
  added: number;
}

/** Adds that to the hint of a failure, which main.ts prints. What only concerns the command line (UsageError) is clear as it is. */
export function explainFailure(error: unknown, run: FailedRun): void {
  if (!(error instanceof Failure) || error instanceof UsageError) return;
  const { profile, key, place, append, added } = run;
  const where = `profile ${profile}, key ${key}${place === undefined ? '' : `, ${append ? 'appending to' : 'writing'} ${place}`}`;
  const longer = error instanceof UnavailableError ? LONGER : undefined;
  const lines = [
    where,
    place === undefined || error instanceof PartialError ? undefined : outcomeOf(append, added),
    longer,
    error.hint,
  ];
  error.hint = lines.filter((line) => line !== undefined).join('\n');
}

function outcomeOf(append: boolean, added: number): string {
  if (!append) return 'nothing was written: what stood there before is as it was';
  const count = added === 0 ? 'nothing was added' : `${countOf(added, 'scan')} of this run are kept`;
  return `nothing is lost: ${count}, and the next run goes on from there`;
}
