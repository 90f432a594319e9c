/** E20: opens a workspace's ledger. Runs with the same API key take turns. */
import { join } from 'node:path';
import { systemCode } from '#base/errors';
import type { Clock } from '#base/time/time';
import type { LedgerLine } from '#codes/engine/plan/ledger-lines';
import { createReplay, type Replay } from '#codes/engine/plan/ledger-view';
import type { Ledger, LedgerView } from '#codes/engine/plan/model';
import { createVolatileLog, type LogWriter } from '#files/durable/append-log';
import { ifPresent } from '#files/durable/disk';
import { acquireLock, acquireSharedLock } from '#files/durable/lock';
import { DamagedLogError } from '#files/durable/log-lines';
import { nodeDisk } from '#files/durable/node-disk';
import { describeSystemError } from '#files/durable/path-errors';
import { chooseLedger, makeStateDirectory, stateDirectory } from './choose-ledger.ts';
import {
  checkMemory,
  createLedgerFile,
  type LedgerWorkspace,
  openLedgerFile,
  readMemory,
} from './ledger-file.ts';

interface LedgerPlace extends LedgerWorkspace {
  path?: string;
  env: NodeJS.Dict<string>;
  warn: (sentence: string) => void;
  note: (sentence: string) => void;
}

export interface OpenLedgerOptions extends LedgerPlace {
  clock: Clock;
  signal: AbortSignal;
  /** Called before a wait for a run with the same key, or for one that uses the ledger at `path`. */
  onWait: (path?: string) => void;
}

interface OpenLedger extends Ledger {
  path?: string;
  close(): Promise<void>;
}

/**
 * Locks and opens the ledger at `path`, or that of the workspace. Throws UsageError if the file at `path` is
 * damaged or belongs to another workspace.
 */
export async function openLedger(options: OpenLedgerOptions): Promise<OpenLedger> {
  const waiting = patiently(options, () => options.onWait());
  const turn = await acquireSharedLock(options.workspace.secret(), waiting);
  try {
    const ledger = await openOwn(askingOnce(options));
    return { ...ledger, close: () => ledger.close().finally(() => turn.release()) };
  } catch (error) {
    await turn.release();
    throw error;
  }
}

/** Caches results of `getCode`, because a ledger is checked when chosen and again when opened. */
function askingOnce<P extends LedgerPlace>(place: P): P {
  const found = new Map<string, Promise<unknown>>();
  const getCode = (id: string) => {
    const code = found.get(id) ?? place.getCode(id);
    found.set(id, code);
    return code;
  };
  return { ...place, getCode };
}

async function openOwn(options: OpenLedgerOptions): Promise<OpenLedger> {
  if (options.path !== undefined) return openLocked(options.path, options);
  try {
    const path = await placeInStateDirectory(options);
    return path === undefined ? volatileLedger() : await openLocked(path, options);
  } catch (error) {
    if (!(error instanceof DamagedLogError)) throw error;
    await setAside(error, options);
    return openOwn(options);
  }
}

/** Reads the workspace's ledger without locking or changing it. */
export async function readLedger(
  given: LedgerPlace,
  onLine?: (line: LedgerLine) => void,
): Promise<LedgerView> {
  const place = askingOnce(given);
  try {
    const path = place.path ?? (await findInStateDirectory(place));
    if (path === undefined) return createReplay().view();
    const memory = await readMemory(path, nodeDisk, onLine);
    await checkMemory(path, memory, place);
    return memory.replay.view();
  } catch (error) {
    if (!(error instanceof DamagedLogError) || place.path !== undefined) throw error;
    place.warn(`${error.message}, so earlier runs are unknown`);
    return createReplay().view();
  }
}

async function setAside({ path, message }: DamagedLogError, { warn }: OpenLedgerOptions): Promise<void> {
  let kept = `${path}.damaged`;
  for (let number = 1; await ifPresent(nodeDisk.lstat(kept)); number++) kept = `${path}.damaged.${number}`;
  await nodeDisk.rename(path, kept);
  warn(`${message}, so it was renamed to ${kept}, and earlier runs are unknown`);
}

async function placeInStateDirectory(options: OpenLedgerOptions): Promise<string | undefined> {
  const { env, warn } = options;
  const giveUp = (error: unknown): undefined => {
    warn(`this run can't remember its requests: ${describeSystemError(error)}. ${OTHER_DIRECTORY}`);
  };
  let directory: string;
  try {
    directory = await makeStateDirectory(nodeDisk, env);
    await nodeDisk.readdir(directory);
  } catch (error) {
    return giveUp(error);
  }
  // The lock prevents two runs from choosing the same new file.
  const choosing = await acquireLock(join(directory, 'ledgers'), patiently(options));
  try {
    const { path, isNew } = await chooseLedger(directory, options);
    if (!isNew) return path;
    return await createLedgerFile(path, options, nodeDisk).then(() => path, giveUp);
  } finally {
    await choosing.release();
  }
}

async function findInStateDirectory(place: LedgerPlace): Promise<string | undefined> {
  const directory = stateDirectory(place.env);
  if (directory === undefined) return undefined;
  try {
    await nodeDisk.readdir(directory);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT')
      place.warn(
        `earlier runs are unknown: cannot read ${directory}: ${describeSystemError(error)}. ${OTHER_DIRECTORY}`,
      );
    return undefined;
  }
  return (await chooseLedger(directory, place)).path;
}

export const OTHER_DIRECTORY = 'Set QRCTL_STATE_DIR to a directory that you own, on a disk with free space.';

function patiently({ clock, signal }: OpenLedgerOptions, onWait: () => void = () => undefined) {
  return { clock, signal, onWait, waitMs: Number.POSITIVE_INFINITY };
}

async function openLocked(path: string, options: OpenLedgerOptions): Promise<OpenLedger> {
  const held = await acquireLock(
    path,
    patiently(options, () => options.onWait(path)),
  );
  try {
    const { log, replay } = await openLedgerFile(path, options, nodeDisk);
    return { path, ...ledgerOf(log, replay), close: () => log.close().finally(() => held.release()) };
  } catch (error) {
    await held.release();
    throw error;
  }
}

export function volatileLedger(): OpenLedger {
  return { path: undefined, ...ledgerOf(createVolatileLog(), createReplay()), close: async () => undefined };
}

function ledgerOf(log: LogWriter<LedgerLine>, replay: Replay): Ledger {
  return {
    view: replay.view,
    append(records) {
      for (const record of records) replay.take(record);
      return log.append(records);
    },
    note(records) {
      for (const record of records) replay.take(record);
      log.note(records);
    },
  };
}
