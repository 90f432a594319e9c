/** Files that are mounted on their own, as `docker run -v ./codes.csv:/data/codes.csv` does. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { nodeDisk, parseMountPoints } from '#files/durable/node-disk';
import { BIN, bareEnv, useDirectory } from '../../support/cli.ts';
import { useSandbox } from '../../support/sandbox.ts';

const UNSHARE = ['-rm', '--propagation', 'private'];

describe('mount points', () => {
  it("are parsed from the system's list, including escaped characters", () => {
    const text =
      '23 1 8:1 / / rw - ext4 /dev/sda1 rw\n41 23 8:1 /c.csv /w/my\\040codes\\134x.csv rw shared:1 - ext4 /dev/sda1 rw,a=b\n';
    const points = parseMountPoints(text);
    expect(points).toContain('/');
    expect(points).toContain('/w/my codes\\x.csv');
  });

  it.runIf(process.platform === 'linux')('on this system include the root', async () => {
    expect(await nodeDisk.mountPoints()).toContain('/');
  });
});

it.runIf(mayMount())(
  'an output, lock file, state or config that is a mount point is refused before a request, except with --append (D18)',
  async () => {
    const sandbox = await useSandbox({ codes: 1, scans: 20 });
    const cwd = await useDirectory();
    const code = sandbox.codeId();
    const names = ['codes.lock.json', 'list.csv', 'scans.csv', 'tail.json', 'run.json', 'config/config.json'];
    await mkdir(join(cwd, 'config'), { mode: 0o700 });
    for (const name of names) await writeFile(join(cwd, name), '', { mode: 0o600 });
    await writeFile(join(cwd, 'config/config.json'), '{"version":1,"profiles":{}}', { mode: 0o600 });
    const lines = [
      'qr apply --from codes.csv',
      'qr list -o list.csv',
      'qr list --summary run.json',
      `scans tail ${code} --max-events 1 --since 1h --state tail.json`,
      'config set timezone UTC',
      `scans export ${code} -o scans.csv`,
    ];
    await writeFile(join(cwd, 'codes.csv'), 'key,name,type,destination\na,Alpha,url,https://example.com/a\n');
    const runs = [...lines, `scans export ${code} -o scans.csv --append -q`].map(
      (line) => `${process.execPath} ${BIN} ${line} >/dev/null 2>err.txt; echo $?; head -1 err.txt`,
    );
    const mounts = names.map((name) => `mount --bind ${name} ${name}`);
    const env = bareEnv(cwd, { ...sandbox.env, QRCTL_CONFIG_DIR: join(cwd, 'config') });
    const script = [...mounts, runs.slice(0, -1).join('\n'), 'echo sent:', runs.at(-1)].join('\n');
    const { stdout } = await promisify(execFile)('unshare', [...UNSHARE, 'sh', '-c', script], { cwd, env });
    const [refused = '', appended = ''] = stdout.split('sent:\n');
    const said = refused.trim().split('\n');
    expect(said.filter((_, at) => at % 2 === 0)).toEqual(lines.map(() => '2'));
    for (const message of said.filter((_, at) => at % 2 === 1))
      expect(message).toContain('is mounted as a single file');
    expect(appended.trim()).toBe('0');
    expect((await readFile(join(cwd, 'scans.csv'), 'utf8')).split('\n').length).toBeGreaterThan(20);
    expect(sandbox.requests.filter(({ url }) => !url.includes('/scans'))).toEqual([]);
  },
);

/** Whether this user may mount in a namespace of its own. */
function mayMount(): boolean {
  try {
    execFileSync('unshare', [...UNSHARE, 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
