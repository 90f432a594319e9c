/**
 * Part of `npm run test:stats`: every dimension, in six zones with odd offsets and over both of their clock changes, from NDJSON, CSV and gzip,
 * against DuckDB, which has time zones of its own. Needs Python's package duckdb (PYTHON names the interpreter); without it that is said.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const ZONES = [
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'America/St_Johns',
  'Pacific/Chatham',
  'Australia/Adelaide',
  'Europe/Berlin',
];
const UNITS = { day: '%Y-%m-%d', week: '%G-W%V', month: '%Y-%m', hour: '%H', weekday: '%A' };
const VALUES = ['country', 'city', 'device', 'os', 'browser', 'referrer'];
const python = process.env.PYTHON ?? 'python3';

/** A year of scans eleven minutes apart, with values of every kind. */
function makeScans() {
  const scans = [];
  for (let ms = Date.UTC(2026, 0, 1), id = 1; ms < Date.UTC(2027, 0, 1); ms += 660_000 + 1, id++) {
    scans.push({
      id,
      ts: new Date(ms).toISOString(),
      country: [null, 'DE', 'NP', 'CA'][id % 4],
      city: [null, 'München', 'a,b', 'say "x"', '=1+1'][id % 5],
      device: ['mobile', 'desktop', 'tablet'][id % 3],
      os: ['iOS', 'Android'][id % 2],
      browser: `Browser ${id % 13}`,
      referrer: id % 3 === 0 ? null : `https://example.com/${id % 401}`,
    });
  }
  return scans;
}

const JUDGE = `
import duckdb, json, sys
duckdb.sql('set enable_progress_bar = false')
path, zone = sys.argv[1:3]
units, values = json.loads(sys.argv[3]), json.loads(sys.argv[4])
types = {'id': 'BIGINT', 'ts': 'TIMESTAMPTZ', **{name: 'VARCHAR' for name in values}}
rows = duckdb.read_json(path, columns=types, format='newline_delimited')
duckdb.sql('create table scans as select * from rows')
found = {}
for name, form in units.items():
    sql = f"select strftime(timezone('{zone}', ts), '{form}'), count(*) from scans group by 1"
    found[name] = duckdb.sql(sql).fetchall()
for name in values:
    found[name] = duckdb.sql(f'select {name}, count(*) from scans group by 1').fetchall()
print(json.dumps(found))
`;

if (spawnSync(python, ['-c', 'import duckdb']).status !== 0) {
  console.error('\nNOT TESTED against DuckDB: Python has no package duckdb (pip install duckdb, or PYTHON=/path/to/python)\n');
} else {
  const work = mkdtempSync(join(tmpdir(), 'qrctl-duckdb-'));
  try {
    compare(work, makeScans());
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function compare(work, scans) {
  const at = (name) => join(work, name);
  const ndjson = scans.map((scan) => `${JSON.stringify(scan)}\n`).join('');
  const cell = (value) => (value === null ? '' : /[",]/.test(`${value}`) ? `"${value.replaceAll('"', '""')}"` : `${value}`);
  const columns = Object.keys(scans[0]);
  // As an export defuses it: what begins like a formula has one apostrophe more.
  const cells = (scan) => columns.map((name) => cell(scan[name]).replace(/^=/, "'="));
  writeFileSync(at('scans.ndjson'), ndjson);
  writeFileSync(at('scans.ndjson.gz'), gzipSync(ndjson));
  writeFileSync(at('scans.csv'), [columns, ...scans.map(cells)].map((line) => `${line.join()}\n`).join(''));
  for (const zone of ZONES) {
    const args = ['-c', JUDGE, at('scans.ndjson'), zone, JSON.stringify(UNITS), JSON.stringify(VALUES)];
    const judged = JSON.parse(execFileSync(python, args, { encoding: 'utf8' }));
    const files = zone === ZONES[0] ? ['scans.ndjson', 'scans.csv', 'scans.ndjson.gz'] : ['scans.ndjson'];
    for (const file of files) {
      const dimensions = [...Object.keys(UNITS), ...VALUES].flatMap((name) => ['--by', name]);
      const asked = ['--input', at(file), '--timezone', zone, '--top', '1000', '-f', 'json', '--quiet'];
      const counted = execFileSync(process.execPath, ['bin/qrctl.js', 'scans', 'stats', ...asked, ...dimensions], {
        encoding: 'utf8',
        env: { ...process.env, TZ: 'UTC' },
      });
      refuseDifferences(zone, file, judged, JSON.parse(counted));
    }
    console.log(`${zone}: equal to DuckDB`);
  }
}

function refuseDifferences(zone, file, judged, counted) {
  for (const [dimension, rows] of Object.entries(judged)) {
    const ours = counted.filter(({ by, scans }) => by === dimension && scans > 0);
    const text = (pairs) => JSON.stringify(pairs.map(([value, scans]) => `${value} ${scans}`).sort());
    const [left, right] = [text(rows), text(ours.map(({ value, scans }) => [value, scans]))];
    if (left !== right) throw new Error(`${zone}, ${file}, by ${dimension}:\n  DuckDB ${left}\n  qrctl  ${right}`);
  }
}
