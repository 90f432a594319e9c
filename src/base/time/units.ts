/** Unit within which a zone's offset is constant: every offset since 1972 changes at a multiple of it. */
export const QUARTER_MS = 900_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** Returns the weekday, 0 for Monday, of a day since 1970-01-01. */
export function weekdayOfDay(day: number): number {
  return (((day + 3) % 7) + 7) % 7;
}
