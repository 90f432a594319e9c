/** Flags of `qr update`. */
import { CODE_STATUSES } from '../../../service/shapes.ts';
import { choice, flag, text, type Values } from '../../define.ts';
import { outputOptions } from '../../output-options.ts';
import { changeOptions, codesFrom, ROWS_GROUP, resultsOptions, rowsOptions } from '../rows/flags.ts';
import { utmOptions } from '../utm-flags.ts';

/** Flags that require `--from`. */
export const fileOptions = {
  due: flag('--due', 'Apply only rows whose `at` time has passed', { group: ROWS_GROUP }),
  ignoreDates: flag('--ignore-dates', 'Apply every row now, ignoring the `at` column', { group: ROWS_GROUP }),
  timezone: text('--timezone <zone>', "Time zone of `at` (default: the profile's)", { group: ROWS_GROUP }),
  ...rowsOptions,
  from: codesFrom,
  ...resultsOptions,
  ...changeOptions,
};

export const options = {
  name: text('--name <name>', 'New name of the code'),
  destination: text('--destination <address>', "New address that the code opens ('' for none)", {
    empty: true,
  }),
  status: choice('--status <status>', 'New status of the code', CODE_STATUSES),
  force: flag('--force', 'Accept unusable destinations and sorted columns', { risky: true }),
  ...utmOptions,
  ...fileOptions,
  ...outputOptions,
};

export type UpdateFlags = Values<typeof options>;
