/** Flags of `qr update`. */
import { CODE_STATUSES } from '../../../service/shapes.ts';
import { choice, flag, text, type Values } from '../../define.ts';
import { outputOptions } from '../../output-options.ts';
import { BULK_GROUP, bulkCodesOptions } from '../bulk-flags.ts';
import { utmOptions } from '../utm-flags.ts';

export const DUE = flag('--due', 'of rows that say when (at), only those whose time has come, each once', { group: BULK_GROUP });

export const IGNORE_DATES = flag('--ignore-dates', 'Apply every row now, also if the file has a column at', {
  group: BULK_GROUP,
});

export const TIMEZONE = text('--timezone <zone>', "Time zone of `at` without one, with --due (default: the profile's timezone)", {
  group: BULK_GROUP,
});

export const options = {
  name: text('--name <name>', 'its new name'),
  destination: text('--destination <address>', "where it points to from now on; '' is sent as it is, to empty it", {
    empty: true,
  }),
  status: choice('--status <status>', 'its new status', CODE_STATUSES),
  force: flag('--force', 'Accept a destination that leads nowhere', { risky: true }),
  due: DUE,
  ignoreDates: IGNORE_DATES,
  timezone: TIMEZONE,
  ...utmOptions,
  ...bulkCodesOptions,
  ...outputOptions,
};

export type UpdateFlags = Values<typeof options>;
