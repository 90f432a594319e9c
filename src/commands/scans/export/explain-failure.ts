/** What a person needs who reads of a failure in a mail at night: whose run it was, what it worked on, and whether anything is lost. */
import { Failure, PartialError, UnavailableError, UsageError } from '../../../errors.ts';
import { isWrittenDirectly } from '../../../output/whole-file.ts';
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
  /** How many files are there and complete, or at a committed point. */
  files: number;
  /** Each file is one code's alone. */
  ofCodes: boolean;
}

/** Adds that to the hint of a failure, which main.ts prints. What only concerns the command line (UsageError) is clear as it is. */
export async function explainFailure(error: unknown, run: FailedRun): Promise<void> {
  if (!(error instanceof Failure) || error instanceof UsageError) return;
  const { profile, key, place, append } = run;
  const where = `profile ${profile}, key ${key}${place === undefined ? '' : `, ${append ? 'appending to' : 'writing'} ${place}`}`;
  const longer = error instanceof UnavailableError ? LONGER : undefined;
  const lines = [where, error instanceof PartialError ? undefined : await outcomeOf(run), longer, error.hint];
  error.hint = lines.filter((line) => line !== undefined).join('\n');
}

/** Undefined where nothing can be said: what is out is out. */
async function outcomeOf({ place, append, added, files, ofCodes }: FailedRun): Promise<string | undefined> {
  if (place === undefined || (await isWrittenDirectly(place))) return undefined;
  if (append) {
    // Somebody took the file away.
    if (added > 0 && files === 0) return undefined;
    const count = added === 0 ? 'nothing was added' : `${countOf(added, 'scan')} of this run are kept`;
    return `nothing is lost: ${count}, and the next run goes on from there`;
  }
  if (ofCodes && files > 0) return `complete: ${countOf(files, 'file')}; what stood there of the other codes is as it was`;
  return 'nothing was written: what stood there before is as it was';
}
