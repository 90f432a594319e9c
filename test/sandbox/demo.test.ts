import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { runCli, startCli, useDirectory } from '../support/cli.ts';
import { SOAK } from '../support/property-runs.ts';

test('qrctl demo creates codes, lists them, exports their scans, writes a report, and prints the path of the export', async () => {
  const [temporary, here, cache] = [await useDirectory(), await useDirectory(), await useDirectory()];
  const config = await useDirectory();
  // It asks for no key and touches no stored settings.
  const foreign = {
    QRCTL_CONFIG_DIR: config,
    QRCTL_API_KEY: 'bad key',
    QRCTL_BASE_URL: 'http://nowhere.invalid',
    QRCTL_PROFILE: 'x',
  };
  const env = { TMPDIR: temporary, XDG_CACHE_HOME: cache, ...foreign };
  const { code, stdout, stderr } = await runCli(['demo'], { env, cwd: here });
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(await readdir(config)).toEqual([]);
  expect(stderr).toContain('$ qrctl qr create --from codes.csv');
  expect(stderr).toContain('$ qrctl qr list');
  expect(stderr).toContain('$ qrctl scans export --all --output scans.csv');
  expect(stderr).toContain('--title Posters --output report.html');
  expect(stderr).toMatch(/^Summer menu +\w+ +created$/m);

  expect(stderr).toMatch(
    /\n\nNext, try your own commands against a local service with `qrctl sandbox`,\nor connect to your workspace with `qrctl auth login --base-url https:\/\/…\/api\/v1`\.\n$/,
  );

  // The show is no data: $(qrctl demo) is the name of the file.
  expect(stdout).toMatch(/^\S+\/scans\.csv\n$/);
  const path = stdout.trimEnd();
  const csv = await readFile(path, 'utf8');
  expect(csv).toMatch(/^qr_id,qr_slug,qr_name,id,ts,country,city,device,os,browser,referrer\n/);
  const [, said = ''] = /([\d,]+) scans of 7 codes/.exec(stderr) ?? [];
  expect(csv.match(/^[0-9a-f-]{36},/gm)?.length).toBe(Number(said.replaceAll(',', '')));
  const files = await readdir(dirname(path));
  expect([files.includes('report.html'), files.includes('.config')]).toEqual([true, false]);
  expect(await readFile(join(dirname(path), 'report.html'), 'utf8')).toContain('Posters');
  expect(await readdir(here)).toEqual([]);
  // What was remembered of a service that is no more is forgotten.
  expect(await readdir(join(cache, 'qrctl', 'codes'))).toEqual([]);
});

test('qrctl demo stops at the first command that fails, and states its exit code', async () => {
  const temporary = await useDirectory();
  const preload = join(temporary, 'fail.cjs');
  await writeFile(preload, "if (process.argv.includes('list')) process.exit(3);");
  const { code, stdout, stderr } = await runCli(['demo'], {
    env: { TMPDIR: temporary, NODE_OPTIONS: `--require ${preload}` },
  });
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^Create codes from a spreadsheet:\n\n\$ cat codes\.csv\nname,type,/m);
  expect(stderr.match(/^\$ qrctl .*/gm)).toEqual([
    '$ qrctl qr create --from codes.csv --format table --fields name,slug,outcome',
    '$ qrctl qr create --from codes.csv --format table --fields name,slug,outcome',
    '$ qrctl qr list --format table --fields slug,name,type,status',
  ]);
  expect(stderr).toMatch(
    /^qrctl: `qrctl qr list .*` failed with exit code 3\n {2}hint: See the files in \S+\/qrctl-demo-\w+\.\n$/m,
  );
});

test.runIf(SOAK)('qrctl demo exits with 130 on SIGINT', async () => {
  const running = await startCli(['demo'], { env: { TMPDIR: await useDirectory() } });
  await running.waitFor(/\$ qrctl qr create/);
  running.child.kill('SIGINT');
  expect((await running.done).code).toBe(130);
});
