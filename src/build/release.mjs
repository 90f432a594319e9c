/**
 * `npm run release -- X.Y.Z` checks and prints the steps; `--write` runs them; `--files-only` builds only
 * dist-release/, as the workflow does for a tag.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const FILES = 'dist-release';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { write: { type: 'boolean', default: false }, 'files-only': { type: 'boolean', default: false } },
});
const [version = ''] = positionals;
const current = JSON.parse(await readFile('package.json', 'utf8')).version;
const changelog = await readFile('CHANGELOG.md', 'utf8');
const filesOnly = values['files-only'];

const faults = faultsOf();
if (faults.length > 0) {
  process.stderr.write(`${faults.map((fault) => `release: ${fault}`).join('\n')}\n`);
  process.exit(2);
}

const steps = [
  ...(filesOnly
    ? []
    : [
        ['check everything: npm test, other Nodes, the demo', check],
        [`set the version to ${version} in package.json, its lockfile, README.md and docs/ci.md`, setVersion],
        [`head the changes in CHANGELOG.md with ${version} and today's date`, writeChangelog],
        [`commit, and tag v${version}`, commit],
      ]),
  [
    `make the package, its source maps, the executable, the bill of materials, notes and checksums in ${FILES}/`,
    makeFiles,
  ],
];
for (const [what, step] of steps) {
  process.stdout.write(`${values.write || filesOnly ? '' : 'would '}${what}\n`);
  if (values.write || filesOnly) await step();
}
if (!filesOnly)
  process.stdout.write(
    values.write ? `now: git push --follow-tags\n` : 'nothing was done: --write does it\n',
  );

function faultsOf() {
  if (!/^\d+\.\d+\.\d+$/.test(version)) return [`'${version}' is no version: npm run release -- X.Y.Z`];
  if (filesOnly) return version === current ? [] : [`what is checked out is ${current}`];
  const found = [];
  if (version.localeCompare(current, 'en', { numeric: true }) <= 0)
    found.push(`${version} is not after ${current}`);
  if (git('status', '--porcelain') !== '') found.push('there are changes that are not committed');
  if (git('branch', '--show-current') !== 'main') found.push('a release is made from main');
  if (git('tag', '--list', `v${version}`) !== '') found.push(`there is a tag v${version} already`);
  if (sectionOf('Unreleased').trim() === '') found.push('CHANGELOG.md has nothing under Unreleased');
  return found;
}

function sectionOf(name) {
  const [, section = ''] = changelog.split(`\n## [${name}]`);
  return section.split('\n## ')[0].replace(/^[^\n]*\n/, '');
}

function check() {
  for (const script of ['test', 'test:nodes', 'demo']) run('npm', ['run', '--silent', script]);
}

async function setVersion() {
  run('npm', ['version', '--no-git-tag-version', version]);
  for (const name of ['README.md', 'docs/ci.md'])
    await writeFile(
      name,
      (await readFile(name, 'utf8')).replaceAll(`qrctl-${current}.tgz`, `qrctl-${version}.tgz`),
    );
}

async function writeChangelog() {
  const today = new Date().toISOString().slice(0, 10);
  await writeFile(
    'CHANGELOG.md',
    changelog.replace('\n## [Unreleased]\n', `\n## [Unreleased]\n\n## [${version}] - ${today}\n`),
  );
}

function commit() {
  run('git', ['commit', '--all', '--message', `Release ${version}`]);
  run('git', ['tag', '--annotate', `v${version}`, '--message', `qrctl ${version}`]);
}

async function makeFiles() {
  await rm(FILES, { recursive: true, force: true });
  await mkdir(FILES);
  run('npm', ['pack', '--silent', '--pack-destination', FILES]);
  run(process.execPath, [
    'src/build/executable.mjs',
    join(FILES, `qrctl-${version}-${process.platform}-${process.arch}`),
  ]);
  // Unpacked next to the chunks of an installed package, the maps give positions in the sources.
  const maps = (await readdir('dist')).filter((name) => name.endsWith('.map')).sort();
  run('tar', [
    '--create',
    '--gzip',
    '--file',
    join(FILES, `qrctl-${version}-source-maps.tgz`),
    '--directory',
    'dist',
    ...maps,
  ]);
  await copyFile('dist/sbom.cdx.json', join(FILES, `qrctl-${version}.sbom.cdx.json`));
  await writeFile(join(FILES, 'NOTES.md'), `${(sectionOf(version) || sectionOf('Unreleased')).trim()}\n`);
  const names = (await readdir(FILES)).sort();
  const lines = await Promise.all(names.map(async (name) => `${await sha256(join(FILES, name))}  ${name}\n`));
  await writeFile(join(FILES, 'SHA256SUMS'), lines.join(''));
}

async function sha256(file) {
  return createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
}

function git(...args) {
  return spawnSync('git', args, { encoding: 'utf8' }).stdout.trim();
}

function run(command, args) {
  const { status } = spawnSync(command, args, { stdio: 'inherit' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}`);
}
