/** Decodes Parquet in a thread with limited time and memory, because a damaged byte can stall a decoder. */
import { on } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { messageOf } from '#base/errors';
import { after, formatInstant } from '#base/time/time';
import type { DiskFile } from '#files/durable/disk';
import { readPackaged } from '#files/durable/packaged-files';
import { systemError } from '#files/durable/path-errors';
import type { Row } from '#files/formats/row-sink';
import type { ColumnValues, DecodedGroup, FromWorker, ToWorker, WorkerJob } from './decode.ts';

export class DamagedParquetError extends Error {}

/** F19: minimum time limit in ms per message from the thread. Larger files get more time. */
const LEAST_MS = 5000;
const BYTES_PER_MS = 100;
const MOST_HEAP_MB = 768;

/** Yields the rows of a file by group. Throws system errors, DamagedParquetError, and the abort reason. */
export async function* readParquetRows(
  file: Pick<DiskFile, 'read'>,
  byteLength: number,
  { columns, signal }: { columns?: string[]; signal?: AbortSignal } = {},
): AsyncGenerator<Row[]> {
  const { Worker } = await import('node:worker_threads');
  const job: WorkerJob = { byteLength, columns };
  const worker = new Worker(readPackaged('dist/parquet-worker.js').toString('latin1'), {
    eval: true,
    workerData: job,
    // Captures the thread's output, because standard output carries data only.
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: MOST_HEAP_MB },
  });
  const failing = new AbortController();
  const fail = (message: string, cause?: unknown) =>
    failing.abort(new DamagedParquetError(message, { cause }));
  worker.on('error', (error) => fail(messageOf(error), error));
  const mostMs = LEAST_MS + byteLength / BYTES_PER_MS;
  const expectMessage = () =>
    after(mostMs, () => fail(`decoding took longer than ${Math.round(mostMs / 1000)} s`));
  const ended = AbortSignal.any([failing.signal, ...(signal ? [signal] : [])]);
  let cancel = expectMessage();
  try {
    const messages: AsyncIterable<FromWorker[]> = on(worker, 'message', { signal: ended, close: ['exit'] });
    for await (const [message] of messages) {
      cancel();
      if (message?.is === 'end') return;
      if (message?.is === 'failed') throw new DamagedParquetError(message.message);
      if (message?.is === 'read') {
        const bytes = await readBytes(file, message.start, Math.min(message.end, byteLength));
        send(worker, { is: 'bytes', number: message.number, bytes }, [bytes]);
      } else if (message) {
        yield rowsOf(message.group);
        send(worker, { is: 'taken' });
      }
      cancel = expectMessage();
    }
    throw new DamagedParquetError('decoding ended early');
  } catch (error) {
    throw ended.aborted ? ended.reason : error;
  } finally {
    cancel();
    await worker.terminate();
  }
}

function send(worker: Worker, message: ToWorker, transferred: ArrayBuffer[] = []): void {
  worker.postMessage(message, transferred);
}

async function readBytes(file: Pick<DiskFile, 'read'>, start: number, end: number): Promise<ArrayBuffer> {
  if (!(start >= 0 && end >= start)) throw new DamagedParquetError('an offset is outside the file');
  const bytes = new Uint8Array(end - start);
  for (let at = 0; at < bytes.length; ) {
    const { bytesRead } = await file.read(bytes, at, bytes.length - at, start + at);
    if (bytesRead === 0) throw systemError('EIO', 'the file ends early');
    at += bytesRead;
  }
  return bytes.buffer;
}

function rowsOf({ rows, columns }: DecodedGroup): Row[] {
  const made: Record<string, unknown>[] = Array.from({ length: rows }, () => ({}));
  for (const { name, column } of columns) {
    // Skips a column `__proto__`, which would change the prototype of the row.
    if (name === '__proto__') continue;
    const valueAt = readerOf(column);
    for (let at = 0; at < rows; at++) (made[at] as Record<string, unknown>)[name] = valueAt(at);
  }
  return made;
}

function readerOf(column: ColumnValues): (at: number) => unknown {
  if (column.is === 'microseconds') return (at) => formatMicroseconds(column.values[at] ?? 0n);
  if (column.is === 'texts') return (at) => column.texts[column.indexes[at] ?? 0];
  return (at) => column.values[at];
}

function formatMicroseconds(us: bigint): string {
  const rest = ((us % 1000n) + 1000n) % 1000n;
  const instant = formatInstant(Number((us - rest) / 1000n));
  return rest === 0n ? instant : instant.replace('Z', `${String(rest).padStart(3, '0')}Z`);
}
