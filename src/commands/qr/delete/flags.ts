/** Flags of `qr delete`. */
import { flag, text, type Values } from '../../define.ts';
import { outputOptions } from '../../output-options.ts';
import { bulkCodesOptions } from '../bulk-flags.ts';

export const options = {
  yes: flag('--yes', 'Delete without confirmation', { risky: true }),
  backup: text(
    '--backup <dir>',
    'Pause each code and save it with its scans to DIR; delete it only if the backup is verified as complete',
    { complete: 'directories' },
  ),
  ...bulkCodesOptions,
  ...outputOptions,
};

export type DeleteFlags = Values<typeof options>;
