import { scaleBand, scaleLinear } from 'd3-scale';
import type { ColumnChart } from './document.ts';

type Columns = ColumnChart['columns'];

/** Returns a scale from zero. Ticks are whole numbers if all current values are. */
export function valueScale(columns: Columns, range: [zero: number, top: number]) {
  const most = columns.reduce((all, { value, previous }) => Math.max(all, value, previous ?? 0), 0) || 1;
  const scale = scaleLinear([0, most], range).nice(4);
  const isWhole = columns.every(({ value }) => Number.isInteger(value));
  return {
    place: (value: number) => scale(value),
    ticks: scale.ticks(4).filter((tick) => !isWhole || Number.isInteger(tick)),
  };
}

export function columnScale(columns: Columns, range: [first: number, last: number]) {
  const scale = scaleBand(
    columns.map((_, at) => at),
    range,
  )
    .paddingInner(columns.length > 60 ? 0.1 : 0.28)
    .paddingOuter(0.1);
  const width = scale.bandwidth();
  const left = (at: number) => scale(at) ?? 0;
  return { width, left, center: (at: number) => left(at) + width / 2 };
}

/** Places labels. Unless every column has one, a label at an outer column aligns with the chart's edge. */
export function placeLabels(count: number, most: number) {
  const step = Math.max(1, Math.ceil((count - 1) / Math.max(1, most - 1)));
  return Array.from({ length: Math.ceil(count / step) }, (_, place) => {
    const at = place * step;
    const isWithin = step === 1 || (at > 0 && at < count - 1);
    const outer = at === 0 ? ('start' as const) : ('end' as const);
    return { at, align: isWithin ? ('center' as const) : outer };
  });
}
