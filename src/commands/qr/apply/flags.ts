/** Flags of `qr apply`. */
import { choice, flag, text, type Values } from '../../define.ts';
import { outputOptions } from '../../output-options.ts';
import { changeOptions, decisionOptions, ROWS_GROUP, rowsOptions } from '../rows/flags.ts';

const GROUP = { group: ROWS_GROUP };

export const options = {
  ...rowsOptions,
  key: text('--key <column>', 'Column that contains the keys (default: key)', GROUP),
  lock: text('--lock <file>', 'Lock file (default: NAME.lock.json)', {
    ...GROUP,
    complete: 'files',
    writes: true,
  }),
  init: flag('--init', 'Write --output and a lock file of existing codes', GROUP),
  ...decisionOptions,
  adoptExisting: flag('--adopt-existing', 'Assign existing codes with the values of a row to its key', {
    ...GROUP,
    risky: true,
  }),
  removed: choice('--removed <action>', 'Action for the codes of removed keys', ['report', 'pause'], GROUP),
  ...changeOptions,
  force: flag('--force', 'Accept unusable destinations and sorted columns', { ...GROUP, risky: true }),
  ...outputOptions,
};

export type ApplyFlags = Values<typeof options>;
