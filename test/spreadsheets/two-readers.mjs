/**
 * Part of `npm run test:spreadsheets`: scans as a workbook, read by LibreOffice and by openpyxl, and each cell compared with the CSV of the same
 * range. 20,000 scans, or as many as are asked for: `npm run test:spreadsheets -- 1000000`. PYTHON names an interpreter that has openpyxl.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const BIN = fileURLToPath(new URL('../../bin/qrctl.js', import.meta.url));
const scans = Number(process.argv[2] ?? 20_000);
const python = process.env.PYTHON ?? '/usr/bin/python3';
const directory = mkdtempSync(join(tmpdir(), 'qrctl-readers-'));
const FIELDS = 'id,ts,ts_local,country,city,device,os,browser,referrer';

/**
 * Reads row by row, as both files are too long for more. openpyxl gives milliseconds of times, and leaves what XML cannot hold to its function
 * `unescape`; LibreOffice gives what a person sees, and one kind of line break. In the last half second of a day it shows midnight.
 */
const JUDGE = `
import csv, itertools, openpyxl, sys
from openpyxl.utils.escape import unescape
truth = lambda: csv.reader(open('scans.csv', newline='', encoding='utf-8'))
def of_openpyxl():
    sheet = openpyxl.load_workbook('scans.xlsx', read_only=True).worksheets[0]
    for number, row in enumerate(sheet.iter_rows(values_only=True)):
        if number > 0:
            row = list(row)
            row[1] = row[1].isoformat(timespec='milliseconds') + 'Z'
            row[2] = row[2].strftime('%Y-%m-%d %H:%M:%S')
        row = ['' if value is None else unescape(str(value)) for value in row]
        yield row + [''] * (9 - len(row))
def of_libreoffice():
    return csv.reader(open('read/scans.csv', newline='', encoding='utf-8'))
def as_seen(row):
    row = [value.replace('\\r\\n', '\\n') for value in row]
    return row if row[0] == 'id' else [row[0], row[2], *row[2:]]
def is_midnight(number, found, want):
    return number > 0 and str(found).endswith(' 00:00:00') and str(want).endswith(' 23:59:59')
wrong = 0
for name, rows, wanted in (('openpyxl', of_openpyxl(), truth()), ('LibreOffice', of_libreoffice(), map(as_seen, truth()))):
    cells = different = 0
    for number, (found, want) in enumerate(itertools.zip_longest(rows, wanted)):
        pairs = list(itertools.zip_longest(found or [], want or []))
        cells += len(pairs)
        faults = [pair for pair in pairs if pair[0] != pair[1] and not is_midnight(number, *pair)]
        if faults and different < 5:
            print(f'{name}, row {number + 1}: {faults}')
        different += len(faults)
    print(f'{name}: {cells:,} cells, {different:,} different')
    wrong += different
sys.exit(1 if wrong else 0)
`;

const isMissing = [
  ['soffice', ['--version']],
  [python, ['-c', 'import openpyxl']],
].find(([program, args]) => spawnSync(program, args).status !== 0);
if (isMissing) {
  console.error(`\nNOT TESTED with other readers: ${isMissing.flat().join(' ')} does not work here\n`);
} else {
  const sandbox = spawn(
    process.execPath,
    [BIN, 'sandbox', '--port', '0', '--codes', '1', '--scans', `${scans}`, '--window', '1s'],
    {
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  try {
    const said = await new Promise((resolve, reject) => {
      sandbox.stdout.once('data', resolve);
      sandbox.once('close', () => reject(new Error('the sandbox ended')));
    });
    compare({
      ...process.env,
      ...Object.fromEntries(
        `${said}`
          .trim()
          .split('\n')
          .map((line) => line.split('=')),
      ),
    });
  } finally {
    sandbox.kill();
    rmSync(directory, { recursive: true, force: true });
  }
}

function compare(env) {
  const until = new Date().toISOString().slice(0, 10);
  const options = {
    cwd: directory,
    env: { ...env, QRCTL_CONFIG_DIR: join(directory, 'config') },
    stdio: 'inherit',
  };
  const peaks = [['scans.csv', '--raw-cells'], ['scans.xlsx']].map(([file, ...flags]) => {
    const range = ['--all', '--until', until, '--timezone', 'UTC'];
    // The kernel's own figure, asked for by the command's own process as it ends.
    const watch = `--import=data:text/javascript,process.on('exit',()=>process.stderr.write(\`peak \${process.resourceUsage().maxRSS} KB\\n\`))`;
    execFileSync(
      process.execPath,
      [watch, BIN, 'scans', 'export', ...range, '--fields', FIELDS, ...flags, '-o', file],
      options,
    );
    return statSync(join(directory, file)).size;
  });
  console.log(
    `${scans.toLocaleString('en')} scans: ${peaks.map((size) => `${Math.round(size / 2 ** 20)} MiB`).join(' as CSV, ')} as workbook`,
  );
  const profile = `-env:UserInstallation=file://${join(directory, 'office')}`;
  const filter = 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false';
  execFileSync(
    'soffice',
    ['--headless', '--norestore', profile, '--convert-to', filter, '--outdir', 'read', 'scans.xlsx'],
    {
      ...options,
      stdio: 'ignore',
    },
  );
  process.exitCode = spawnSync(python, ['-c', JUDGE], options).status ?? 1;
}
