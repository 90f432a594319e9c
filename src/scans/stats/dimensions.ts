import { UTM_NAMES } from '#base/text/utm';
import { SCAN_FIELDS } from '#service/shapes';

const TIME_DIMENSIONS = ['day', 'week', 'month', 'hour', 'weekday'] as const;
export const VALUE_DIMENSIONS = SCAN_FIELDS.filter((field) => field !== 'id' && field !== 'ts');
const UTM_DIMENSIONS = UTM_NAMES.map((name) => `utm_${name}` as const);

export const DIMENSIONS = [...TIME_DIMENSIONS, ...VALUE_DIMENSIONS, 'code', ...UTM_DIMENSIONS] as const;

export type TimeDimension = (typeof TIME_DIMENSIONS)[number];
export type ValueDimension = (typeof VALUE_DIMENSIONS)[number];
export type Dimension = (typeof DIMENSIONS)[number];

export type GroupBy =
  | { kind: 'time'; by: TimeDimension }
  | { kind: 'value'; by: ValueDimension }
  | { kind: 'code'; by: 'code' }
  | { kind: 'utm'; by: (typeof UTM_DIMENSIONS)[number] }
  | { kind: 'column'; by: string };

export function groupOf(dimension: Dimension): GroupBy {
  if (isOneOf(TIME_DIMENSIONS, dimension)) return { kind: 'time', by: dimension };
  if (isOneOf(VALUE_DIMENSIONS, dimension)) return { kind: 'value', by: dimension };
  return isOneOf(UTM_DIMENSIONS, dimension) ? { kind: 'utm', by: dimension } : { kind: 'code', by: 'code' };
}

function isOneOf<D extends string>(dimensions: readonly D[], dimension: string): dimension is D {
  return (dimensions as readonly string[]).includes(dimension);
}

export function isRecurring({ kind, by }: GroupBy): boolean {
  return kind === 'time' && (by === 'hour' || by === 'weekday');
}

export function unitsOfTime(groups: readonly GroupBy[]): TimeDimension[] {
  return groups.flatMap((group) => (group.kind === 'time' ? [group.by] : []));
}

export function fieldsOf(groups: readonly GroupBy[]): ValueDimension[] {
  return groups.flatMap((group) => (group.kind === 'value' ? [group.by] : []));
}
