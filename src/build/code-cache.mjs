/** Runs what is run most, against a service of nothing, and keeps what V8 compiled for it beside the bundles of dist/. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const require = createRequire(import.meta.url);
// A changed flag would make the caches those of another V8.
require('node:v8').setFlagsFromString = () => undefined;
const { main, writeCaches } = require('../../dist/start.js');

const ID = '00000000-0000-4000-8000-000000000000';
const CODE = { id: ID, slug: 's', name: 'n', type: 'url', destination: null, status: 'active', created_at: '', updated_at: '' };
const SCAN = {
  id: 1,
  ts: '2025-01-01T00:00:00.000Z',
  country: 'DE',
  city: null,
  device: '',
  os: '',
  browser: '',
  referrer: '=,',
};

const server = createServer(({ url = '' }, response) => {
  const [, page] = /[?&]page=(\d+)/.exec(url) ?? [];
  const rows = page === '1' ? [url.includes('/scans') ? SCAN : CODE] : [];
  const answer = page ? { data: rows, pagination: { page: Number(page), limit: 100, total: 1, pages: 1 } } : CODE;
  const rate = { 'X-RateLimit-Limit': 60, 'X-RateLimit-Remaining': 50, 'X-RateLimit-Reset': Math.ceil(Date.now() / 1000) + 60 };
  response.writeHead(200, { 'Content-Type': 'application/json', ...rate }).end(JSON.stringify(answer));
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));

const directory = mkdtempSync(join(tmpdir(), 'qrctl-build-'));
process.env.QRCTL_CONFIG_DIR = directory;
process.env.QRCTL_BASE_URL = `http://127.0.0.1:${server.address().port}/api/v1`;
process.env.QRCTL_API_KEY = 'svc_live_none';
const runs = [
  ['--help'],
  ['qr', 'list', '--help'],
  ['qr', 'list'],
  ['qr', 'list', '--format', 'table'],
  ['qr', 'get', ID],
  ...['csv', 'json', 'ndjson'].map((format) => ['scans', 'export', ID, '--quiet', '-o', join(directory, `scans.${format}`)]),
];
try {
  for (const argv of runs) if ((await main(argv)) !== 0) throw new Error(`qrctl ${argv.join(' ')} failed`);
  writeCaches();
} finally {
  server.closeAllConnections();
  server.close();
  rmSync(directory, { recursive: true });
}
