/** A script as one finds it in many a repository: fetch, and csv-stringify as a stream. */
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { stringify } from 'csv-stringify';

const { QRCTL_BASE_URL, QRCTL_API_KEY, CODE } = process.env;
const WIDTH = 4;

async function read(page) {
  const response = await fetch(`${QRCTL_BASE_URL}/qr/${CODE}/scans?limit=500&page=${page}`, {
    headers: { authorization: `Bearer ${QRCTL_API_KEY}` },
  });
  return response.json();
}

async function* rows() {
  const first = await read(1);
  yield* first.data;
  const ahead = [];
  for (let next = 2; next <= first.pagination.pages || ahead.length > 0; ) {
    while (ahead.length < WIDTH && next <= first.pagination.pages) ahead.push(read(next++));
    yield* (await ahead.shift()).data;
  }
}

await pipeline(rows, stringify({ header: true }), createWriteStream(process.argv[2]));
