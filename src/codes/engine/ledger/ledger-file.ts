import { UsageError } from '#base/errors';
import { isKnownKind, isLedgerLine, type LedgerLine } from '#codes/engine/plan/ledger-lines';
import { createReplay, type Replay } from '#codes/engine/plan/ledger-view';
import { openLog, readLog } from '#files/durable/append-log';
import { type Disk, ifPresent } from '#files/durable/disk';
import { DamagedLogError, formatLine } from '#files/durable/log-lines';
import { cannotOpen, cannotWrite } from '#files/durable/path-errors';
import { openReplacement } from '#files/durable/replace-file';
import { realPath } from '#files/durable/trusted-file';
import {
  checkWorkspace,
  isRecordedWorkspace,
  type RecordedWorkspace,
  type Workspace,
} from '#service/workspace';

const VERSION = 1;

export type Header = { is: 'ledger'; version: number } & RecordedWorkspace;

export interface LedgerWorkspace {
  workspace: Workspace;
  getCode: (id: string) => Promise<unknown>;
}

const OTHER_LEDGER = 'specify a different ledger with --ledger';

export const LEDGER_ADVICE = {
  elsewhere: OTHER_LEDGER,
  damaged: 'Move the file away, then run the command again. Codes that exist are then found by their values.',
  noun: 'ledger',
};

const FILE_MODE = 0o600;

/** Reads a ledger, if any. Throws UsageError if it is damaged, not a ledger, or from a newer version. */
export async function readMemory(
  path: string,
  disk: Disk,
  onLine: (line: LedgerLine) => void = () => undefined,
): Promise<LedgerMemory> {
  const memory = createMemory(path);
  const take = (line: Header | LedgerLine) => {
    memory.take(line);
    if (line.is !== 'ledger') onLine(line);
  };
  await readLog<Header | LedgerLine>({ path, advice: LEDGER_ADVICE, disk, take });
  return memory;
}

/** Creates a ledger. Throws the system's error. */
export async function createLedgerFile(
  path: string,
  { workspace }: LedgerWorkspace,
  disk: Disk,
): Promise<void> {
  await writeLines(disk, path, [await newHeader(workspace)]);
}

/** Opens a ledger. If needed, creates it, compacts it or renews its header. The caller holds the lock. */
export async function openLedgerFile(path: string, own: LedgerWorkspace, disk: Disk) {
  const place = await realPath(disk, path).catch((error) => {
    throw cannotOpen(`write the ledger ${path}`, error, OTHER_LEDGER);
  });
  const attempt = (work: Promise<void>) =>
    work.catch((error) => {
      throw cannotWrite(`write the ledger ${path}`, error, 'all earlier records are saved');
    });
  if (!(await ifPresent(disk.lstat(place)))) await attempt(createLedgerFile(place, own, disk));
  const memory = createMemory(path);
  const open = (take: (line: { is: string }) => void) =>
    openLog<Header | LedgerLine>({ path: place, advice: LEDGER_ADVICE, disk, take });
  const log = await open(memory.take);
  const state = await checkMemory(path, memory, own).catch(async (error) => {
    await log.close();
    throw error;
  });
  const { replay } = memory;
  if (state === 'same' && !memory.isLong()) return { log, replay };
  await log.close();
  const header = await newHeader(own.workspace);
  const rewriting = writeLines(disk, place, compacted(header, replay));
  // A failed compaction, for example on a full disk, does not stop the run.
  await (state === 'same' ? rewriting.catch(() => undefined) : attempt(rewriting));
  return { log: await open(() => undefined), replay };
}

export async function checkMemory(
  path: string,
  { header: readHeader, replay }: LedgerMemory,
  own: LedgerWorkspace,
): Promise<'same' | 'renew'> {
  const header = readHeader();
  if (header === undefined) return 'renew';
  const { claims, unclear } = replay.view();
  const known = [...claims.values()]
    .filter(({ isDeleted }) => !isDeleted)
    .sort((one, other) => other.order - one.order);
  return checkWorkspace({
    path,
    ...own,
    recorded: header,
    elsewhere: OTHER_LEDGER,
    knownIds: known.map(({ id }) => id),
    mayKnowMore: claims.size + unclear.length > 0,
  });
}

async function newHeader(workspace: Workspace): Promise<Header> {
  return { is: 'ledger', version: VERSION, ...(await workspace.record()) };
}

const LEAST_WEIGHT = 1000;
const MOST_TIMES = 3;
const IDS_PER_LINE = 4;

function weightOf({ ids = [] }: { is: string; ids?: readonly string[] }): number {
  return 1 + ids.length / IDS_PER_LINE;
}

type LedgerMemory = ReturnType<typeof createMemory>;

function createMemory(path: string) {
  const replay = createReplay();
  let header: Header | undefined;
  let lines = 1;
  let weight = 0;
  return {
    replay,
    header: () => header,
    isLong() {
      if (weight < LEAST_WEIGHT) return false;
      let needed = 0;
      for (const line of replay.kept()) needed += weightOf(line);
      return weight > MOST_TIMES * needed;
    },
    take(line: { is: string }) {
      if (header === undefined) {
        header = headerOf(line, path);
        return;
      }
      lines += 1;
      if (!isKnownKind(line.is)) throw newerVersion(path);
      if (!isLedgerLine(line))
        throw new DamagedLogError(path, `is damaged at line ${lines}: unknown record`, LEDGER_ADVICE.damaged);
      weight += weightOf(line);
      replay.take(line);
    },
  };
}

/** Checks and returns a ledger's first line. Throws UsageError if it is invalid or from a newer version. */
export function headerOf(line: { is: string }, path: string): Header {
  const version: unknown = 'version' in line ? line.version : undefined;
  if (line.is !== 'ledger' || typeof version !== 'number' || !isRecordedWorkspace(line))
    throw new DamagedLogError(path, 'is not a qrctl ledger', LEDGER_ADVICE.damaged);
  if (version > VERSION) throw newerVersion(path);
  return line as Header;
}

function newerVersion(path: string): UsageError {
  return new UsageError(`${path} was written by a newer version of qrctl`, {
    hint: `Update qrctl, or ${OTHER_LEDGER}.`,
  });
}

function* compacted(header: Header, replay: Replay): Generator<Header | LedgerLine> {
  yield header;
  yield* replay.kept();
}

const PIECE = 1 << 20;

async function writeLines(disk: Disk, path: string, lines: Iterable<Header | LedgerLine>): Promise<void> {
  const replacement = await openReplacement(disk, path, { mode: FILE_MODE });
  try {
    let piece = '';
    for (const line of lines) {
      piece += formatLine(line);
      if (piece.length < PIECE) continue;
      await replacement.write(Buffer.from(piece));
      piece = '';
    }
    await replacement.write(Buffer.from(piece));
    await replacement.commit();
  } finally {
    await replacement.discard();
  }
}
