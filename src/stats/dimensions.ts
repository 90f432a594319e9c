/** Dimensions that scans can be counted by. */
import { SCAN_FIELDS } from '../service/shapes.ts';

/** Dimensions of the time of a scan, in the requested zone; `hour` is the hour of the day. */
const TIME_DIMENSIONS = ['day', 'week', 'month', 'hour', 'weekday'] as const;
/** Dimensions of the fields of a scan: all but its ID and its time. */
const VALUE_DIMENSIONS = SCAN_FIELDS.filter((field) => field !== 'id' && field !== 'ts');

/** Values of `--by`. */
export const DIMENSIONS = [...TIME_DIMENSIONS, ...VALUE_DIMENSIONS, 'code'] as const;

export type TimeDimension = (typeof TIME_DIMENSIONS)[number];
export type ValueDimension = (typeof VALUE_DIMENSIONS)[number];
export type Dimension = (typeof DIMENSIONS)[number];

export function isTimeDimension(dimension: Dimension): dimension is TimeDimension {
  return (TIME_DIMENSIONS as readonly string[]).includes(dimension);
}

export function isValueDimension(dimension: Dimension): dimension is ValueDimension {
  return (VALUE_DIMENSIONS as readonly string[]).includes(dimension);
}
