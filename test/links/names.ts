/** A name server of a few lines (RFC 1035), which answers whatever a test wants, differently each time if it likes. */
import { createSocket } from 'node:dgram';
import { onTestFinished } from 'vitest';

/** Addresses of a name at its n-th question (A and AAAA count apart), or how it fails. */
export type Answer = readonly string[] | 'fails' | 'silent' | undefined;

/** Listens on 5.5.5.53 until the running test ends. Names that `answer` does not know do not exist. */
export async function useNames(answer: (name: string, n: number) => Answer): Promise<void> {
  const server = createSocket('udp4');
  const asked = new Map<string, number>();
  server.on('message', (query, from) => {
    const { name, type, end } = parseQuestion(query);
    const count = asked.get(`${name} ${type}`) ?? 0;
    asked.set(`${name} ${type}`, count + 1);
    const found = answer(name, count);
    if (found === 'silent') return;
    const wanted = Array.isArray(found)
      ? found.filter((address: string) => address.includes(':') === (type === 28))
      : [];
    const code = found === undefined ? 3 : found === 'fails' ? 2 : 0;
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(0x8180 | code, 2);
    header.writeUInt16BE(wanted.length, 6);
    header.writeUInt32BE(0, 8);
    server.send(
      Buffer.concat([header, query.subarray(12, end), ...wanted.map((address) => record(address, type))]),
      from.port,
      from.address,
    );
  });
  await new Promise<void>((resolve) => server.bind(53, '5.5.5.53', resolve));
  onTestFinished(() => void server.close());
}

function parseQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** A pointer to the question's name, type, class IN, no time to live, the address. */
function record(address: string, type: number): Buffer {
  const bytes = type === 28 ? ipv6Bytes(address) : Buffer.from(address.split('.').map(Number));
  const head = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, bytes.length]);
  return Buffer.concat([head, bytes]);
}

function ipv6Bytes(address: string): Buffer {
  const [left = '', right = ''] = address.split('::');
  const groups = (text: string) =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
  const [a, b] = [groups(left), groups(right)];
  const all = address.includes('::')
    ? [...a, ...new Array<number>(8 - a.length - b.length).fill(0), ...b]
    : a;
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 255]));
}
