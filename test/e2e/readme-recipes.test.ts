/** What README says to type, typed: each block with `bash -e`, in the sandbox that README starts. */

import { spawn, spawnSync } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import type { SandboxOptions } from '../../src/sandbox/options.ts';
import { AMBIENT, BIN, useDirectory } from '../support/cli.ts';
import { useSandbox } from '../support/sandbox.ts';

const asWritten = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
/** HOST is a placeholder: a short URL with it is refused, so that nobody prints it. */
const readme = asWritten.replaceAll('//HOST/{slug}', '//go.example/{slug}');
const DAY_MS = 86_400_000;

/** A directory with `qrctl` on the path, always with `flags`, and a sandbox as `qrctl sandbox` starts it. */
async function useShell(flags = '', options: SandboxOptions = {}) {
  const sandbox = await useSandbox({ endsAtMs: Math.floor(Date.now() / DAY_MS) * DAY_MS, ...options });
  const directory = await useDirectory();
  await mkdir(join(directory, 'bin'));
  await writeFile(join(directory, 'bin/qrctl'), `#!/bin/sh\nexec '${process.execPath}' '${BIN}' ${flags} "$@"\n`);
  await chmod(join(directory, 'bin/qrctl'), 0o755);
  await writeFile(
    join(directory, 'codes.csv'),
    'name,type,destination\nOne,url,https://example.com/1\nTwo,url,https://example.com/2\n',
  );
  const env = { ...AMBIENT, PATH: `${directory}/bin:${process.env.PATH}`, HOME: directory, TZ: 'UTC', ...sandbox.env };
  return async (script: string) => {
    const child = spawn('bash', ['-e', '-c', script], { cwd: directory, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
    const [status, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
    return { status, stdout, said: `${script}\n${stderr}` };
  };
}

/** As it is, with what was said where it failed. */
const failureOf = ({ status, said }: { status: number | null; said: string }) => (status === 0 ? undefined : said);

/** The fenced blocks of shell between two headings. */
function blocks(from: string, to: string): string[] {
  const part = readme.slice(readme.indexOf(from), readme.indexOf(to));
  return [...part.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = '']) => block);
}

describe('README', () => {
  test('its table of first lines works as it stands', async () => {
    const shell = await useShell();
    const table = readme.slice(readme.indexOf('| you want to |'), readme.indexOf('Completion for your shell'));
    const lines = [...table.matchAll(/`(qrctl [^`]+)`/g)].map(([, line = '']) => line);
    expect(lines.length).toBeGreaterThan(8);
    // Nobody is there to be asked.
    for (const line of lines.map((one) => one.replace(/qr delete .*/, '$& --yes')))
      expect(failureOf(await shell(line))).toBeUndefined();
  });

  test('its recipes work as they stand', async () => {
    const shell = await useShell();
    const [ci = '', scripts = ''] = blocks('### For the CI script', '## Output');
    expect(failureOf(await shell(ci))).toBeUndefined();
    expect(failureOf(await shell(ci))).toBeUndefined();
    expect(failureOf(await shell(scripts.replaceAll(/^.*\bjq\b.*$/gm, '')))).toBeUndefined();
    for (const block of blocks('### For the marketer', '### For the cron job')) {
      const other = await useShell();
      expect(failureOf(await other(block))).toBeUndefined();
    }
  });

  test('its placeholder is neither stored nor drawn', async () => {
    const shell = await useShell();
    for (const line of [
      'qrctl config set short-url https://HOST/{slug}',
      'qrctl qr image spring-menu --short-url https://HOST/{slug} -o menu.pdf',
    ]) {
      const { status, said } = await shell(line);
      expect([status, said]).toEqual([2, expect.stringContaining('HOST is a placeholder')]);
    }
    // One that an earlier version stored stays readable, and is not drawn.
    await shell('qrctl config set short-url https://go.example/{slug} && sed -i s/go.example/HOST/ "$(qrctl config path)"');
    expect(await shell('qrctl qr list --limit 1')).toMatchObject({ status: 0 });
    expect(await shell('qrctl qr image spring-menu -o menu.pdf')).toMatchObject({
      status: 2,
      said: expect.stringContaining('HOST is a placeholder'),
    });
  });

  test('a CI job ends with the failure of its command, also under bash -e, and says what to do', async () => {
    // No less an outage for being waited out a second instead of half a minute.
    const shell = await useShell('--retry-for 1s');
    const [ci = ''] = blocks('### For the CI script', '## Output');
    const { status, stdout } = await shell(`export QRCTL_BASE_URL=http://127.0.0.1:9/api/v1\n${ci}`);
    expect([status, stdout]).toEqual([1, 'run the job again later\n']);
  });

  test('a CI job that meets the limit of the plan is told what helps, which is not to wait', async () => {
    const shell = await useShell('', { codes: 25, codeLimit: 26 });
    const [ci = ''] = blocks('### For the CI script', '## Output');
    const { status, stdout } = await shell(ci);
    expect([status, stdout]).toEqual([
      1,
      expect.stringMatching(/^the plan has no room for more codes: upgrade it, or delete codes/),
    ]);
  });

  const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;
  test.skipIf(!hasSystemd)('its units are what systemd itself takes, and run what is tried elsewhere', async () => {
    const directory = await useDirectory();
    const units = [...readme.matchAll(/^```ini\n# (qrctl\S+)\n(.*?)^```/gms)].map(([, name = '', text = '']) => ({ name, text }));
    expect(units.map(({ name }) => name)).toEqual(['qrctl-export.service', 'qrctl-export.timer', 'qrctl-failed@.service']);
    // Whether there is such a command is not what is asked here.
    for (const { name, text } of units) await writeFile(join(directory, name), text.replace('/usr/local/bin/qrctl', '/bin/true'));
    const paths = units.map(({ name }) => join(directory, name));
    const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...paths], {
      env: { ...process.env, SYSTEMD_UNIT_PATH: `${directory}:` },
      encoding: 'utf8',
    });
    const ours = (stdout + stderr).split('\n').filter((line) => line.includes('qrctl'));
    expect([status, ours]).toEqual([0, []]);
  });
});
