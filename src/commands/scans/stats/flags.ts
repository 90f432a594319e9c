/** Flags of `scans stats`. */
import { flag, type Values } from '../../define.ts';
import { outputOptions } from '../../output-options.ts';
import { countOptions } from '../counting/count-options.ts';

export const options = {
  ...countOptions,
  dryRun: flag('--dry-run', 'say what would be read: codes, range, scans, requests and time'),
  ...outputOptions,
};

export type StatsFlags = Values<typeof options>;
