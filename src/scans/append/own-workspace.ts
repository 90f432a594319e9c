/** Checks that a file or dataset belongs to the workspace of this run: another one may have the same base URL. */
import { checkWorkspace, type RecordedWorkspace, type Workspace } from '../../service/workspace.ts';
import type { AppendIdentity } from './identity.ts';
import type { CodeOverlap } from './overlap.ts';

export interface OwnWorkspace {
  workspace: Workspace;
  getCode(id: string): Promise<unknown>;
  /** IDs of codes that a response to this run's key contained. */
  seen: ReadonlySet<string>;
  /** Value of `--moved-from`: an earlier base URL of the service. */
  movedFrom?: string | undefined;
}

interface Saved {
  workspace: RecordedWorkspace;
  identity: AppendIdentity;
  overlaps: ReadonlyMap<string, CodeOverlap>;
}

export interface Recorded {
  workspace: RecordedWorkspace;
  /** The state on disk has another one. */
  isRenewed: boolean;
}

/**
 * A6: throws UsageError like checkWorkspace unless a state belongs to this workspace. A state of another key or base URL costs a request, unless a
 * response has shown one of its codes.
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
    path,
    recorded,
    workspace,
    movedFrom,
    elsewhere,
    knownIds: [...[...known].filter((id) => seen.has(id)), ...known],
    getCode: async (id) => (seen.has(id) ? undefined : getCode(id)),
  });
  return found === 'same'
    ? { workspace: recorded, isRenewed: false }
    : { workspace: await workspace.record(), isRenewed: true };
}
