import { parseShortUrl } from '#base/text/short-url';
import { parseDuration } from '#base/time/time';
import { isTimeZone } from '#base/time/time-zone';
import { DELIMITERS, type Delimiter, FORMATS } from '#files/formats/formats';
import type { Reserve } from '#service/rate-limit/rate-window';

const MAX_CONCURRENCY = 32;
export const DEFAULT_CONCURRENCY = 4;

function parseReserve(text: string): Reserve | undefined {
  const found = /^(\d{1,9})(%?)$/.exec(text);
  if (!found) return undefined;
  const amount = Number(found[1]);
  if (!found[2]) return { requests: amount };
  return amount <= 100 ? { percent: amount } : undefined;
}

function parseConcurrency(text: string): number | undefined {
  const value = /^\d{1,2}$/.test(text) ? Number(text) : 0;
  return value >= 1 && value <= MAX_CONCURRENCY ? value : undefined;
}

function parseDelimiter(text: string): Delimiter | undefined {
  return Object.entries(DELIMITERS).find(([name, character]) => text === name || text === character)?.[1];
}

function parseSwitch(text: string): boolean | undefined {
  if (['yes', 'true', 'on', '1'].includes(text)) return true;
  return ['no', 'false', 'off', '0'].includes(text) ? false : undefined;
}

export const VALUES = {
  format: {
    parse: (text: string) => FORMATS.find((format) => format === text),
    forms: `one of ${FORMATS.join(', ')}`,
  },
  timezone: {
    parse: (text: string) => (isTimeZone(text) ? text : undefined),
    forms: 'an IANA time zone such as Europe/Madrid or UTC',
  },
  reserve: {
    parse: parseReserve,
    forms: 'a number of requests such as 20, or a share of the limit such as 10%',
  },
  concurrency: {
    type: 'integer',
    parse: parseConcurrency,
    forms: `a whole number from 1 to ${MAX_CONCURRENCY}`,
  },
  'max-wait': {
    type: 'duration',
    parse: parseDuration,
    forms: 'a duration such as 500ms, 30s, 15m, 24h, 7d or 2w',
  },
  delimiter: { parse: parseDelimiter, forms: 'a comma, a semicolon (quoted for the shell) or tab' },
  'short-url': {
    parse: parseShortUrl,
    forms: 'an https:// or http:// URL with {slug} or {id} for the code, such as https://HOST/{slug}',
  },
  accessible: { parse: parseSwitch, forms: 'yes or no' },
} as const satisfies Record<
  string,
  { parse: (text: string) => unknown; forms: string; type?: 'integer' | 'duration' }
>;

type ValueKey = keyof typeof VALUES;

export const SETTING_KEYS = ['base-url', ...(Object.keys(VALUES) as ValueKey[]), 'key-command'] as const;

export type SettingKey = (typeof SETTING_KEYS)[number];
