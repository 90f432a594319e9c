/**
 * The journals of bulk runs, whatever they record: the first line tells which command wrote a journal and binds it to its workspace, and a
 * later line binds it again if the key was rotated or the service moved. The keys and words of both lines are a format on disk: journals of
 * older versions contain them.
 */
import { constants, open, stat } from 'node:fs/promises';
import { UsageError } from '../../../base/errors.ts';
import { parseBounded } from '../../../base/text/bounded-json.ts';
import { quote } from '../../../base/text/quote.ts';
import { asSentence } from '../../../base/text/sentence.ts';
import { type LogWriter, openLog, readLog } from '../../../files/durable/append-log.ts';
import type { Disk } from '../../../files/durable/disk.ts';
import { createShapeGuard } from '../../../files/durable/log-lines.ts';
import { isObject } from '../../../service/json.ts';
import { checkWorkspace, isRecordedWorkspace, type RecordedWorkspace, type Workspace } from '../../../service/workspace.ts';

/** First line. `of` is absent in the journal of a create run; version 1 of that knows no key. */
type BeginningLine = { is: 'journal'; version: number; of?: string } & RecordedWorkspace;

/** Later line: from here on, the journal belongs to this workspace. */
type WorkspaceLine = { is: 'workspace' } & RecordedWorkspace;

interface Kind {
  /** In the first line. */
  of: string | undefined;
  /** Versions that are read, oldest first; the last one is written. */
  versions: readonly [number, ...number[]];
  command: 'qr create' | 'qr apply' | 'qr update --due' | 'qr delete';
  /** Names the run in messages. */
  run: string;
  /** What a run without this journal does: the end of a hint. */
  without: string;
  /** Which other file to use: the end of a hint; default: another results file. */
  elsewhere?: string;
}

const KINDS = {
  creation: {
    of: undefined,
    versions: [1, 2],
    command: 'qr create',
    run: 'a create run',
    without: 'To create only missing codes, specify a different file with --results and add --skip-existing.',
  },
  apply: {
    of: 'apply',
    versions: [1],
    command: 'qr apply',
    run: 'an apply run',
    without: 'Without the journal, qrctl finds the codes of the interrupted run by the values of their rows.',
    elsewhere: 'specify a different lock file with --lock',
  },
  plan: {
    of: 'plan',
    versions: [1],
    command: 'qr update --due',
    run: 'dated changes',
    without: 'With a different --results file, all due rows are applied again.',
  },
  deletion: {
    of: 'deletion',
    versions: [1],
    command: 'qr delete',
    run: 'a deletion',
    without: 'With a different --results file, rows whose codes are already deleted fail.',
  },
} as const satisfies Record<string, Kind>;

/** Workspace of a run, so that a journal is never continued for another one. */
export interface JournalWorkspace {
  workspace: Workspace;
  getCode: (id: string) => Promise<unknown>;
  /** Value of `--moved-from`. */
  movedFrom?: string | undefined;
}

/** What a journal records about its workspace. */
interface Known {
  /** Ids of its codes, the likeliest to exist first. */
  knownIds: Iterable<string>;
  /** It may have made or deleted codes whose ids it cannot tell. */
  mayKnowMore: boolean;
}

interface EnvelopeOptions<R> extends JournalWorkspace {
  kind: keyof typeof KINDS;
  path: string;
  disk?: Disk | undefined;
  /** O15: returns whether a line has a shape that a run writes, where those before it stand. */
  hasShape(record: R): boolean;
  /** Takes the lines between those of the envelope, in order. */
  take(record: R): void;
  /** Returns what the lines record, after all of them; throws if they cannot be of this run. */
  known(isNew: boolean): Known | Promise<Known>;
}

/**
 * Opens a journal, or creates it. Requires its lock.
 *
 * @throws UsageError if it is damaged (O15), of another workspace or of another kind, and what `known` throws.
 */
export async function openEnvelope<R extends { is: string }>(options: EnvelopeOptions<R>): Promise<LogWriter<R>> {
  const { kind, workspace } = options;
  const envelope = createEnvelope(options);
  const log = await openLog<R | BeginningLine | WorkspaceLine>(envelope.place);
  try {
    const isNew = await envelope.check();
    if (isNew === undefined) return log;
    const bound = await workspace.record();
    const { of, versions } = KINDS[kind];
    const version = Math.max(...versions);
    await log.append([
      isNew ? { is: 'journal', version, ...(of !== undefined && { of }), ...bound } : { is: 'workspace', ...bound },
    ]);
    return log;
  } catch (error) {
    await log.close().catch(() => undefined);
    throw error;
  }
}

