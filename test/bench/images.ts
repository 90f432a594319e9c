/** 10,000 codes as PNG of 30 mm at 300 dpi: ours are read back and listed, the others' are only written. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startSandboxProcess } from '../support/sandbox-process.ts';
import { type Contestant, compare } from './compare.ts';
import { environment, qrctl } from './qrctl.ts';
import type { Report } from './report.ts';

const COUNT = 10_000;
const PACKAGE = 'qrcode@1.5.4';
const LOOP = fileURLToPath(new URL('../../test/bench/peers/qrcode.mjs', import.meta.url));

export async function images(directory: string): Promise<Report[]> {
  const out = join(directory, 'images');
  const list = join(directory, 'images.txt');
  const lines = Array.from(
    { length: COUNT },
    (_, at) => `${join(out, `${at}.png`)} https://qr.example/${(at + 1e6).toString(36)}`,
  );
  await mkdir(out);
  await writeFile(list, `${lines.join('\n')}\n`);
  const sandbox = await startSandboxProcess({ codes: COUNT, scans: 0, limit: 1e9 });
  const check = async () => {
    const files = (await readdir(out)).filter((name) => name.endsWith('.png'));
    if (files.length !== COUNT) throw new Error(`${files.length} images, not ${COUNT}`);
    await rm(out, { recursive: true });
    await mkdir(out);
  };
  const all = qrctl(
    'qr',
    'image',
    '--all',
    '--output-dir',
    out,
    '--short-url',
    'https://qr.example',
    '--quiet',
  );
  const contestants: Contestant[] = [{ name: 'qrctl qr image --all, each read back', command: all, check }];
  const notes = [
    `${COUNT.toLocaleString('en')} codes of 30 mm at 300 dpi, level M; those beside ours are not read back`,
  ];
  try {
    if (hasPackage(directory)) {
      contestants.push({
        name: `${PACKAGE} in a loop`,
        command: [process.execPath, LOOP, directory, list],
        check,
      });
    } else notes.push(`${PACKAGE} is left out: npm could not install it`);
    if (spawnSync('qrencode', ['--version']).status === 0) {
      const each = [
        'xargs',
        '-a',
        list,
        '-n',
        '2',
        'qrencode',
        '-l',
        'M',
        '-m',
        '4',
        '-s',
        '11',
        '-d',
        '300',
        '-o',
      ];
      contestants.push({ name: 'qrencode by xargs', command: each, check });
    } else notes.push('qrencode is left out: it is not installed');
    return [
      {
        title: 'Pictures',
        results: await compare(contestants, environment(sandbox, directory), { rounds: 1, warmUp: false }),
        notes,
      },
    ];
  } finally {
    await sandbox.close();
  }
}

/** Installs it for this run alone. */
function hasPackage(directory: string): boolean {
  try {
    execFileSync('npm', ['install', '--prefix', directory, '--no-audit', '--no-fund', '--silent', PACKAGE], {
      stdio: 'ignore',
    });
    return true;
  } catch {
    return false;
  }
}
