/** The report of one file, as different machines make it. `npm run test:nodes` runs this with other versions of Node. */
import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LANGUAGES } from '#scans/report/languages/plurals';
import { argv } from '../support/argv.ts';
import { BIN, runCli, useDirectory } from '../support/cli.ts';
import { SOAK } from '../support/property-runs.ts';

const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 10"><defs><linearGradient id="g"><stop stop-color="#063"/><stop offset="1" stop-color="#f90" stop-opacity=".3"/></linearGradient></defs><circle cx="5" cy="5" r="5" fill="url(#g)"/><path d="M12 2q9 9 28 6z" fill="url(#g)"/></svg>';

const COUNTRIES = ['DE', 'AT', 'JP', '', 'ZZ'];

/** 400 scans of September and October, in order of time. */
function scans(): string {
  const rows = Array.from({ length: 400 }, (_, i) => {
    const day = String(1 + (i % 200) / 7)
      .split('.')[0]
      ?.padStart(2, '0');
    const hour = String((i * 7) % 24).padStart(2, '0');
    const code = i % 3 === 0 ? 'menu,Café-Speisekarte' : 'poster,ملصق';
    return `${i + 1},2026-${i < 200 ? '09' : '10'}-${day}T${hour}:30:00.000Z,${COUNTRIES[i % 5]},Wien,mobile,iOS,Safari,,${code}`;
  });
  return ['id,ts,country,city,device,os,browser,referrer,qr_slug,qr_name', ...rows, ''].join('\n');
}

const RANGE = ['--during', '2026-10', '--compare', 'previous', '--timezone', 'America/St_Johns'];
/** All of them only with another Node: each takes a second. */
const SOME = process.env.QRCTL_TEST_NODE === undefined ? (['ar'] as const) : LANGUAGES;

/** Other machines than this one. */
const MACHINES = [
  { TZ: 'Asia/Kolkata', LANG: 'de_DE.UTF-8', LC_ALL: 'de_DE.UTF-8' },
  { TZ: 'UTC', LANG: 'C', LC_ALL: 'C' },
];

// By day a report is the same each time (test/scans/report/report.test.ts).
test.runIf(SOAK || process.env.QRCTL_TEST_NODE !== undefined)(
  'a report has the same bytes in different time zones and locales of the machine, and with the Node version under test',
  async () => {
    const directory = await useDirectory();
    await writeFile(join(directory, 'a.csv'), scans());
    await writeFile(join(directory, 'logo.svg'), LOGO);
    const pages: string[] = [];
    for (const language of SOME) {
      const args = argv`scans report --input a.csv ${RANGE} --logo logo.svg --language ${language} -o`;
      for (const [at, env] of MACHINES.entries()) {
        expect(await runCli([...args, `${at}.html`], { cwd: directory, env })).toMatchObject({ code: 0 });
      }
      const env = { PATH: process.env.PATH, HOME: directory, QRCTL_CONFIG_DIR: directory };
      spawnSync(process.execPath, [BIN, ...args, 'here.html'], { cwd: directory, env });
      const read = (name: string) => readFile(join(directory, name), 'utf8');
      const [here, ...others] = await Promise.all(
        ['here', ...MACHINES.keys()].map((at) => read(`${at}.html`)),
      );
      expect(others).toEqual(MACHINES.map(() => here));
      pages.push(here ?? '');
    }
    expect(new Set(pages).size).toBe(SOME.length);
    expect(pages.every((page) => page.includes('data:image/png;base64,'))).toBe(true);
  },
);
