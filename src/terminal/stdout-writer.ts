import { fstatSync, fsync, write } from 'node:fs';
import type { Writable } from 'node:stream';
import { promisify } from 'node:util';
import { ClosedPipeError, type Failure, LocalError, orUndefined, systemCode } from '#base/errors';
import { adviceFor, describeSystemError } from '#files/durable/path-errors';
import { writeFully } from '#files/durable/write';

export type OutputStream = Writable & { fd?: number; isTTY?: boolean; columns?: number };

/**
 * Creates a writer to standard output. It rejects with ClosedPipeError or LocalError. Writes files and
 * devices by descriptor, because Node's stream ignores partial writes.
 */
export function createStdoutWriter(
  stream: OutputStream,
  onClosedPipe: () => void,
): (data: string | Uint8Array) => Promise<void> {
  let failure: Failure | undefined;
  const fail = (error: unknown): Failure => {
    if (failure) return failure;
    failure = toFailure(error);
    if (failure instanceof ClosedPipeError) onClosedPipe();
    return failure;
  };
  stream.on('error', fail);
  const fd = fileDescriptor(stream);
  const accept =
    fd === undefined
      ? promisify((data: Uint8Array, done: (error?: Error | null) => void) => stream.write(data, done))
      : (data: Uint8Array) => writeFully({ write: (...part) => promisify(write)(fd, ...part) }, data, null);

  let last: Promise<void> = Promise.resolve();
  return (data) => {
    const bytes = typeof data === 'string' ? Buffer.from(data) : data;
    last = last.then(async () => {
      if (failure) throw failure;
      await accept(bytes).catch((error) => Promise.reject(fail(error)));
    });
    const done = last;
    last = done.catch(() => undefined);
    return done;
  };
}

export async function flushFile(stream: OutputStream, sync: typeof fsync = fsync): Promise<void> {
  const fd = fileDescriptor(stream);
  if (fd === undefined || !fstatSync(fd).isFile()) return;
  await promisify(sync)(fd).catch((error) => Promise.reject(toFailure(error)));
}

function fileDescriptor(stream: OutputStream): number | undefined {
  const { fd } = stream;
  if (fd === undefined || stream.isTTY) return undefined;
  const stats = orUndefined(() => fstatSync(fd));
  return stats?.isFile() || stats?.isCharacterDevice() ? fd : undefined;
}

const CLOSED = new Set(['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END', 'EOF']);

function toFailure(error: unknown): Failure {
  if (CLOSED.has(systemCode(error) ?? ''))
    return new ClosedPipeError('the reader closed standard output', { cause: error });
  return new LocalError(`cannot write to standard output: ${describeSystemError(error)}`, {
    cause: error,
    hint: `The printed data is incomplete. ${adviceFor(error)}`,
  });
}

export function isPiped(): boolean {
  const stdout = orUndefined(() => fstatSync(1));
  return stdout !== undefined && (stdout.isFIFO() || stdout.isSocket());
}
