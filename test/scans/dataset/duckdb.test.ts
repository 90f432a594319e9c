/** A thousand random Parquet files, cell for cell by DuckDB, which shares no code with us. Part of `npm run test:dataset`. */
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatInstant } from '#base/time/time';
import { createParquetFormatter } from '#files/formats/parquet/parquet';
import { SCAN_FIELDS } from '#service/shapes';
import { anyCharacter } from '../../support/any-character.ts';
import { useDirectory } from '../../support/cli.ts';
import { SOAK } from '../../support/property-runs.ts';

const FILES = 1000;
const python = process.env.PYTHON ?? 'python3';
const hasDuckdb = SOAK && spawnSync(python, ['-c', 'import duckdb']).status === 0;

const JUDGE = `
import duckdb, json, sys
wrong = 0
for number, wanted in enumerate(json.load(open('wanted.json'))):
    rows = duckdb.execute('SELECT * EXCLUDE ts, epoch_us(ts) FROM read_parquet(?)', [f'{number}.parquet']).fetchall()
    found = [[str(row[0]), *row[1:-1], str(row[-1])] for row in rows]
    wrong += found != wanted
print(wrong)
`;

it.skipIf(!hasDuckdb)(
  `DuckDB reads the values that were written to ${FILES} random Parquet files`,
  async () => {
    const cwd = await useDirectory();
    const text = fc.option(fc.string({ unit: anyCharacter, maxLength: 12 }), { nil: null });
    const texts = Object.fromEntries(SCAN_FIELDS.slice(2).map((name) => [name, text]));
    const row = fc.record({
      id: fc.oneof(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), fc.maxSafeInteger()),
      ms: fc.integer({ min: 0, max: 4_102_444_800_000 }),
      ...texts,
    });
    const files = fc.sample(fc.array(row, { minLength: 1, maxLength: 60 }), { numRuns: FILES, seed: 17 });
    const wanted = await Promise.all(
      files.map(async (rows, number) => {
        const formatter = createParquetFormatter(SCAN_FIELDS);
        const scans = rows.map(({ ms, ...rest }) => ({ ...rest, ts: formatInstant(ms) }));
        // Each is valid until the next is made.
        const first = Buffer.from(formatter.rows(scans) as Uint8Array);
        await writeFile(
          join(cwd, `${number}.parquet`),
          Buffer.concat([first, Buffer.from(formatter.end() as Uint8Array)]),
        );
        return rows.map(({ id, ms, ...rest }) => [`${id}`, ...Object.values(rest), `${BigInt(ms) * 1000n}`]);
      }),
    );
    await writeFile(join(cwd, 'wanted.json'), JSON.stringify(wanted));
    const judged = spawnSync(python, ['-c', JUDGE], { cwd, encoding: 'utf8' });
    expect(judged).toMatchObject({ stdout: '0\n', status: 0 });
  },
);
