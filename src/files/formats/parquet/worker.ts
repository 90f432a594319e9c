import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '#base/errors';
import { decodeGroups, type FromWorker, type ToWorker, type WorkerJob } from './decode.ts';

const port = parentPort;
const { byteLength, columns } = workerData as WorkerJob;
const waiting = new Map<number, (bytes: ArrayBuffer) => void>();
let requests = 0;
let ahead = 0;
let onTaken = () => {};

port?.on('message', (message: ToWorker) => {
  if (message.is === 'taken') {
    ahead -= 1;
    return onTaken();
  }
  waiting.get(message.number)?.(message.bytes);
  waiting.delete(message.number);
});

function send(message: FromWorker, transferred: ArrayBuffer[] = []): void {
  port?.postMessage(message, transferred);
}

function slice(start: number, end = byteLength): Promise<ArrayBuffer> {
  const number = requests++;
  const bytes = new Promise<ArrayBuffer>((resolve) => waiting.set(number, resolve));
  send({ is: 'read', number, start, end });
  return bytes;
}

async function run(): Promise<void> {
  for await (const group of decodeGroups({ byteLength, slice }, columns)) {
    const buffers = group.columns.flatMap(({ column }) => {
      if (column.is === 'values') return [];
      return [(column.is === 'texts' ? column.indexes : column.values).buffer as ArrayBuffer];
    });
    send({ is: 'group', group }, buffers);
    ahead += 1;
    while (ahead > 1) {
      await new Promise<void>((resolve) => {
        onTaken = resolve;
      });
    }
  }
}

run().then(
  () => send({ is: 'end' }),
  (error: unknown) => send({ is: 'failed', message: messageOf(error) }),
);
