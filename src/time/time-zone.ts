/** Which time zone is meant: what a person asked for, or the machine's. */
import { UsageError } from '../errors.ts';
import { shown } from '../text/quote.ts';

const FORMS = 'Use an IANA name such as Europe/Berlin, America/New_York or UTC.';

/** Where a zone may be said: a flag beats a profile's setting, and that the machine's (`TZ` of the environment, or its own). */
export interface TimeZoneInputs {
  flag?: string | undefined;
  setting?: string | undefined;
  /** The variable TZ. */
  TZ?: string | undefined;
}

/**
 * The IANA name of the zone in force. Throws UsageError that names whichever of the three is no zone: node takes a TZ it does not know for
 * UTC, without a word, and days would begin at another hour than meant.
 */
export function chooseTimeZone({ flag, setting, TZ }: TimeZoneInputs): string {
  if (flag !== undefined) return checked('value for --timezone', flag, FORMS);
  if (setting !== undefined)
    return checked(
      'timezone in the profile',
      setting,
      'Set it with `qrctl config set timezone Europe/Berlin`, or pass `--timezone`.',
    );
  if (TZ === undefined) return machineTimeZone() ?? 'UTC';
  const name = TZ.replace(/^:/, '').replace(/^\/usr\/share\/zoneinfo\//, '');
  // POSIX: a TZ that is empty is UTC.
  if (/^(UTC0?|GMT0?|)$/.test(name)) return 'UTC';
  return checked('value for TZ', name, 'Set the environment variable TZ to an IANA name, or pass `--timezone`.', TZ);
}

/** As `chooseTimeZone`, for what only shows times: UTC in place of a failure. */
export function timeZoneToShow(inputs: TimeZoneInputs): string {
  try {
    return chooseTimeZone(inputs);
  } catch (error) {
    if (error instanceof UsageError) return 'UTC';
    throw error;
  }
}

function checked(subject: string, name: string, hint: string, typed = name): string {
  if (isTimeZone(name)) return name;
  throw new UsageError(`invalid ${subject}: '${shown(typed)}' (expected a time zone such as Europe/Madrid)`, { hint });
}

/** Whether this machine knows a zone of that name (IANA; case does not matter). */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Undefined where the system names none. */
function machineTimeZone(): string | undefined {
  const { timeZone }: { timeZone: string | undefined } = new Intl.DateTimeFormat('en').resolvedOptions();
  return timeZone !== undefined && isTimeZone(timeZone) ? timeZone : undefined;
}
