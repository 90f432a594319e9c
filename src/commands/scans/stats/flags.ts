/** Flags of `scans stats`. */
import { flag, type Values } from '../../define.ts';
import { outputOptions } from '../../output-options.ts';
import { countOptions } from '../counting/count-options.ts';

export const options = {
  ...countOptions,
  dryRun: flag('--dry-run', 'Show scans, requests and time; count nothing'),
  ...outputOptions,
};

export type StatsFlags = Values<typeof options>;
