/** Whose scans a file or dataset holds: a run of another workspace must not add to it, although its base URL may be the same. */
import { checkWorkspace, type RecordedWorkspace, type Workspace } from '../service/workspace.ts';
import type { AppendIdentity } from './identity.ts';
import type { CodeOverlap } from './overlap.ts';

/** The workspace of this run, and how to find out whether it has a code. */
export interface OwnWorkspace {
  workspace: Workspace;
  getCode(id: string): Promise<unknown>;
  /** Ids of codes that a response to this run's key had already. */
  seen: ReadonlySet<string>;
  /** The base URL that the service had, as the state has it. */
  movedFrom?: string | undefined;
}

interface Saved {
  workspace: RecordedWorkspace;
  identity: AppendIdentity;
  overlaps: ReadonlyMap<string, CodeOverlap>;
}

export interface Recorded {
  /** Workspace for the next state. */
  workspace: RecordedWorkspace;
  /** The state on the disk has something else. */
  renewed: boolean;
}

/**
 * A6: checks that a state belongs to this workspace. Costs a request only if it was written with another key, with none, or at `movedFrom`, and no
 * response has shown one of its codes yet. Throws UsageError like checkWorkspace; `elsewhere` is the alternative for its hint.
 */
export async function checkOwnWorkspace(
  path: string,
  { workspace: recorded, identity, overlaps }: Saved,
  { workspace, getCode, seen, movedFrom }: OwnWorkspace,
  elsewhere: string,
): Promise<Recorded> {
  const newest = [...overlaps].sort(([, one], [, other]) => (other.watermarkMs ?? 0) - (one.watermarkMs ?? 0));
  const known = new Set([...newest.map(([code]) => code), ...identity.codes]);
  const found = await checkWorkspace({
    ...{ path, recorded, workspace, movedFrom, elsewhere },
    // A code that was seen needs no request.
    knownIds: [...[...known].filter((id) => seen.has(id)), ...known],
    getCode: async (id) => (seen.has(id) ? undefined : getCode(id)),
  });
  return found === 'same' ? { workspace: recorded, renewed: false } : { workspace: await workspace.record(), renewed: true };
}
