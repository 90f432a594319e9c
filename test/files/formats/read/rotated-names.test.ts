/** Which names are those of earlier files of a log, and how old they are. */
import { describe, expect, it } from 'vitest';
import {
  compareAges,
  findLogName,
  isLikeLog,
  type LogName,
  readLogName,
  stemOfLog,
} from '#files/formats/read/rotated-names';
import { argv } from '../../../support/argv.ts';
import { SOAK } from '../../../support/property-runs.ts';

const ROTATED = argv`
  scans.csv.10.gz scans.csv.2.gz scans.csv.1 scans.csv.0 scans.csv-20261101 scans.csv-20261101.gz
  scans.csv-2026-11-01 scans.csv-2026110103 scans.csv-20261101-1793500000 scans.csv-1793500000
  scans.csv.20261101030000 scans.csv_2026-11-01T03:00 scans-20261101.csv scans-20261101.csv.gz
  scans.1.csv scans.2.csv.gz
`;

describe('a file', () => {
  it.each(ROTATED)('named %s belongs to scans.csv', (name) => {
    expect(readLogName(name, 'scans.csv')).toMatchObject({ base: 'scans.csv' });
    expect(findLogName(name)).toEqual(readLogName(name, 'scans.csv'));
    expect(stemOfLog(name)).toBe('scans');
  });

  it.each(argv`
    scans.csv.bak scans.csv.old scans.csv~ scans.csv.swp scans.csv.state.json scans.csv.1.bak
    scans.csv.12345 scans.csv-20261301 scans.csv-menu scans2.csv scans-2026-11.csv scans.csv.gz
    my-scans.csv.1 other-20261101.csv scans-20261101.txt
  `)('named %s does not belong to scans.csv', (name) => {
    expect(readLogName(name, 'scans.csv')).toBeUndefined();
  });

  it('may have an extension in upper case', () => {
    for (const name of ['scans-20261101.CSV', 'scans.1.CSV.gz', 'scans.CSV.1']) {
      expect(readLogName(name, 'scans.CSV')).toMatchObject({ base: 'scans.CSV' });
      expect(findLogName(name)).toEqual(readLogName(name, 'scans.CSV'));
    }
    expect(stemOfLog('scans-20261101.CSV')).toBe('scans');
  });

  it('that is not rotated is a log of its own, even if its name is only a date', () => {
    const age = undefined;
    expect(readLogName('scans.csv', 'scans.csv')).toEqual({ base: 'scans.csv', age, packing: undefined });
    expect(findLogName('scans-2026-11.csv.gz')).toEqual({ base: 'scans-2026-11.csv', age, packing: 'gz' });
    expect(findLogName('-20261101.csv')).toMatchObject({ base: '-20261101.csv', age });
    expect(['spring.menu.csv', 'notes.txt.gz', 'menu'].map(stemOfLog)).toEqual([
      'spring.menu',
      'notes',
      'menu',
    ]);
  });

  it('belongs to a specified log with any name, but is found without it only if the name has a data extension', () => {
    expect(readLogName('scans.log.1.gz', 'scans.log')).toMatchObject({ packing: 'gz' });
    expect(readLogName('a.1', 'a')).toMatchObject({ base: 'a' });
    expect(findLogName('scans.log.1')).toBeUndefined();
  });

  it('from a log is recognized even with a compression that qrctl does not read', () => {
    expect(findLogName('scans.csv.3.xz')).toMatchObject({ base: 'scans.csv', packing: 'xz' });
  });

  it('from a log sorts before each newer file from the same log', () => {
    const sorted = (names: string[]) =>
      names
        .map((name): [string, LogName] => [name, readLogName(name, 'a.csv') as LogName])
        .sort(([, a], [, b]) => compareAges(a, b));
    const oldestFirst = argv`
      a.csv-1793500000 a.csv-20260930 a.csv-2026100103 a.csv-20261002.gz a.csv.10.gz a.csv.9.gz a.csv.1 a.csv
    `;
    for (const names of [[...oldestFirst].sort(), [...oldestFirst].reverse()])
      expect(sorted(names).map(([name]) => name)).toEqual(oldestFirst);
    const [older, log] = [readLogName('a.csv.1', 'a.csv'), readLogName('a.csv', 'a.csv')] as [
      LogName,
      LogName,
    ];
    expect([compareAges(older, log), compareAges(log, older), compareAges(log, log)]).toEqual([-1, 1, 0]);
  });

  // Anything but linear time would outlast the test's own limit.
  const LENGTH = SOAK ? 500_000 : 50_000;
  it.each([
    [`a.csv${'-2026'.repeat(LENGTH)}`, undefined],
    [`${'.csv'.repeat(LENGTH)}.1`, '.csv'.repeat(LENGTH)],
    [`a${'-'.repeat(LENGTH)}.csv`, `a${'-'.repeat(LENGTH)}.csv`],
  ])(
    'with a name of at least 50,000 characters is recognized or rejected within the time limit of a test (%#)',
    (name, base) => {
      expect(findLogName(name)?.base).toBe(base);
    },
  );
});

it.each([
  ['scans.csv.bak', true],
  ['scans.ndjson~', true],
  ['scans.csv', false],
  ['scans.csv.1', false],
  ['.csv.bak', false],
  ['notes.txt.bak', false],
])('a file named %s resembles a log, but is not one: %s', (name, is) => {
  expect(isLikeLog(name)).toBe(is);
});
