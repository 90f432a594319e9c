/**
 * `npm run test:stats [-- DIRECTORY]`: makes a report in a sandbox, in English, German and Arabic, and asks Debian's chromium what it is:
 * axe-core (WCAG) in both themes and at the width of a phone, a tablet and a desk; whether a line is wider than the page, a word of a name
 * is broken, or a figure leaves its card; and that nothing leaves the page. Pictures and PDFs are left in DIRECTORY.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const WIDTHS = [390, 1000, 1400];
const LANGUAGES = ['en', 'de', 'ar'];
const [asked] = process.argv.slice(2);
const work = mkdtempSync(join(tmpdir(), 'qrctl-report-'));
const images = resolve(asked ?? work);
mkdirSync(images, { recursive: true });

const sandbox = spawn(
  process.execPath,
  ['bin/qrctl.js', 'sandbox', '--port', '0', '--codes', '12', '--scans', '3000'],
  {
    stdio: ['ignore', 'pipe', 'inherit'],
  },
);
try {
  const env = { ...process.env, ...(await access()), TZ: 'UTC', QRCTL_CONFIG_DIR: join(work, 'config') };
  const logo = join(work, 'logo.svg');
  writeFileSync(
    logo,
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 10"><rect width="40" height="10" fill="#063"/></svg>',
  );
  for (const language of LANGUAGES) {
    const page = join(work, `report-${language}.html`);
    const flags = ['--language', language, '--logo', logo, '--compare', 'previous', '--during', 'last-month'];
    run(process.execPath, ['bin/qrctl.js', 'scans', 'report', '--all', ...flags, '-o', page, '--quiet'], {
      env,
    });
    judge(page, language);
  }
} finally {
  sandbox.kill();
  rmSync(work, { recursive: true, force: true });
}

function judge(page, language) {
  const html = readFileSync(page, 'utf8');
  if (/<(script|link|iframe)\b|\bsrc="(?!data:image\/png;base64,)|url\(/i.test(html))
    throw new Error('the page asks for something beside itself');
  // Its policy forbids scripts, axe's among them: it is judged without.
  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  const judged = join(work, 'judged.html');
  const script = `<script>${axe}</script><script>${brokenWords}${cellsOutside}axe.run().then(({ violations }) => {
    const found = violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth > clientWidth) found.push(['wider than the page', scrollWidth, clientWidth]);
    found.push(...brokenWords(), ...cellsOutside());
    document.body.textContent = 'AXE' + JSON.stringify(found) + 'END';
  });</script></body>`;
  writeFileSync(
    judged,
    html.replace(/<meta[^>]*Content-Security-Policy[^>]*>/i, '').replace('</body>', () => script),
  );
  for (const theme of ['light', 'dark']) {
    for (const width of WIDTHS) {
      const look = [
        `--window-size=${width},2400`,
        ...(theme === 'dark' ? ['--force-dark-mode', '--blink-settings=preferredColorScheme=0'] : []),
      ];
      const dom = chromium([...look, '--virtual-time-budget=20000', '--dump-dom', `file://${judged}`]);
      const [, violations] = /AXE(.*)END/s.exec(dom) ?? [];
      if (violations !== '[]')
        throw new Error(`${language}, ${theme}, ${width} px: ${violations ?? 'axe did not end'}`);
      chromium([
        ...look,
        `--screenshot=${join(images, `report-${language}-${width}-${theme}.png`)}`,
        `file://${page}`,
      ]);
      process.stdout.write(`${language}, ${theme}, ${width} px: no violations\n`);
    }
  }
  const pdf = join(images, `report-${language}.pdf`);
  chromium([`--print-to-pdf=${pdf}`, '--no-pdf-header-footer', `file://${page}`]);
  const pages = readFileSync(pdf, 'latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0;
  if (pages < 1 || pages > 4) throw new Error(`${pages} pages of paper, of which some are nearly empty`);
  process.stdout.write(`${language}: ${pages} pages of A4\n`);
}

/** Runs in the page: words of names and heads on two lines, except long ones such as addresses. */
function brokenWords() {
  const texts = [];
  const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
  while (walker.nextNode())
    if (walker.currentNode.parentElement.closest('th, .value')) texts.push(walker.currentNode);
  return texts.flatMap((text) =>
    [...text.data.matchAll(/[^\s-]+/g)].flatMap(({ 0: word, index }) => {
      if (word.length >= 18) return [];
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
      return lines.size > 1 ? [['broken word', word]] : [];
    }),
  );
}

/** Runs in the page: figures and names beyond the sides of their card. */
function cellsOutside() {
  return [...document.querySelectorAll('.card :is(th, td) > bdi')].flatMap((text) => {
    const [own, card] = [text, text.closest('.card')].map((element) => element.getBoundingClientRect());
    return own.left < card.left || own.right > card.right ? [['outside of its card', text.textContent]] : [];
  });
}

async function access() {
  const lines = {};
  for await (const line of createInterface({ input: sandbox.stdout })) {
    const [name, value] = line.split(/=(.*)/s);
    lines[name] = value;
    if (Object.keys(lines).length === 2) return lines;
  }
  throw new Error('the sandbox did not start');
}

function chromium(args) {
  const flags = [
    '--headless=new',
    '--no-sandbox',
    '--disable-gpu',
    '--hide-scrollbars',
    '--disable-background-networking',
    '--host-resolver-rules=MAP * ~NOTFOUND',
  ];
  return run('chromium', [...flags, `--user-data-dir=${join(work, 'browser')}`, ...args]);
}

function run(command, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    ...options,
  });
  if (status !== 0)
    throw new Error(`${command} ${args.at(-1)} ended with ${error?.message ?? status}: ${stderr}`);
  return stdout;
}
