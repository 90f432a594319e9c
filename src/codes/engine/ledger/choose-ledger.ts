/** Chooses the ledger of a workspace among those in the state directory, also after its key was rotated. */
import { join } from 'node:path';
import { UsageError } from '../../../base/errors.ts';
import { LINE_FEED } from '../../../base/text/ascii.ts';
import { type Disk, ifPresent, readPieces } from '../../../files/durable/disk.ts';
import { createLineReader } from '../../../files/durable/log-lines.ts';
import { cannotOpen } from '../../../files/durable/path-errors.ts';
import type { Workspace } from '../../../service/workspace.ts';
import {
  checkMemory,
  type Header,
  headerOf,
  LEDGER_ADVICE,
  type LedgerWorkspace,
  readMemory,
} from './ledger-file.ts';

export interface ChosenLedger {
  readonly path: string;
  /** It does not exist yet. */
  readonly isNew: boolean;
}

const NAME = /^ledger-(\d{1,9})\.jsonl$/;

/**
 * Returns the ledger of the workspace, or the path for a new one. Ledgers of the base URL with other keys are compared by codes that they
 * know, which costs up to three requests for each.
 *
 * @throws UsageError if a ledger can't be read, LocalError, and the errors of `getCode`
 */
export async function chooseLedger(
  directory: string,
  own: LedgerWorkspace,
  disk: Disk,
): Promise<ChosenLedger> {
  const numbers = (await disk.readdir(directory)).flatMap((name) => NAME.exec(name)?.[1] ?? []).map(Number);
  numbers.sort((one, other) => one - other);
  const others: { path: string; header: Header }[] = [];
  for (const number of numbers) {
    const path = pathOf(directory, number);
    const header = await readHeader(path, disk);
    if (!header) continue;
    if (await isKeyOf(header, own)) return { path, isNew: false };
    if (own.workspace.baseUrl === header.baseUrl) others.push({ path, header });
  }
  const isOwnProfile = ({ header }: { header: Header }) => header.profile === own.workspace.profile;
  for (const other of [...others.filter(isOwnProfile), ...others.filter((one) => !isOwnProfile(one))])
    if (await isOurs(other.path, own, disk)) return { path: other.path, isNew: false };
  return { path: pathOf(directory, (numbers.at(-1) ?? 0) + 1), isNew: true };
}

/** Returns the path of the ledger with exactly this base URL and key; undefined if there is none. Throws as `chooseLedger`. */
export async function findOwnLedger(
  directory: string,
  workspace: Pick<Workspace, 'baseUrl' | 'hasKeyOf'>,
  disk: Disk,
): Promise<string | undefined> {
  for (const name of await disk.readdir(directory)) {
    const header = NAME.test(name) ? await readHeader(join(directory, name), disk) : undefined;
    if (header && (await isKeyOf(header, { workspace }))) return join(directory, name);
  }
  return undefined;
}

function pathOf(directory: string, number: number): string {
  return join(directory, `ledger-${number}.jsonl`);
}

async function isKeyOf(
  { baseUrl, key }: Header,
  { workspace }: { workspace: Pick<Workspace, 'baseUrl' | 'hasKeyOf'> },
): Promise<boolean> {
  return baseUrl === workspace.baseUrl && key !== undefined && (await workspace.hasKeyOf(key));
}

/** Returns whether a code of a ledger with another key exists in the workspace. */
async function isOurs(path: string, own: LedgerWorkspace, disk: Disk): Promise<boolean> {
  const memory = await readMemory(path, disk);
  // It may be that of another workspace, whose first run has just begun.
  if (memory.replay.view().claims.size === 0) return false;
  try {
    await checkMemory(path, memory, own);
    return true;
  } catch (error) {
    if (error instanceof UsageError) return false;
    throw error;
  }
}

/** Maximum size of a first line in bytes: a URL, the name of a profile and a fingerprint. */
const MOST_HEADER_BYTES = 16 * 2 ** 10;

/** Returns the first line of a ledger; undefined if it has none. Throws UsageError and LocalError. */
async function readHeader(path: string, disk: Disk): Promise<Header | undefined> {
  let header: Header | undefined;
  const reader = createLineReader<{ is: string }>(path, LEDGER_ADVICE, (line) => {
    header ??= headerOf(line, path);
  });
  try {
    const beginning = await readBeginning(path, disk);
    reader.add(beginning.subarray(0, beginning.indexOf(LINE_FEED) + 1));
    reader.end();
  } catch (error) {
    throw cannotOpen(`read the ledger ${path}`, error, LEDGER_ADVICE.elsewhere);
  }
  return header;
}

async function readBeginning(path: string, disk: Disk): Promise<Buffer> {
  const file = await ifPresent(disk.open(path, 'r'));
  if (!file) return Buffer.alloc(0);
  try {
    const pieces: Buffer[] = [];
    for await (const piece of readPieces(file, 0, MOST_HEADER_BYTES)) pieces.push(Buffer.from(piece));
    return Buffer.concat(pieces);
  } finally {
    await file.close();
  }
}
