/** Locates the state directory (0700), and chooses the ledger of a workspace in it, also after its key was rotated. */
import { rm } from 'node:fs/promises';
import { platform } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { UsageError } from '../../../base/errors.ts';
import { LINE_FEED } from '../../../base/text/ascii.ts';
import { type Disk, ifPresent, readPieces } from '../../../files/durable/disk.ts';
import { createLineReader } from '../../../files/durable/log-lines.ts';
import { nodeDisk } from '../../../files/durable/node-disk.ts';
import { cannotOpen } from '../../../files/durable/path-errors.ts';
import { makeRealDirectories } from '../../../files/durable/trusted-file.ts';
import type { Workspace } from '../../../service/workspace.ts';
import {
  checkMemory,
  type Header,
  headerOf,
  LEDGER_ADVICE,
  type LedgerWorkspace,
  readMemory,
} from './ledger-file.ts';

type Variables = Readonly<Record<string, string | undefined>>;

const DIRECTORY_MODE = 0o700;

/**
 * Returns the path of the state directory: QRCTL_STATE_DIR, or the system's directory for the state of programs. Undefined if there is no
 * home directory. A path that is not absolute is ignored, as the XDG specification requires.
 */
export function stateDirectory(env: Variables, system: string = platform()): string | undefined {
  const { QRCTL_STATE_DIR: own, XDG_STATE_HOME: xdg = '', HOME: home = '', LOCALAPPDATA: local = '' } = env;
  if (own) return resolve(own);
  if (system === 'win32') return isAbsolute(local) ? join(local, 'qrctl') : undefined;
  if (isAbsolute(xdg)) return join(xdg, 'qrctl');
  if (!isAbsolute(home)) return undefined;
  return system === 'darwin'
    ? join(home, 'Library', 'Application Support', 'qrctl')
    : join(home, '.local', 'state', 'qrctl');
}

/** Creates the state directory, and returns its real path. Throws the system's error, and UsageError if it can't be this user's. */
export async function makeStateDirectory(disk: Disk, env: Variables): Promise<string> {
  const path = stateDirectory(env);
  if (path === undefined) throw new UsageError('there is no home directory');
  if (!env.QRCTL_STATE_DIR) await expectOwn(disk, path);
  return makeRealDirectories(disk, path, DIRECTORY_MODE);
}

/** With the HOME of another user (sudo), the ledger would belong to this user, and that user could not write to it. */
async function expectOwn(disk: Disk, path: string): Promise<void> {
  const found = await ifPresent(disk.stat(path));
  const parent = dirname(path);
  if (!found && parent !== path) return expectOwn(disk, parent);
  const user = disk.user();
  if (user !== undefined && found && found.uid !== user)
    throw new UsageError(`${path} belongs to another user`);
}

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
async function findOwnLedger(
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
