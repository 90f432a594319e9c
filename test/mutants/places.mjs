/** The places whose every line must be guarded by a test, and the tests that guard them. */
import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';

/** Folders whose rooms are changed one by one. */
const GROUNDS = [
  'base',
  'codes',
  'files',
  'scans',
  'service',
  'settings',
  'terminal',
  'sandbox',
  'cli',
  'commands',
];
const ROOMS = GROUNDS.flatMap((ground) => [
  `src/${ground}/*.ts`,
  ...readdirSync(`src/${ground}`, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? `src/${ground}/${entry.name}` : [],
  ),
]);

const wanted = (process.env.MUTANTS_OF ?? '').split(',').filter((place) => place !== '');
const all = wanted.length === 0 ? ROOMS : wanted;

/** Files to change, as globs. `MUTANTS_OF` (run.mjs sets it from its arguments) names rooms or files, by commas; all when empty. */
export const PLACES = all.map((place) => (place.includes('.ts') ? place : `${place}/**/*.ts`));

/** The tests of those places: a room's own, so that each room stands by itself. */
export const TESTS = [...new Set(all.map(testsOf))];

function testsOf(place) {
  // Text on paper is drawn by the images and the report.
  if (place.startsWith('src/files/paper')) return 'test/{files/paper,codes/images}/**/*.test.ts';
  // The files of a ground have their tests beside its rooms.
  if (place.endsWith('/*.ts')) return `${dirname(place).replace('src/', 'test/')}/*.test.ts`;
  const room = place.endsWith('.ts') ? dirname(place) : place;
  return `${room.replace('src/', 'test/')}/**/*.test.ts`;
}
