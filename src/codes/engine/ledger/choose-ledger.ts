import { rm } from 'node:fs/promises';
import { platform } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { MOST_BYTES } from '#base/bounds';
import { errorOf, UsageError } from '#base/errors';
import { LINE_FEED } from '#base/text/ascii';
import { quote } from '#base/text/quote';
import { closing, type Disk, ifPresent, readPieces } from '#files/durable/disk';
import { createLineReader } from '#files/durable/log-lines';
import { nodeDisk } from '#files/durable/node-disk';
import { cannotOpen } from '#files/durable/path-errors';
import { makeRealDirectories } from '#files/durable/trusted-file';
import type { Workspace } from '#service/workspace';
import {
  checkMemory,
  type Header,
  headerOf,
  LEDGER_ADVICE,
  type LedgerWorkspace,
  readMemory,
} from './ledger-file.ts';

type KeyedWorkspace = Pick<Workspace, 'baseUrl' | 'hasKeyOf'>;

const DIRECTORY_MODE = 0o700;

/** Returns the ledgers' directory, if the environment has one. Only QRCTL_STATE_DIR may be relative. */
export function stateDirectory(env: NodeJS.Dict<string>, system: string = platform()): string | undefined {
  const { QRCTL_STATE_DIR: own, XDG_STATE_HOME: xdg = '', HOME: home = '', LOCALAPPDATA: local = '' } = env;
  if (own) return resolve(own);
  if (system === 'win32') return isAbsolute(local) ? join(local, 'qrctl') : undefined;
  if (isAbsolute(xdg)) return join(xdg, 'qrctl');
  if (!isAbsolute(home)) return undefined;
  return system === 'darwin'
    ? join(home, 'Library', 'Application Support', 'qrctl')
    : join(home, '.local', 'state', 'qrctl');
}

/**
 * Creates the state directory. Throws UsageError if no variable specifies one, or if its default path belongs
 * to another user.
 */
export async function makeStateDirectory(disk: Disk, env: NodeJS.Dict<string>): Promise<string> {
  const path = stateDirectory(env);
  if (path === undefined) throw new UsageError('there is no home directory');
  if (!env.QRCTL_STATE_DIR) await expectOwn(disk, path);
  return makeRealDirectories(disk, path, DIRECTORY_MODE);
}

/** Throws if another user owns the path or, if it is missing, its nearest existing parent (as under sudo). */
async function expectOwn(disk: Disk, path: string): Promise<void> {
  const user = disk.user();
  if (user === undefined) return;
  const found = await ifPresent(disk.stat(path));
  if (!found) return expectOwn(disk, dirname(path));
  if (found.uid !== user) throw new UsageError(`${path} belongs to another user`);
}

const NAME = /^ledger-(\d{1,9})\.jsonl$/;

interface Found {
  path: string;
  header: Header;
}

/** Finds the ledger for a base URL by API key, else by codes that exist, or returns the path of a new one. */
export async function chooseLedger(
  directory: string,
  own: LedgerWorkspace & { note: (sentence: string) => void },
) {
  const others: Found[] = [];
  const moved: Found[] = [];
  let last = 0;
  for await (const { path, number, header } of ledgersIn(directory)) {
    last = number;
    if (!header) continue;
    const isHere = own.workspace.baseUrl === header.baseUrl;
    const isOwnKey = await hasKeyOf(header, own.workspace);
    if (isHere && isOwnKey) return { path, isNew: false };
    if (isHere) others.push({ path, header });
    else if (isOwnKey) moved.push({ path, header });
  }
  const isOwnProfile = ({ header }: Found) => header.profile === own.workspace.profile;
  for (const other of [...others.filter(isOwnProfile), ...others.filter((one) => !isOwnProfile(one))])
    if (await isOurs(other.path, own)) return { path: other.path, isNew: false };
  for (const { path, header } of [...moved, ...others]) {
    if (!(await hasCodes(path))) continue;
    const reason =
      header.baseUrl === own.workspace.baseUrl
        ? `no code that was looked up in ${path} exists in this workspace`
        : `earlier runs with this API key used ${quote(header.baseUrl)} (${path})`;
    own.note(`This run begins a new ledger: ${reason}. Rows are recognized only by their values`);
    break;
  }
  return { path: pathOf(directory, last + 1), isNew: true };
}

async function* ledgersIn(directory: string) {
  const numbers = (await nodeDisk.readdir(directory))
    .flatMap((name) => NAME.exec(name)?.[1] ?? [])
    .map(Number);
  for (const number of numbers.sort((one, other) => one - other)) {
    const path = pathOf(directory, number);
    yield { path, number, header: await readHeader(path) };
  }
}

function pathOf(directory: string, number: number): string {
  return join(directory, `ledger-${number}.jsonl`);
}

async function hasKeyOf({ key }: Header, workspace: KeyedWorkspace): Promise<boolean> {
  return key !== undefined && (await workspace.hasKeyOf(key));
}

async function hasCodes(path: string): Promise<boolean> {
  const memory = await readMemory(path, nodeDisk).catch(() => undefined);
  return [...(memory?.replay.view().claims.values() ?? [])].some(({ isDeleted }) => !isDeleted);
}

async function isOurs(path: string, own: LedgerWorkspace): Promise<boolean> {
  const memory = await readMemory(path, nodeDisk);
  if (memory.replay.view().claims.size === 0) return false;
  return (await errorOf(checkMemory(path, memory, own), UsageError)) === undefined;
}

async function readHeader(path: string): Promise<Header | undefined> {
  let header: Header | undefined;
  const reader = createLineReader<{ is: string }>(path, LEDGER_ADVICE, (line) => {
    header = headerOf(line, path);
  });
  try {
    const beginning = await readBeginning(path);
    reader.add(beginning.subarray(0, beginning.indexOf(LINE_FEED) + 1));
    reader.end();
  } catch (error) {
    throw cannotOpen(`read the ledger ${path}`, error, LEDGER_ADVICE.elsewhere);
  }
  return header;
}

async function readBeginning(path: string): Promise<Buffer> {
  const file = await ifPresent(nodeDisk.open(path, 'r'));
  if (!file) return Buffer.alloc(0);
  return closing(file, async () => {
    const pieces: Buffer[] = [];
    for await (const piece of readPieces(file, 0, MOST_BYTES.ledgerHead)) pieces.push(Buffer.from(piece));
    return Buffer.concat(pieces);
  });
}

/** Deletes the ledger of a workspace's API key, if any. Never rejects. */
export async function forgetLedger(env: NodeJS.Dict<string>, workspace: KeyedWorkspace): Promise<void> {
  const directory = stateDirectory(env);
  if (directory === undefined) return;
  try {
    for await (const { path, header } of ledgersIn(directory))
      if (header?.baseUrl === workspace.baseUrl && (await hasKeyOf(header, workspace))) return await rm(path);
  } catch {
    // A leftover ledger is harmless.
  }
}
