/** Flags of `qr create`. */
import { CODE_TYPES } from '../../../service/shapes.ts';
import { choice, flag, text, type Values } from '../../define.ts';
import { outputOptions } from '../../output-options.ts';
import { changeOptions, decisionOptions, ROWS_GROUP, resultsOptions, rowsOptions } from '../rows/flags.ts';
import { utmOptions } from '../utm-flags.ts';

/** Flags that require `--from`. */
export const fileOptions = {
  ...rowsOptions,
  ...resultsOptions,
  applyEdits: flag('--apply-edits', 'Update the codes of rows that differ from them', {
    group: ROWS_GROUP,
    risky: true,
  }),
  ...decisionOptions,
  ...changeOptions,
};

export const options = {
  name: text('--name <name>', 'Name of the code'),
  type: choice('--type <type>', 'Code type (default: url)', CODE_TYPES),
  destination: text('--destination <address>', 'Address that the code opens'),
  force: flag('--force', 'Accept unusable destinations and sorted columns', { risky: true }),
  template: flag('--template', 'Print a template for --from, as CSV or .xlsx'),
  ...utmOptions,
  ...fileOptions,
  ...outputOptions,
};

export type CreateFlags = Values<typeof options>;
