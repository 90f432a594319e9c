/**
 * The growing end of an appended file: where rows become durable. Three rules, each for one way to lose or double a row: rows are
 * on the disk before the state that claims them; the state is replaced as a whole; after a failed write or flush this process
 * claims nothing more, since the system may have dropped what it could not write.
 */
import { dirname } from 'node:path';
import { type Disk, type DiskFile, digestOf, ifPresent } from '../durable/disk.ts';
import { openBeside, putInPlace, replaceFile } from '../durable/replace-file.ts';
import { writeFully } from '../durable/write.ts';
import { LocalError } from '../errors.ts';
import type { AppendPaths, CommittedPoint } from './committed-point.ts';
import { ForeignRowError, readRows, type SavedRow } from './read-back.ts';
import { type AppendIdentity, formatState } from './state.ts';

export interface FileTailJob {
  disk: Disk;
  paths: AppendPaths;
  identity: AppendIdentity;
  /** What the formatter writes before the first row. */
  begin: string;
  /** Write to the `.restart` place, without commits, until `replace`. */
  restart: boolean;
  /** Which ids a state lists; see formatState. */
  overlapMs: number;
  committed: CommittedPoint;
}

/** To be called one at a time, and nothing but `close` after a failure: the serial queue sees to that. */
export interface FileTail {
  /** Adds text, or its UTF-8, to the file; a kill before the next commit loses it. */
  write(data: string | Uint8Array): Promise<void>;
  /** Makes everything written so far permanent, together with the overlaps as they are now. Makes the file if there is none. */
  commit(): Promise<void>;
  /** Puts a restarted file and its state in the place of the old ones. */
  replace(): Promise<void>;
  /** Calls `onRow` for each row of the file, written or committed. */
  readBack(onRow: (row: SavedRow) => void): Promise<void>;
  /** Whether there is a state or a file of this run to keep up to date. */
  begun(): boolean;
  /** Closes the file at a committed point, as well as the disk lets it. Never throws. */
  close(): Promise<void>;
}

export function createFileTail({ disk, paths, identity, begin, restart, overlapMs, committed }: FileTailJob): FileTail {
  const place = restart ? paths.restart : paths.file;
  const { hash, overlaps, sinceMs } = committed;
  let file = committed.file;
  let size = committed.bytes;
  let ready = false;
  let broken = false;
  /** The most that a state on the disk may claim: the file is never cut below it. */
  let claimed = committed.bytes;
  /** What is past that is ours alone. */
  let mayCut = true;
  /** What stands at `place` is to stay there, or to be moved by the next run. */
  let needed = !restart;

  /** Anything that fails in here leaves us not knowing what is on the disk; the serial queue lets nothing follow. */
  async function carefully<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      broken = true;
      throw error;
    }
  }

  async function saveState(replacing: boolean): Promise<void> {
    const state = { identity, sinceMs, bytes: size, sha256: digestOf(hash), replacing, overlaps };
    const beforeRename = () => {
      // Even if the rename fails: it may have happened.
      claimed = size;
      needed = true;
    };
    // A2: the old state or the new one, never a part.
    await replaceFile(disk, paths.state, formatState(state, overlapMs), { beforeRename });
  }

  async function prepare(): Promise<DiskFile> {
    if (file && ready) return file;
    // A3: a first run killed after making the file would leave one that nobody knows, so an empty claim comes first.
    if (!restart && size === 0 && !committed.saved) await saveState(false);
    file ??= restart ? await openBeside(disk, paths.file, place) : await disk.open(place, 'wx+');
    // A torn row of a file whose state was lost stayed until it was certain whose file it is.
    if (!committed.saved && (await file.stat()).size > size) await file.truncate(size);
    // A3: its name must be there for good before a state claims that it has rows.
    if (size === 0) await disk.flushDirectory(dirname(place));
    ready = true;
    if (size === 0) await add(file, begin);
    return file;
  }

  async function add(to: DiskFile, data: string | Uint8Array): Promise<void> {
    const bytes = typeof data === 'string' ? Buffer.from(data) : data;
    await writeFully(to, bytes, size);
    hash.update(bytes);
    size += bytes.length;
  }

  /** A15: somebody may move the file away or write to it while we run; the state must not claim what we wrote elsewhere. */
  async function checkPlace(mine: DiskFile): Promise<void> {
    const [here, there] = await Promise.all([mine.stat(), ifPresent(disk.stat(place))]);
    if (there && here.ino === there.ino && here.dev === there.dev && here.size === size) return;
    mayCut = false;
    throw new LocalError(`${place} was moved or changed by somebody else during the run`, {
      hint: 'Nothing more was committed. Leave the file to qrctl while it runs, and run this again.',
    });
  }

  return {
    write: (data) => carefully(async () => add(await prepare(), data)),
    commit: () =>
      carefully(async () => {
        const mine = await prepare();
        // A1: rows before the state that claims them, or a power cut leaves a claim without rows.
        await mine.sync();
        await checkPlace(mine);
        await saveState(false);
      }),
    replace: () =>
      carefully(async () => {
        const mine = await prepare();
        // A8: the new state first, saying that its file may still stand beside. Whichever of the two renames is the last that
        // happened, the next run finds out and goes on (finishReplacing in committed-point.ts).
        await putInPlace(disk, mine, place, paths.file, () => saveState(true));
      }),
    async readBack(onRow) {
      if (!file || size === 0) return;
      const end = await readRows(file, { start: Buffer.byteLength(begin), end: size }, identity, onRow);
      if (end !== size) throw new ForeignRowError('a torn row at the end');
    },
    begun: () => ready || committed.saved,
    async close() {
      // A5: what the last state does not claim is cut off now, or by the next run.
      if (broken && mayCut && needed) await file?.truncate(claimed).catch(() => undefined);
      await file?.close().catch(() => undefined);
      if (!needed) await disk.unlink(place).catch(() => undefined);
    },
  };
}
