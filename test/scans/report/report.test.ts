/** The page of `scans report`, as it is typed. What a browser makes of it, `npm run test:stats` asks. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { argv } from '../../support/argv.ts';
import { useDirectory } from '../../support/cli.ts';
import { runByDay } from '../../support/run-here.ts';
import { useSandbox } from '../../support/sandbox.ts';

const RANGE = ['--during', '2024-12', '--timezone', 'Europe/Berlin', '--compare', 'previous'];

test('a report from the service is the same if it is created again, and omits codes that were created after its period', async () => {
  const sandbox = await useSandbox({ codes: 2, scans: 900 });
  const directory = await useDirectory();
  sandbox.workspace.create({ name: 'Nobody scans me', type: 'url' });
  const made: string[] = [];
  await runByDay(['scans', 'export', '--all', '-o', join(directory, 'a.csv')], { env: sandbox.env });
  for (const from of [['--all'], ['--all'], ['--input', 'a.csv']]) {
    const result = await runByDay(['scans', 'report', ...from, ...RANGE, '-o', 'r.html'], {
      cwd: directory,
      env: sandbox.env,
    });
    expect(result).toMatchObject({ code: 0, stdout: '' });
    made.push(await readFile(join(directory, 'r.html'), 'utf8'));
  }
  expect(made[0]).toBe(made[1]);
  const figures = (page = '') =>
    page
      .slice(page.indexOf('<main>'), page.indexOf('id="silent"') < 0 ? page.indexOf('</main>') : undefined)
      .match(/<tbody.*?<\/tbody>/gs);
  expect(figures(made[0])?.length).toBeGreaterThan(8);
  expect(made[0], 'the code was created after the period').not.toContain('Codes without scans');
});

test('a report lists codes without scans, even if it has no section by code', async () => {
  const sandbox = await useSandbox({ codes: 2, scans: 60 });
  const directory = await useDirectory();
  sandbox.workspace.create({ name: 'Never scanned', type: 'url' });
  const args = ['scans', 'report', '--all', '--by', 'country', '--since', '2w', '-o', 'r.html'];
  expect(await runByDay(args, { cwd: directory, env: sandbox.env })).toMatchObject({ code: 0 });
  const page = await readFile(join(directory, 'r.html'), 'utf8');
  expect(page).toContain('<li><bdi>Never scanned</bdi>');
  expect(page).not.toContain('id="by-code"');
});

test('a report contains untrusted values as text, has no scripts or external resources, and does not contain the API key (F10)', async () => {
  const directory = await useDirectory();
  const hostile =
    '</td><script>alert(1)</script><img src="https://evil.example/x.png" onerror=alert(2)>\u202e"\'&';
  await writeFile(
    join(directory, 'a.ndjson'),
    `${JSON.stringify({ id: 1, ts: '2026-10-01T00:00:00Z', referrer: hostile })}\n`,
  );
  const args = argv`scans report --input a.ndjson --by referrer --title <b>"x"</b> -o r.html`;
  const { code } = await runByDay(args, { cwd: directory, env: { QRCTL_API_KEY: 'svc_live_secretsecret' } });
  const page = await readFile(join(directory, 'r.html'), 'utf8');
  expect(code).toBe(0);
  expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(page).toContain('\\u{202e}');
  expect(page).toMatch(
    /content="default-src &#39;none&#39;; style-src &#39;sha256-[\w+/]{43}=&#39;; img-src data:; base-uri/,
  );
  expect(page).not.toMatch(/<script|<img|<b>|<link|<iframe|\sstyle=|url\(|@import|secretsecret/);
  expect(page).toContain('Scans are not people');
});

test('a report contains no path, file name, program name or flag', async () => {
  const directory = await useDirectory();
  const input = join(directory, 'secret-client-folder.csv');
  await writeFile(
    input,
    'id,ts,country,qr_slug,qr_name\n1,2026-10-01T00:00:00Z,DE,menu,Speisekarte\n2,2026-10-02T00:00:00Z,FR,poster,Poster\n',
  );
  const output = join(directory, 'out.html');
  const args = argv`
    scans report --input ${input} --by code --by country --language de --timezone Asia/Tokyo -o ${output}
  `;
  const { code } = await runByDay([...args, '--note', 'Guten Tag'], { cwd: directory });
  const page = await readFile(output, 'utf8');
  expect(code).toBe(0);
  expect(page).toContain('<bdi>Speisekarte</bdi> <bdi class="slug">menu</bdi>');
  expect(page).toContain('Deutschland');
  expect(page).toContain('Asia/Tokyo');
  for (const word of [directory, 'secret-client-folder', 'out.html', 'qrctl', '--'])
    expect(page.replace(STYLES, '')).not.toContain(word);
});

/** Names of CSS variables begin like flags. */
const STYLES = /<style>.*<\/style>/s;

test('a report has an SVG logo as a PNG image, and is refused if the logo has a script or link, or is not an image', async () => {
  const directory = await useDirectory();
  const svg = (inner: string) => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 10">${inner}</svg>`;
  await writeFile(join(directory, 'a.ndjson'), `${JSON.stringify({ id: 1, ts: '2026-10-01T00:00:00Z' })}\n`);
  await writeFile(
    join(directory, 'good.svg'),
    svg('<title>C:/secret</title><rect width="40" height="10" fill="#063"/>'),
  );
  await writeFile(join(directory, 'bad.svg'), svg('<script>alert(1)</script><rect width="40" height="10"/>'));
  await writeFile(
    join(directory, 'link.svg'),
    svg('<image href="https://evil.example/x.png" width="40" height="10"/>'),
  );
  const report = (logo: string) =>
    runByDay(['scans', 'report', '--input', 'a.ndjson', '--by', 'day', '--logo', logo, '-o', 'r.html'], {
      cwd: directory,
    });
  for (const logo of ['bad.svg', 'link.svg', 'a.ndjson', 'missing.svg'])
    expect(await report(logo)).toMatchObject({ code: 2 });
  expect(await readFile(join(directory, 'r.html'), 'utf8').catch(() => 'none')).toBe('none');
  expect(await report('good.svg')).toMatchObject({ code: 0 });
  const page = await readFile(join(directory, 'r.html'), 'utf8');
  const [, data = '', width, height] =
    /src="data:image\/png;base64,([^"]+)" width="(\d+)" height="(\d+)"/.exec(page) ?? [];
  const png = Buffer.from(data, 'base64');
  expect([width, height, png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual(['480', '120', 480, 120]);
  expect(page).not.toMatch(/secret|<svg xmlns/);
});

test.each([
  [['x', '-o', 'r.html', '--language', 'xx'], '--language'],
  [['x'], 'missing --output'],
  [['x', '-o', 'r.txt'], '--output must end in .html or .pdf: r.txt'],
  [['x', '-o', 'r.html', '--paper', 'letter'], '--paper requires an --output that ends in .pdf'],
  [['x', '-o', '-', '--paper', 'a4'], '--paper requires an --output that ends in .pdf'],
  [['x', '-o', 'r.pdf', '--paper', 'a5'], "invalid value for --paper: 'a5'"],
])('a report with the arguments %j is refused with exit code 2', async (args, message) => {
  const { code, stderr } = await runByDay(['scans', 'report', ...args]);
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
});
