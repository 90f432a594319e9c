import { formatInstant, QUARTER_MS } from './time.ts';

export type LocalTime = ReturnType<typeof createLocalTime>;

const MOST_QUARTERS = 150_000;

/** Creates a converter to a zone's time. It caches offsets: an export has millions of rows. */
export function createLocalTime(zone: string) {
  const formatter = new Intl.DateTimeFormat('en', {
    timeZone: zone,
    timeZoneName: 'longOffset',
    year: 'numeric',
  });
  const offsets = new Map<number, number | undefined>();

  const exactOffset = (instantMs: number) => parseOffset(formatter.format(instantMs));

  /** Returns the offset in a quarter hour; undefined if it changes, as in some zones before 2012. */
  function offsetOf(quarter: number): number | undefined {
    if (offsets.has(quarter)) return offsets.get(quarter);
    const first = exactOffset(quarter * QUARTER_MS);
    const last = exactOffset((quarter + 1) * QUARTER_MS - 1);
    if (offsets.size >= MOST_QUARTERS) offsets.clear();
    offsets.set(quarter, first === last ? first : undefined);
    return offsets.get(quarter);
  }

  const offsetMs = (instantMs: number): number =>
    offsetOf(Math.floor(instantMs / QUARTER_MS)) ?? exactOffset(instantMs);
  const format = (instantMs: number): string =>
    formatInstant(instantMs + offsetMs(instantMs))
      .replace('T', ' ')
      .replace(/\.\d{3}Z$/, '');
  return { zone, offsetMs, format };
}

/** Parses `2026, GMT+02:00`, `1969, GMT-00:44:30` or `2026, GMT` to an offset in ms. */
function parseOffset(text: string): number {
  const found = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(text);
  if (!found) throw new Error(`no offset from UTC in '${text}'`);
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = found;
  const ms = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  return sign === '-' ? -ms : ms;
}
