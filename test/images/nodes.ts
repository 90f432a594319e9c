/** The same images have the same bytes on every version of Node that is supported, in two zones and locales. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { IMAGE_FORMATS } from '#codes/images/image-style';
import { startSandbox } from './sandbox.ts';

/** The oldest that package.json allows, and the majors that are kept up. */
const VERSIONS = ['20.19.0', '22', '24'];
const PLACES = [
  { TZ: 'UTC', LC_ALL: 'C', LANG: 'C' },
  { TZ: 'Pacific/Chatham', LC_ALL: 'tr_TR.UTF-8', LANG: 'ar_EG.UTF-8' },
];
const NAMES = [
  'مقهى المدينة القديمة — القاهرة 24',
  '東京駅前店 八重洲口カフェ',
  'Łódź, żółta gęś i kawiarnia',
  'Menu İstanbul',
];
const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle cx="4.5" cy="4.5" r="4.3" fill="#c03"/></svg>`;

/** How many runs wrote other bytes than the first. The versions come from npm. */
export async function compareNodes(directory: string): Promise<number> {
  const work = join(directory, 'nodes');
  mkdirSync(work);
  writeFileSync(join(work, 'package.json'), '{}');
  writeFileSync(join(work, 'logo.svg'), LOGO);
  const packages = VERSIONS.map((version) => `node${version}@npm:node@${version}`);
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--silent', ...packages], { cwd: work });
  const sandbox = await startSandbox(NAMES.length, join(work, 'config'));
  try {
    const slugs = sandbox
      .run(['qr', 'list', '--fields', 'slug', '-f', 'csv', '--no-header'])
      .trim()
      .split('\n');
    for (const [at, slug] of slugs.entries()) sandbox.run(['qr', 'update', slug, '--name', NAMES[at] ?? '']);
    const runs = VERSIONS.flatMap((version) =>
      PLACES.map((env, place) => {
        const out = join(work, `out-${version}-${place}`);
        mkdirSync(out);
        const image = ['qr', 'image', '--all', '--short-url', 'https://qr.example/{slug}'];
        const on = { node: join(work, 'node_modules', `node${version}`, 'bin', 'node'), env };
        sandbox.run([...image, '--as', IMAGE_FORMATS.join(), '--output-dir', join(out, 'plain')], on);
        sandbox.run(
          [
            ...image,
            '--as',
            IMAGE_FORMATS.join(),
            '--output-dir',
            join(out, 'logo'),
            '--logo',
            join(work, 'logo.svg'),
          ],
          on,
        );
        sandbox.run([...image, '--sheet', 'L7163', '--caption', 'name', '-o', join(out, 'labels.pdf')], on);
        return { what: `Node ${version}, ${env.TZ}, ${env.LC_ALL}`, ...hashOf(out) };
      }),
    );
    const others = runs.filter(({ hash }) => hash !== runs[0]?.hash);
    console.log(
      `bytes: ${runs.length} runs of ${runs[0]?.files} files, ${others.length} differ from those of ${runs[0]?.what}`,
    );
    for (const { what } of others) console.log(`  ${what}`);
    return others.length;
  } finally {
    sandbox.end();
  }
}

/** Of the names and bytes of all files below a directory. */
function hashOf(directory: string): { hash: string; files: number } {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const paths = entries.map(({ parentPath, name }) => join(parentPath, name)).sort();
  const hash = createHash('sha256');
  for (const path of paths) hash.update(path.slice(directory.length)).update(readFileSync(path));
  return { hash: hash.digest('hex'), files: paths.length };
}
