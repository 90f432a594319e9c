/** Flags of `qr update`. */
import { CODE_STATUSES } from '../../../service/shapes.ts';
import { choice, flag, text, type Values } from '../../define.ts';
import { outputOptions } from '../../output-options.ts';
import { BULK_GROUP, bulkCodesOptions } from '../bulk-flags.ts';
import { utmOptions } from '../utm-flags.ts';

export const DUE = flag('--due', 'Apply only rows whose `at` time has passed', { group: BULK_GROUP });

export const IGNORE_DATES = flag('--ignore-dates', 'Apply every row now, ignoring the `at` column', { group: BULK_GROUP });

export const TIMEZONE = text('--timezone <zone>', "Time zone of `at` (default: the profile's)", { group: BULK_GROUP });

export const options = {
  name: text('--name <name>', 'New name of the code'),
  destination: text('--destination <address>', "New address that the code opens ('' for none)", { empty: true }),
  status: choice('--status <status>', 'New status of the code', CODE_STATUSES),
  force: flag('--force', 'Accept destinations that cannot be opened', { risky: true }),
  due: DUE,
  ignoreDates: IGNORE_DATES,
  timezone: TIMEZONE,
  ...utmOptions,
  ...bulkCodesOptions,
  ...outputOptions,
};

export type UpdateFlags = Values<typeof options>;
