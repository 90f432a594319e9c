/**
 * Part of `npm run test:stats`: every dimension, columns of codes, UTM tags, averages and changes, in six zones with odd offsets and over both
 * of their clock changes, from NDJSON, CSV and gzip, against DuckDB, which has time zones of its own (judge.py). Needs Python's package duckdb
 * (PYTHON names the interpreter); without it that is said.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const ZONES = [
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'America/St_Johns',
  'Pacific/Chatham',
  'Australia/Adelaide',
  'Europe/Berlin',
];
const python = process.env.PYTHON ?? 'python3';

/** Codes with campaigns and destinations; the last one has neither. */
const CODES = Array.from({ length: 7 }, (_, i) => ({
  qr_id: `00000000-0000-4000-8000-00000000000${i}`,
  qr_slug: `code-${i}`,
  qr_name: `Poster ${i}, "Nord"`,
  campaign: [null, 'Berlin', 'Hamburg', 'Bremen, Süd'][i % 4],
  destination: `https://example.com/${i}?a=1${i % 3 === 0 ? '' : `&utm_source=poster-${i % 3}`}${i < 5 ? '&utm_campaign=fall' : ''}#top`,
}));

/** A year of scans eleven minutes apart, with values of every kind, and fewer at night. */
function makeScans() {
  const scans = [];
  for (let ms = Date.UTC(2024, 0, 1), id = 1; ms < Date.UTC(2025, 0, 1); ms += 660_000 + 1, id++) {
    if (id % 5 === 0 && Math.floor(ms / 3_600_000) % 24 < 9) continue;
    const { qr_id, qr_slug, qr_name } = CODES[(id * id) % CODES.length];
    scans.push({
      qr_id,
      qr_slug,
      qr_name,
      id,
      ts: new Date(ms).toISOString(),
      country: [null, 'DE', 'NP', 'CA'][id % 4],
      city: [null, 'München', 'a,b', 'say "x"', '=1+1'][id % 5],
      device: ['mobile', 'desktop', 'tablet'][id % 3],
      os: ['iOS', 'Android'][id % 2],
      browser: id % 97 === 0 ? 'Rare' : `Browser ${id % 13}`,
      referrer: id % 3 === 0 ? null : `https://example.com/${id % 401}`,
    });
  }
  return scans;
}

if (spawnSync(python, ['-c', 'import duckdb']).status !== 0) {
  console.error(
    '\nNOT TESTED against DuckDB: Python has no package duckdb (pip install duckdb, or PYTHON=/path/to/python)\n',
  );
} else {
  const work = mkdtempSync(join(tmpdir(), 'qrctl-duckdb-'));
  try {
    compareAll(work, makeScans());
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function compareAll(work, scans) {
  const at = (name) => join(work, name);
  const ndjson = scans.map((scan) => `${JSON.stringify(scan)}\n`).join('');
  writeFileSync(at('scans.ndjson'), ndjson);
  writeFileSync(at('scans.ndjson.gz'), gzipSync(ndjson));
  writeFileSync(at('scans.csv'), csvOf(scans));
  // The last code is not in the file.
  writeFileSync(
    at('codes.csv'),
    csvOf(
      CODES.slice(0, -1).map(({ qr_slug: slug, campaign, destination }) => ({ slug, campaign, destination })),
    ),
  );
  for (const zone of ZONES) {
    const judge = [
      fileURLToPath(new URL('judge.py', import.meta.url)),
      at('scans.ndjson'),
      at('codes.csv'),
      zone,
    ];
    const judged = JSON.parse(execFileSync(python, judge, { encoding: 'utf8' }));
    const files = zone === ZONES[0] ? ['scans.ndjson', 'scans.csv', 'scans.ndjson.gz'] : ['scans.ndjson'];
    for (const file of files) {
      const count = (...flags) =>
        statsOf(
          ['--input', at(file), '--join', at('codes.csv'), '--timezone', zone, ...flags],
          Object.keys(judged.all),
        );
      refuseDifferences(`${zone}, ${file}`, judged.all, count(), ['scans']);
      const columns = ['scans', 'share', 'previous', 'change', 'per_day', 'previous_per_day'];
      refuseDifferences(
        `${zone}, ${file}, October`,
        judged.compared,
        count('--during', '2024-10', '--compare', 'previous'),
        columns,
      );
    }
    console.log(`${zone}: equal to DuckDB`);
  }
}

/** As an export writes it: text that begins like a formula has one apostrophe more. */
function csvOf(rows) {
  const cell = (value) =>
    value === null ? '' : /[",]/.test(`${value}`) ? `"${value.replaceAll('"', '""')}"` : `${value}`;
  const columns = Object.keys(rows[0]);
  const lines = rows.map((row) => columns.map((name) => cell(row[name]).replace(/^=/, "'=")));
  return [columns, ...lines].map((line) => `${line.join()}\n`).join('');
}

function statsOf(flags, groups) {
  const args = [
    ...flags,
    '--top',
    '1000',
    '-f',
    'json',
    '--quiet',
    ...groups.flatMap((name) => ['--by', name]),
  ];
  const stdout = execFileSync(process.execPath, ['bin/qrctl.js', 'scans', 'stats', ...args], {
    encoding: 'utf8',
    env: { ...process.env, TZ: 'UTC' },
    maxBuffer: 1 << 28,
  });
  return JSON.parse(stdout);
}

/** Rows of DuckDB are a value and these columns. Fractions are rounded to a millionth. */
function refuseDifferences(what, judged, counted, columns) {
  for (const [by, rows] of Object.entries(judged)) {
    const ours = counted.filter((row) => row.by === by && (columns.length > 1 || row.scans > 0));
    const places = new Map(ours.map((row) => [row.value, row]));
    const wrongName =
      by === 'code' &&
      ours.find(({ value, name }) => name !== CODES.find(({ qr_slug }) => qr_slug === value)?.qr_name);
    if (wrongName) throw new Error(`${what}: ${wrongName.value} is named ${wrongName.name}`);
    if (rows.length !== ours.length)
      throw new Error(`${what}, by ${by}: ${rows.length} rows of DuckDB, ${ours.length} of qrctl`);
    for (const [value, ...numbers] of rows) {
      const found = columns.map((column) => places.get(value)?.[column]);
      const isEqual = numbers.every((number, i) =>
        number === null ? found[i] === null : Math.abs(number - found[i]) < 1.1e-6,
      );
      if (!isEqual)
        throw new Error(
          `${what}, by ${by}, ${value}:\n  DuckDB ${JSON.stringify(numbers)}\n  qrctl  ${JSON.stringify(found)}`,
        );
    }
  }
}
