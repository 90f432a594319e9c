/** Flags of `qr delete`. */
import { flag, text, type Values } from '../../define.ts';
import { outputOptions } from '../../output-options.ts';
import { bulkCodesOptions } from '../bulk-flags.ts';

export const options = {
  yes: flag('--yes', 'do not ask', { risky: true }),
  backup: text(
    '--backup <dir>',
    'save each code and all its scans there first; pauses an active code, and deletes only what is proven complete',
    {
      complete: 'directories',
    },
  ),
  ...bulkCodesOptions,
  ...outputOptions,
};

export type DeleteFlags = Values<typeof options>;
