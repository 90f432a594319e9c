/** Checks that a file or dataset belongs to the workspace of this run: another workspace may have the same base URL. */
import { checkWorkspace, type RecordedWorkspace, type Workspace } from '../../service/workspace.ts';
import type { AppendIdentity } from './identity.ts';
import type { CodeOverlap } from './overlap.ts';

/** Workspace of this run, and how to check whether it has a code. */
export interface OwnWorkspace {
  workspace: Workspace;
  getCode(id: string): Promise<unknown>;
  /** IDs of codes that a response to this run's key already contained. */
  seen: ReadonlySet<string>;
  /** Earlier base URL of the service, which the state may have. */
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
  /** The state on disk has another one. */
  isRenewed: boolean;
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
  const newest = [...overlaps].sort(
    ([, one], [, other]) => (other.watermarkMs ?? 0) - (one.watermarkMs ?? 0),
  );
  const known = new Set([...newest.map(([code]) => code), ...identity.codes]);
  const found = await checkWorkspace({
    ...{ path, recorded, workspace, movedFrom, elsewhere },
    // A code that was seen needs no request.
    knownIds: [...[...known].filter((id) => seen.has(id)), ...known],
    getCode: async (id) => (seen.has(id) ? undefined : getCode(id)),
  });
  return found === 'same'
    ? { workspace: recorded, isRenewed: false }
    : { workspace: await workspace.record(), isRenewed: true };
}
