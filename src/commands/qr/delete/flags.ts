/** Flags of `qr delete`. */
import { flag, text, type Values } from '../../define.ts';
import { outputOptions } from '../../output-options.ts';
import { codesFrom, resultsOptions, rowsOptions } from '../rows/flags.ts';

export const options = {
  yes: flag('--yes', 'Delete without confirmation', { risky: true }),
  backup: text(
    '--backup <dir>',
    'Pause each code and save it with its scans to DIR; delete it only if the backup is verified as complete',
    { complete: 'directories' },
  ),
  ...rowsOptions,
  from: codesFrom,
  ...resultsOptions,
  ...outputOptions,
};

export type DeleteFlags = Values<typeof options>;
