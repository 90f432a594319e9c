/**
 * Binds a journal to its workspace: its first line records the workspace, and so does a later line if the key was rotated or the service
 * moved.
 */
import { checkWorkspace, isRecordedWorkspace, type RecordedWorkspace, type Workspace } from '../service/workspace.ts';

/** The journal goes on for this workspace. */
export type WorkspaceLine = { is: 'workspace' } & RecordedWorkspace;

/** Options for opening a journal, so that it is never continued for another workspace. */
export interface JournalWorkspace {
  workspace: Workspace;
  getCode: (id: string) => Promise<unknown>;
  /** Value of `--moved-from`. */
  movedFrom?: string | undefined;
}

/** Returns whether a line behind the first is a whole `workspace` line. */
export function isWorkspaceLine(line: { is: string }): line is WorkspaceLine {
  return line.is === 'workspace' && isRecordedWorkspace(line);
}

interface BindingQuestion extends JournalWorkspace {
  path: string;
  /** Ids of codes that it knows, the likeliest to exist first. */
  knownIds: Iterable<string>;
  /** It may have made or deleted codes whose ids it cannot tell. */
  mayKnowMore: boolean;
}

/**
 * O33: checks that a journal is of this run's workspace. Returns the line to add to it, if there is one: `first` is what its first line holds.
 *
 * @throws UsageError if it belongs to another workspace
 */
export async function bindJournal(
  first: RecordedWorkspace,
  found: readonly { is: string }[],
  { workspace, path, ...question }: BindingQuestion,
): Promise<WorkspaceLine[]> {
  const recorded = found.findLast(isWorkspaceLine) ?? first;
  const elsewhere = 'specify a different file with --results';
  const answer = await checkWorkspace({ ...question, path, workspace, recorded, elsewhere });
  return answer === 'same' ? [] : [{ is: 'workspace', ...(await workspace.record()) }];
}
