/** What commands say about words that are missing or do not fit, without a request. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { useDirectory } from '../support/cli.ts';
import { runHere } from '../support/run-here.ts';

it.each([
  ['config get timezone', 0, ['timezone is not set. Set it with `qrctl config set timezone VALUE`']],
  [
    'qr create --template -o new.csv',
    0,
    ['Wrote the template new.csv. Fill in one row per code, and pass it with --from'],
  ],
  ['qr create --template -o scans.csv', 2, ['the template scans.csv', 'the file exists']],
  [
    'scans verify --all',
    2,
    [
      'missing --input or --output-dir',
      'Specify the exported file with --input scans.csv, or the directory with --output-dir DIR.',
    ],
  ],
  [
    'scans report --all -o report.html --paper a4',
    2,
    ['--paper requires an --output that ends in .pdf', 'Omit --paper, or use a name such as report.pdf.'],
  ],
  [
    'scans report --all -o report.txt',
    2,
    ['--output must end in .html or .pdf: report.txt', 'or use `qrctl scans stats` for data.'],
  ],
  [
    'scans stats --input scans.csv.gz',
    2,
    ['scans.csv.gz is not a complete gzip file', 'The file may be truncated. Copy or export it again.'],
  ],
])('`qrctl %s` exits with %i and prints the expected note, or error and hint', async (line, code, words) => {
  const cwd = await useDirectory();
  const scan = '00000000-0000-4000-8000-000000000001,1,2026-10-02T10:00:00.000Z,DE';
  await writeFile(join(cwd, 'scans.csv'), `code_id,id,ts,country\n${scan}\n`);
  await writeFile(join(cwd, 'scans.csv.gz'), Buffer.from('1f8b0800000000000003', 'hex'));
  const result = await runHere(line.split(' '), { cwd });
  for (const each of words) expect(result.stderr.replace(/\s+/g, ' ')).toContain(each);
  expect(result.code).toBe(code);
});
