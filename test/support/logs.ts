/** Logs whose records are kept in memory. */
import { type LogAdvice, type LogWriter, openLog, readLog } from '#files/durable/append-log';
import type { Disk } from '#files/durable/disk';

interface Line {
  is: string;
}

/** Opens a log, or creates it; `found` are its records. */
export async function openAppendLog<R extends Line>(
  path: string,
  advice: LogAdvice,
  disk?: Disk,
): Promise<LogWriter<R> & { found: readonly R[] }> {
  const found: R[] = [];
  return { found, ...(await openLog<R>({ path, advice, disk, take: (record) => found.push(record) })) };
}

/** Returns the records of a log; none if it does not exist. */
export async function readAppendLog<R extends Line>(
  path: string,
  advice: LogAdvice,
  disk?: Disk,
): Promise<readonly R[]> {
  const found: R[] = [];
  await readLog<R>({ path, advice, disk, take: (record) => found.push(record) });
  return found;
}
