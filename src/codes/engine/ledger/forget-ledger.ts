/** Removes the ledger of a workspace that no longer exists: the sandbox begins with other codes each time it is started. */
import { rm } from 'node:fs/promises';
import { ifPresent } from '../../../files/durable/disk.ts';
import { nodeDisk } from '../../../files/durable/node-disk.ts';
import type { Workspace } from '../../../service/workspace.ts';
import { findOwnLedger } from './choose-ledger.ts';
import { stateDirectory } from './state-directory.ts';

/** Never rejects: a ledger that stays costs a question per row. */
export async function forgetLedger(
  env: Readonly<Record<string, string | undefined>>,
  workspace: Pick<Workspace, 'baseUrl' | 'hasKeyOf'>,
): Promise<void> {
  const directory = stateDirectory(env);
  if (directory === undefined) return;
  const path = await ifPresent(findOwnLedger(directory, workspace, nodeDisk)).catch(() => undefined);
  if (path !== undefined) await rm(path, { force: true }).catch(() => undefined);
}