/** Reads a journal without changing it; there may be none. Throws as `openEnvelope`. */
export async function readEnvelope<R extends { is: string }>(options: EnvelopeOptions<R>): Promise<void> {
  const envelope = createEnvelope(options);
  await readLog(envelope.place);
  await envelope.check();
}

function createEnvelope<R extends { is: string }>(options: EnvelopeOptions<R>) {
  const { path, disk, kind, hasShape, take } = options;
  const elsewhere = elsewhereOf(kind);
  const damaged = `Restore the journal from a backup. ${KINDS[kind].without}`;
  const refuseOther = createShapeGuard<R | WorkspaceLine>(
    path,
    (record) => isWorkspaceLine(record) || (record.is !== 'workspace' && hasShape(record as R)),
    damaged,
  );
  let first = true;
  let recorded: RecordedWorkspace | undefined;
  return {
    place: {
      path,
      disk,
      advice: { elsewhere, damaged },
      take(record: R | BeginningLine | WorkspaceLine): void {
        if (first) recorded = requireBeginning(record, path, kind);
        refuseOther(record as R | WorkspaceLine);
        if (isWorkspaceLine(record)) recorded = record;
        else if (!first) take(record as R);
        first = false;
      },
    },
    /** O33: refuses a journal of another workspace. Returns whether a first line is to be written (true), a later one (false), or none. */
    async check(): Promise<boolean | undefined> {
      const known = await options.known(recorded === undefined);
      if (recorded === undefined) return true;
      return (await checkWorkspace({ ...options, ...known, recorded, elsewhere })) === 'same' ? undefined : false;
    },
  };
}

function elsewhereOf(kind: keyof typeof KINDS): string {
  const { elsewhere = 'specify a different file with --results' }: Kind = KINDS[kind];
  return elsewhere;
}

function isWorkspaceLine(line: { is: string }): line is WorkspaceLine {
  return line.is === 'workspace' && isRecordedWorkspace(line);
}

/** Returns the first line of a journal of this kind; throws UsageError for any other. */
function requireBeginning(first: { is: string }, path: string, kind: keyof typeof KINDS): RecordedWorkspace {
  const { of, versions, run, without } = KINDS[kind];
  if (!isBeginning(first) || (first.of === of && !versions.some((version) => version === first.version))) {
    throw new UsageError(`${path} was written by another version of qrctl, or its first line is missing`, {
      hint: `Use the latest version of qrctl. ${without}`,
    });
  }
  if (first.of === of) return first;
  throw new UsageError(`${path} is the journal of ${kindOf(first)?.run ?? quote(String(first.of))}, not of ${run}`, {
    hint: asSentence(elsewhereOf(kind)),
  });
}

function isBeginning(line: { is: string }): line is BeginningLine {
  return line.is === 'journal';
}

function kindOf({ of }: { of?: unknown }): Kind | undefined {
  return Object.values<Kind>(KINDS).find((kind) => kind.of === of);
}

/** Returns the command whose journal a file is; undefined if there is none, or something else. */
export async function readJournalCommand(path: string): Promise<Kind['command'] | undefined> {
  const [line = ''] = (await readBeginning(path)).split('\n', 1);
  try {
    const first: unknown = parseBounded(line);
    return isObject(first) && first.is === 'journal' ? kindOf(first)?.command : undefined;
  } catch {
    return undefined;
  }
}

/** A first line has a URL, the name of a profile and a fingerprint, each of which is bounded. */
const MAX_FIRST_LINE_BYTES = 16 * 2 ** 10;

/** Returns the beginning of a regular file; empty if it cannot be read, which is reported when it is opened. */
async function readBeginning(path: string): Promise<string> {
  try {
    if (!(await stat(path)).isFile()) return '';
    // Does not wait if a FIFO has been put there since.
    const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const bytes = Buffer.alloc(MAX_FIRST_LINE_BYTES);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0).finally(() => file.close());
    return bytes.toString('utf8', 0, bytesRead);
  } catch {
    return '';
  }
}
