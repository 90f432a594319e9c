/** Tries a property that names no number of runs 25 times by day, and 100 times when QRCTL_SOAK=1. */
import fc from 'fast-check';
import { SOAK } from './property-runs.ts';

fc.configureGlobal({ numRuns: SOAK ? 100 : 25 });
