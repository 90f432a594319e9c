/** The places whose every line must be guarded by a test, and the tests that guard them. */
import { dirname } from 'node:path';

const CLEANING = ['src/files/formats/csv.ts', 'src/base/text/clean.ts'];
const ROOMS = [
  'src/service/rate-limit',
  'src/scans/export',
  'src/scans/append',
  'src/codes/engine',
  'src/codes/dated',
  'src/codes/deletion',
  'src/scans/backup',
  'src/files/durable',
  'src/scans/dataset',
  'src/codes/destinations',
  'src/scans/verify',
  'src/scans/watch',
  'src/scans/tail',
  // Without its readers of files, whose tests would take hours: damaged files test them (test/hostile).
  'src/scans/stats/*.ts',
  'src/codes/images',
  'src/files/paper',
];

const wanted = (process.env.MUTANTS_OF ?? '').split(',').filter((place) => place !== '');
const all = wanted.length === 0 ? [...ROOMS, ...CLEANING] : wanted;

/** Files to change, as globs. `MUTANTS_OF` (run.mjs sets it from its arguments) names rooms or files, by commas; all when empty. */
export const PLACES = all.map((place) => (place.includes('.ts') ? place : `${place}/**/*.ts`));

/** The tests of those places: a room's own, so that each room stands by itself. */
export const TESTS = [...new Set(all.map(testsOf))];

function testsOf(place) {
  if (place.startsWith('src/scans/stats/') && !place.startsWith('src/scans/stats/input'))
    return 'test/scans/stats/*.test.ts';
  if (CLEANING.includes(place)) return 'test/{files/formats,base/text}/{csv,clean}*.test.ts';
  if (place.startsWith('src/files/paper')) return 'test/{files/paper,codes/images}/**/*.test.ts';
  const room = place.endsWith('.ts') ? dirname(place) : place;
  return `${room.replace('src/', 'test/')}/**/*.test.ts`;
}
