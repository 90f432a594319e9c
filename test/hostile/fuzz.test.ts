/**
 * Damaged input for every parser: a hundred inputs with every change, the same each time; 50,000 new ones in the soak (`npm run
 * test:hostile`). QRCTL_SEED repeats them, QRCTL_FUZZ_ONLY is the parsers to try (by name, with commas between), QRCTL_FUZZ_INPUTS how many.
 */
import { expect, test } from 'vitest';
import { useDirectory } from '../support/cli.ts';
import { runs, SOAK } from '../support/property-runs.ts';
import { fuzz, type ParserReport } from './fuzz.ts';
import { countOf, failureOf, inputOf, PARSERS } from './try-input.ts';

const { seed } = runs(1);
const total = Number(process.env.QRCTL_FUZZ_INPUTS ?? (SOAK ? 50_000 : 100));
const only = process.env.QRCTL_FUZZ_ONLY?.split(',');

function tell({ parser, inputs, slowestMs, slowest, peakMb }: ParserReport): void {
  const figures = `${inputs} inputs, slowest ${Math.round(slowestMs)} ms (number ${slowest}), peak ${Math.round(peakMb)} MB`;
  console.log(`${parser.padEnd(28)} ${figures}`);
}

if (SOAK) {
  test(`each of ${total} damaged inputs is read or refused within the time and memory limits`, {
    timeout: 4 * 3_600_000,
  }, async () => {
    const { reports, findings } = await fuzz({ seed, total, only, parallel: 2, told: tell });
    const told = findings.map(
      ({ parser, number, what, input = '' }) => `${parser} ${number}, seed ${seed}: ${what}\n${input}`,
    );
    expect(told).toEqual([]);
    expect(reports.reduce((sum, { inputs }) => sum + inputs, 0)).toBeGreaterThanOrEqual(only ? 1 : total);
  });
} else {
  test.each(PARSERS.map((parser) => [parser.name, parser] as const))(
    'damaged input for %s is read or refused',
    async (_, parser) => {
      const directory = await useDirectory();
      const count = parser.isApart ? 1 : countOf(parser, total);
      for (let number = 0; number < count; number++) {
        expect(
          await failureOf(parser, inputOf(parser, seed, number), directory),
          `number ${number}`,
        ).toBeUndefined();
      }
    },
  );
}
