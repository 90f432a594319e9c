import type { Buffer } from 'node:buffer';
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { MOST_BYTES } from '#base/bounds';
import { orUndefined, UsageError } from '#base/errors';
import { shown } from '#base/text/quote';

const FORMS = 'Use an IANA name such as Europe/Berlin, America/New_York or UTC.';

interface TimeZoneInputs {
  flag?: string;
  setting?: string;
  TZ?: string;
}

/** Returns the zone by flag, setting or TZ (default: the machine's). Throws UsageError for an unknown one. */
export function chooseTimeZone({ flag, setting, TZ }: TimeZoneInputs): string {
  if (flag !== undefined) return checked('value for --timezone', flag, FORMS);
  const stored = 'Set it with `qrctl config set timezone Europe/Berlin`, or pass --timezone.';
  if (setting !== undefined) return checked('timezone in the profile', setting, stored);
  if (TZ === undefined) return machineTimeZone() ?? 'UTC';
  const text = TZ.replace(/^:/, '');
  const name = text.startsWith('/') ? nameOfFile(text) : text.replace(/^(posix|right)\//, '');
  // In POSIX, an empty TZ means UTC.
  if (/^(UTC0?|GMT0?|)$/.test(name)) return 'UTC';
  const hint = 'Set the environment variable TZ to an IANA name, or pass --timezone.';
  return checked('value for TZ', name, hint, TZ);
}

const ZONES = '/usr/share/zoneinfo/';
const MACHINE = '/etc/localtime';

/** Finds a file's zone by its path or by an identical system file. If it is unknown, returns the path. */
function nameOfFile(path: string): string {
  const target = orUndefined(() => realpathSync(path));
  for (const place of [path, target ?? '']) {
    const [, name = ''] = /\/zoneinfo[^/]*\/(?:posix\/|right\/)?(.+)$/.exec(place) ?? [];
    if (isTimeZone(name)) return name;
  }
  // Without /etc/localtime, a machine is in UTC.
  if (target === undefined) return path === MACHINE ? 'UTC' : path;
  const content = readZone(target);
  if (!content) return path;
  return (
    ['UTC', ...Intl.supportedValuesOf('timeZone')].find((name) => readZone(ZONES + name)?.equals(content)) ??
    path
  );
}

function readZone(file: string): Buffer | undefined {
  return orUndefined(() => {
    const found = statSync(file);
    return found.isFile() && found.size <= MOST_BYTES.timeZone ? readFileSync(file) : undefined;
  });
}

export function timeZoneToShow(inputs: TimeZoneInputs): string {
  return orUndefined(() => chooseTimeZone(inputs), UsageError) ?? 'UTC';
}

function checked(subject: string, name: string, hint: string, typed = name): string {
  if (isTimeZone(name)) return name;
  throw new UsageError(`invalid ${subject}: '${shown(typed)}' (expected a time zone such as Europe/Madrid)`, {
    hint,
  });
}

export function isTimeZone(name: string): boolean {
  return orUndefined(() => new Intl.DateTimeFormat('en', { timeZone: name })) !== undefined;
}

function machineTimeZone(): string | undefined {
  const { timeZone }: { timeZone: string | undefined } = new Intl.DateTimeFormat('en').resolvedOptions();
  return timeZone !== undefined && isTimeZone(timeZone) ? timeZone : undefined;
}
