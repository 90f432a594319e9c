/** Taking back what was written to a file since a checkpoint: the rows of one code among many. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createFormatter } from '../../src/rows/create-formatter.ts';
import { createDocumentSink } from '../../src/rows/document-sink.ts';
import { openWholeFile } from '../../src/rows/whole-file.ts';

const processes = { pid: 4_000_000, isRunning: () => true };
const columns = [{ name: 'id' }];

async function open(format: 'csv' | 'json' | 'ndjson', gzip: boolean) {
  const directory = await mkdtemp(join(tmpdir(), 'qrctl-marks-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const path = join(directory, 'out');
  const options = { columns, shape: 'list' as const, keepExtra: false, header: true, rawCells: false, excel: false };
  const sink = createDocumentSink(await openWholeFile(path, { processes, gzip }), createFormatter(format, options));
  const read = async () => (gzip ? gunzipSync(await readFile(path)).toString() : await readFile(path, 'utf8'));
  return { sink, read, directory };
}

const EXPECTED = { csv: 'id\n1\n4\n', json: '[\n{"id":1},\n{"id":4}\n]\n', ndjson: '{"id":1}\n{"id":4}\n' };

describe.each([false, true])('compressed: %s', (gzip) => {
  test.each(['csv', 'json', 'ndjson'] as const)('%s without the rows that were taken back', async (format) => {
    const { sink, read, directory } = await open(format, gzip);
    const none = await sink.checkpoint();
    await sink.write([{ id: 9 }]);
    await none();
    await sink.write([{ id: 1 }]);
    const one = await sink.checkpoint();
    await sink.write([{ id: 2 }, { id: 3 }]);
    expect(await one()).toBe(true);
    await sink.write([{ id: 4 }]);
    await sink.checkpoint();
    await sink.commit();
    expect(await read()).toBe(EXPECTED[format]);
    expect(await readdir(directory)).toEqual(['out']);
  });
});
