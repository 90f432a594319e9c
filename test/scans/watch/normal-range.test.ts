import { describe, expect, it } from 'vitest';
import { normalRange } from '#scans/watch/judge';

describe('the normal range', () => {
  it.each([
    [240, 8, 64],
    [560, 26, 136],
    [4000, 227, 907],
    [40_000, 2339, 8967],
  ])(
    'for a baseline of %d matches probabilities that are computed with the gamma function (W3)',
    (baseline, low, high) => {
      expect(normalRange(baseline)).toEqual({ low, high });
      expect([low, high]).toEqual(quantilesByGamma(baseline));
    },
  );

  it('is scaled for large numbers, with an error below 0.5 %', () => {
    const { low, high } = normalRange(800_000);
    const [exactLow, exactHigh] = quantilesByGamma(800_000);
    expect(low / exactLow).toBeCloseTo(1, 2);
    expect(high / exactHigh).toBeCloseTo(1, 2);
    expect(normalRange(8e12).high / 1e12).toBeCloseTo(1.79, 2);
  });

  it('makes zero scans less likely than one in a million if 30 are expected, so that a silence needs no separate bound', () => {
    const size = 1 / (0.2 ** 2 + 1 / 240);
    expect((size / (size + 30)) ** size).toBeLessThan(1e-6);
  });
});

/** Both ends, by other means: each probability from the logarithm of the gamma function. */
function quantilesByGamma(baseline: number): [low: number, high: number] {
  const mean = baseline / 8;
  const size = 1 / (0.2 ** 2 + 1 / baseline);
  const probability = (scans: number) =>
    Math.exp(
      logGamma(scans + size) -
        logGamma(size) -
        logGamma(scans + 1) +
        size * Math.log(size / (size + mean)) +
        scans * Math.log(mean / (size + mean)),
    );
  let sum = 0;
  let low: number | undefined;
  for (let scans = 0; ; scans++) {
    sum += probability(scans);
    if (low === undefined && sum > 0.0005) low = scans;
    if (low !== undefined && sum >= 0.9995) return [low, scans];
  }
}

/** Stirling's series, after a shift to where it is exact. */
function logGamma(x: number): number {
  let shift = 0;
  let at = x;
  for (; at < 20; at++) shift -= Math.log(at);
  return (
    shift + (at - 0.5) * Math.log(at) - at + Math.log(2 * Math.PI) / 2 + 1 / (12 * at) - 1 / (360 * at ** 3)
  );
}
