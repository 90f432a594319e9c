import { checkWorkspace, type RecordedWorkspace, type Workspace } from '../../service/workspace.ts';
import { type AppendIdentity, differenceOf } from './identity.ts';
import { type CodeOverlap, withoutGone } from './overlap.ts';

export interface OwnWorkspace {
  workspace: Workspace;
  getCode(id: string): Promise<unknown>;
  seen: ReadonlySet<string>;
  movedFrom?: string;
}

interface Saved {
  workspace: RecordedWorkspace;
  identity: AppendIdentity;
  overlaps: ReadonlyMap<string, CodeOverlap>;
}

export interface Recorded {
  workspace: RecordedWorkspace;
  isRenewed: boolean;
}

/** A6: another key or base URL costs a request for an unseen code. */
export async function checkOwnWorkspace(
  path: string,
  { workspace: recorded, identity, overlaps }: Saved,
  { workspace, getCode, seen, movedFrom }: OwnWorkspace,
  elsewhere: string,
): Promise<Recorded> {
  const newest = [...overlaps].sort(([, a], [, b]) => (b.watermarkMs ?? 0) - (a.watermarkMs ?? 0));
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

interface ExportCheck {
  identity: AppendIdentity;
  own: OwnWorkspace;
  elsewhere: string;
  refusal(path: string, reason: string, wayOn: string): Error;
}

/** A6, P7: throws UsageError if a log belongs to another export or another workspace. */
export async function checkOwnExport(
  path: string,
  saved: Saved,
  { identity, own, elsewhere, refusal }: ExportCheck,
): Promise<Recorded> {
  const recorded = await checkOwnWorkspace(path, saved, own, elsewhere);
  const difference = differenceOf(
    withoutGone(saved.identity, saved.overlaps),
    withoutGone(identity, saved.overlaps),
  );
  if (difference) throw refusal(path, `it ${difference.reason}`, `${difference.wayOn}, or ${elsewhere}`);
  return recorded;
}
