/** Number of scans per week that is normal for a code: a range of the negative binomial distribution. */

/** Variation of the level from week to week, relative to its mean (PROTOCOL.md has the simulation). */
const DISPERSION = 0.2;
const TAIL = 0.0005;
/** Expected scans from which the range only scales, because a sum would take long and chance adds less than a hundredth. */
const MOST_SUMMED = 5000;

export const BASELINE_WEEKS = 8;

export interface NormalRange {
  low: number;
  high: number;
}

/**
 * Returns the range of scans in a week that is normal if `baseline` were scanned in the eight weeks before.
 *
 * W3: Poisson counts whose mean varies as a gamma variable have a negative binomial distribution with variance m + m²/r (Greenwood and
 * Yule, 1920, https://doi.org/10.2307/2341080). 1/r is the square of the dispersion, and for the mean that is itself an estimate from
 * `baseline` scans, 1/baseline (the posterior predictive distribution; Gelman et al., Bayesian Data Analysis, 2.6).
 */
export function normalRange(baseline: number): NormalRange {
  const mean = baseline / BASELINE_WEEKS;
  const summed = Math.min(mean, MOST_SUMMED);
  const scale = mean / summed;
  const { low, high } = quantiles(summed, 1 / (DISPERSION ** 2 + 1 / baseline));
  return { low: Math.ceil(low * scale), high: Math.floor(high * scale) };
}

/** Returns the smallest numbers up to which more than TAIL, and at least 1 - TAIL, of the distribution is; `size` is r. */
function quantiles(mean: number, size: number): NormalRange {
  const fraction = mean / (size + mean);
  let probability = (1 - fraction) ** size;
  let sum = probability;
  let low = 0;
  let scans = 0;
  for (; sum < 1 - TAIL; scans++) {
    if (sum <= TAIL) low = scans + 1;
    probability *= (fraction * (scans + size)) / (scans + 1);
    sum += probability;
  }
  return { low, high: scans };
}
