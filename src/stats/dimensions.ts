/** Dimensions that scans can be counted by. */
import { SCAN_FIELDS } from '../service/shapes.ts';

/** By when a scan was, in the zone that was asked for; `hour` is the hour of the day. */
const TIME_DIMENSIONS = ['day', 'week', 'month', 'hour', 'weekday'] as const;
/** By what the scan says of itself: every field but its id and its time. */
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
