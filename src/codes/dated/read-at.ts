import { Temporal } from 'temporal-polyfill';
import { parseInstant } from '#base/time/time';
import type { InputCell } from '#codes/input/columns';
import { showValue } from '#files/formats/read/input';

const AT =
  /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?))?\s*(Z|z|[+-]\d\d:?\d\d)?\s*(?:\[?([A-Za-z][\w+-]*(?:\/[\w+-]+)*)\]?)?$/;

/**
 * Parses a time, or a date as the start of the day, to epoch ms, or reports a fault. `defaultZone` (IANA)
 * applies to cells without a zone or offset.
 */
export function readAt(
  { value, fault }: Pick<InputCell, 'value' | 'fault'>,
  defaultZone?: string,
): number | undefined {
  if ((value ?? '') === '') {
    fault('is empty: each row needs a time');
    return undefined;
  }
  const text = typeof value === 'string' ? value.trim() : '';
  const [, date, time, offset, named] = AT.exec(text) ?? [];
  const zone = named ?? (offset === undefined ? defaultZone : undefined);
  const local = `${date}T${time ?? '00:00'}`;
  const localMs = parseInstant(`${local}Z`);
  if (localMs === undefined) {
    fault(
      `${showValue(value)} is not a time (expected a format such as 2026-11-27T18:00+01:00, 2026-11-27 18:00 Europe/Berlin, or with --timezone 2026-11-27)`,
    );
    return undefined;
  }
  const exact = offset === undefined ? undefined : parseInstant(`${local}${offset}`);
  if (offset !== undefined && exact === undefined) {
    fault(`${showValue(value)} is not a valid time`);
    return undefined;
  }
  if (zone === undefined) {
    if (exact === undefined)
      fault(
        `${showValue(value)} has no time zone: add Z, an offset such as +01:00, or a name such as Europe/Berlin, or pass --timezone`,
      );
    return exact;
  }
  const possible = instantsOf(localMs, zone, time === undefined);
  const problem = problemOf(possible, exact);
  if (problem === undefined) return exact ?? possible?.[0];
  fault(`${showValue(value)} ${problem}`);
  return undefined;
}

function instantsOf(localMs: number, zone: string, isDay: boolean): number[] | undefined {
  const plain = Temporal.Instant.fromEpochMilliseconds(localMs).toZonedDateTimeISO('UTC').toPlainDateTime();
  try {
    if (isDay) return [plain.toPlainDate().toZonedDateTime(zone).epochMilliseconds];
    const found = (['earlier', 'later'] as const).map((disambiguation) =>
      plain.toZonedDateTime(zone, { disambiguation }),
    );
    const real = found.filter((moment) => moment.toPlainDateTime().equals(plain));
    return [...new Set(real.map(({ epochMilliseconds }) => epochMilliseconds))];
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function problemOf(possible: readonly number[] | undefined, exact: number | undefined): string | undefined {
  if (possible === undefined) return 'has an unknown time zone';
  if (possible.length === 0) return 'does not exist in its time zone because clocks are set forward';
  if (exact !== undefined)
    return possible.includes(exact)
      ? undefined
      : 'has an offset that its time zone does not use at that time';
  return possible.length > 1
    ? 'occurs twice in its time zone because clocks are set back: add an offset'
    : undefined;
}
