/** Parsers of what users type, and of what is kept of settings. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { parseUrl } from '#base/text/parse-url';
import { quote, shown } from '#base/text/quote';
import { fillShortUrl, isShortUrl, parseShortUrl } from '#base/text/short-url';
import { addUtm } from '#base/text/utm';
import { parseMoment } from '#base/time/moments';
import { parsePeriod, periodYearBefore, previousPeriod } from '#base/time/periods';
import { parseDuration, parseHttpDate, parseInstant } from '#base/time/time';
import { chooseTimeZone } from '#base/time/time-zone';
import { readAt } from '#codes/dated/read-at';
import { findDestinationProblem } from '#codes/destinations/destination';
import { resolveSheet } from '#codes/images/label-sheet';
import { sheetOptions, styleOptions } from '#commands/qr/image-flags';
import { parseBaseUrl } from '#service/base-url';
import { excerpt } from '#service/excerpt';
import { parseScanTime } from '#service/scan-times';
import { createSlugMemory } from '#service/slug-memory';
import { checkSetting } from '#settings/resolve';
import { readStore } from '#settings/store';
import { SETTING_KEYS } from '#settings/values';
import type { Parser } from './file-parsers.ts';
import { ID } from './samples.ts';

import { each, texts } from './tried.ts';

const NOW_MS = 1_790_000_000_000;
const UTM = { source: 'poster', term: 'a b' };

const TIMES = texts(
  ...[
    '2026-03-29',
    '2026-03-29T02:30',
    '2026-03-29 14:30:00,123+01:00',
    '24h',
    'now',
    'yesterday',
    '01.03.2026',
    '3 days ago',
    '500ms',
  ],
  ...[
    '2026-Q4',
    '2026-W53',
    'last-month',
    '2026',
    '2026-11-27 18:00 Europe/Berlin',
    '2026-11-27T18:00[America/New_York]',
    '2w',
  ],
  ...[
    'Sun, 06 Nov 1994 08:49:37 GMT',
    'Sunday, 06-Nov-94 08:49:37 GMT',
    'Sun Nov  6 08:49:37 1994',
    '2026-10-01T01:02:03.004005Z',
  ],
);

function parseTimes(bytes: Buffer) {
  const text = bytes.toString();
  return each([
    () => parseMoment(text, { flag: '--since', nowMs: NOW_MS, timezone: () => 'Europe/Berlin' }),
    () =>
      [parsePeriod(text, { flag: '--during', nowMs: NOW_MS, timezone: 'America/Sao_Paulo' })].map(
        (period) => [previousPeriod(period), periodYearBefore(period)],
      ),
    () => [parseDuration, parseInstant, parseScanTime, parseHttpDate].map((parse) => parse(text)),
    () => readAt({ value: text, fault: () => undefined }, 'Australia/Lord_Howe'),
  ]);
}

function parseAddresses(bytes: Buffer) {
  const text = bytes.toString();
  const template = parseShortUrl(text);
  return each([
    () => parseBaseUrl(text),
    () => findDestinationProblem(text),
    () => template !== undefined && fillShortUrl(template, { id: ID, slug: text.slice(0, 50) }),
    () => template !== undefined && isShortUrl(template, parseUrl('https://example.com/%7ea//b%ff') as URL),
    () => isShortUrl('https://example.com/{slug}', parseUrl(text) ?? new URL('https://example.com/x')),
    () => SETTING_KEYS.map((key) => each([() => checkSetting(key, text)])),
    () => [quote(text), shown(text), excerpt(text, (same) => same)],
  ]).then(() => each([() => addUtm(text, UTM)], RangeError));
}

const LABELS = [
  'L7160',
  'Avery 5160',
  'Zweckform L4732',
  '3x7',
  '63.5x38.1mm',
  '4x2in',
  '10mm',
  '30mm',
  '1.2in',
  '#fff',
  '#003366',
  'none',
  'https://a.b/{slug}',
];

function parseLabels(bytes: Buffer) {
  const text = bytes.toString();
  const flags: Record<string, unknown> = {};
  const read = Object.entries({ ...sheetOptions, ...styleOptions }).map(([name, { parse }]) => () => {
    flags[name] = (parse as ((raw: string, before: undefined) => unknown) | undefined)?.(text, undefined);
  });
  return each(
    [...read, () => resolveSheet({ ...(flags as object), label: { widthMm: 60, heightMm: 30 } } as never)],
    InvalidArgumentError,
  );
}

const CONFIG = `{"version":1,"current":"work","profiles":{"work":{"baseUrl":"https://qr.example/api/v1","apiKey":"svc_live_a","keyBaseUrl":"https://qr.example/api/v1","timezone":"UTC"}}}`;

function parseConfig(bytes: Buffer, directory: string): Promise<void> {
  const home = join(directory, 'config');
  mkdirSync(home, { recursive: true, mode: 0o700 });
  writeFileSync(join(home, 'config.json'), bytes, { mode: 0o600 });
  return each([() => readStore({ QRCTL_CONFIG_DIR: home })]);
}

async function parseCache(bytes: Buffer): Promise<void> {
  const read = async () => {
    try {
      return JSON.parse(bytes.toString());
    } catch {
      return undefined;
    }
  };
  const slugs = createSlugMemory({ read, has: async () => false, write: async () => undefined });
  slugs.note([{ id: ID, slug: 'a', name: 'A' }]);
  await slugs.idOf('menu');
  await slugs.save();
}

export const TEXT_PARSERS: readonly Parser[] = [
  { name: 'times and periods', share: 6, samples: TIMES, parse: parseTimes },
  {
    name: 'zones',
    share: 2,
    samples: texts(
      'Europe/Berlin',
      'UTC',
      ':America/New_York',
      '/usr/share/zoneinfo/Asia/Tokyo',
      'GMT0',
      '+05:30',
      'CET-1CEST,M3.5.0',
    ),
    parse: (bytes) =>
      each(
        [{ flag: `${bytes}` }, { setting: `${bytes}` }, { TZ: `${bytes}` }].map(
          (zone) => () => chooseTimeZone(zone),
        ),
      ),
  },
  {
    name: 'addresses',
    share: 4,
    samples: texts(
      'https://example.com/a?utm_source=x#top',
      'http://localhost:8080/api/v1',
      'https://münchen.example/{slug}',
      'example.com:8080/menu',
      'https://[::1]:9/%7Ea',
    ),
    parse: parseAddresses,
  },
  { name: 'labels', share: 2, samples: texts(...LABELS), parse: parseLabels },
  { name: 'config', share: 2, samples: texts(CONFIG), parse: parseConfig },
  {
    name: 'cache',
    share: 2,
    samples: texts(`{"listing":{"atMs":1,"answered":true},"codes":[["menu","${ID}","Menu"]]}`),
    parse: parseCache,
  },
];
