/** Ledgers and lock files on disk, as the judge reads them. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readMemory } from '#codes/engine/ledger/ledger-file';
import { type LockEntry, parseLock } from '#codes/engine/lock/lock-file';
import type { LedgerRecord } from '#codes/engine/plan/ledger-lines';
import { createReplay } from '#codes/engine/plan/ledger-view';
import type { LedgerView } from '#codes/engine/plan/model';
import { nodeDisk } from '#files/durable/node-disk';

/** Name of the only ledger of a state directory: there is one service, and one key. */
export const LEDGER = 'ledger-1.jsonl';

/** Reads what the ledger of a machine says; an empty memory if there is none. */
export async function readView(state: string): Promise<LedgerView> {
  const path = join(state, LEDGER);
  const text = await readFile(path).catch(() => undefined);
  if (text === undefined || text.length === 0) return createReplay().view();
  return (await readMemory(path, nodeDisk)).replay.view();
}

export type PostRecord = Extract<LedgerRecord, { is: 'post' }>;

/** Returns the records of all POSTs in a ledger, oldest first. */
export async function findPosts(state: string): Promise<PostRecord[]> {
  const text = await readFile(join(state, LEDGER), 'utf8').catch(() => '');
  const lines = text.split('\n').slice(0, -1);
  return lines.filter((line) => line.startsWith('{"is":"post"')).map((line) => JSON.parse(line));
}

/** Returns the newest record of a PATCH of this code in a ledger. */
export async function findPatch(
  state: string,
  id: string,
): Promise<Extract<LedgerRecord, { is: 'patch' }> | undefined> {
  const text = await readFile(join(state, LEDGER), 'utf8').catch(() => '');
  const lines = text.split('\n').filter((line) => line.startsWith('{"is":"patch"') && line.includes(id));
  const last = lines.at(-1);
  return last === undefined ? undefined : JSON.parse(last);
}

/** Reads a lock file; undefined if there is none. */
export async function readEntries(path: string): Promise<Map<string, LockEntry> | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : new Map((await parseLock(text, path)).entries);
}
