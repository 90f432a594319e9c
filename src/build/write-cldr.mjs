/** Writes CLDR data for reports. Node's data differs by version, but equal scans must give equal reports. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Version of CLDR, also in src/build/licenses.mjs. */
const VERSION = '48.2.0';
const PACKAGES = ['cldr-dates-full', 'cldr-numbers-full', 'cldr-localenames-full'];
const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pt', 'pl', 'ja', 'ar'];
/** Locales for dates. en-001 puts the day before the month, which is clear in every country. */
const DATES_OF = { en: 'en-001' };
/** Text for the first day of a month. French writes an ordinal number (1er), which CLDR lacks. */
const FIRST_DAY = { fr: '1er' };
/** Word between the ends of a range in a sentence: `17 to 23 November 2026`. */
const TO = { en: 'to' };
const SHORT_NAMES = new Set(['HK', 'MO', 'PS']);
const WEEKDAY_WIDTH = { ar: 'short' };
const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

const [target = 'src/scans/report/languages/cldr'] = process.argv.slice(2);
const directory = mkdtempSync(join(tmpdir(), 'qrctl-cldr-'));
try {
  for (const name of PACKAGES) {
    const [{ filename }] = JSON.parse(
      execFileSync('npm', ['pack', '--json', '--silent', `${name}@${VERSION}`], {
        cwd: directory,
        encoding: 'utf8',
      }),
    );
    mkdirSync(join(directory, name));
    execFileSync('tar', ['-xzf', filename, '-C', name, '--strip-components=1'], { cwd: directory });
  }
  mkdirSync(target, { recursive: true });
  for (const language of LANGUAGES) {
    writeFileSync(join(target, `${language}.json`), formatJson(dataOf(language)));
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}

function formatJson({ countries, ...data }) {
  const letters = [...new Set(Object.keys(countries).map(([letter]) => letter))];
  const named = (letter) => Object.entries(countries).filter(([code]) => code.startsWith(letter));
  const lines = letters.map((letter) => `    ${named(letter).map(formatEntry).join(', ')}`);
  const entries = Object.entries(data).map((entry) => `  ${formatEntry(entry)},\n`);
  return `{\n${entries.join('')}  "countries": {\n${lines.join(',\n')}\n  }\n}\n`;
}

function formatEntry([key, value]) {
  return `${JSON.stringify(key)}: ${JSON.stringify(value)}`;
}

function dataOf(language) {
  const { numbers } = read('cldr-numbers-full', language, 'numbers');
  const { decimal, group } = numbers['symbols-numberSystem-latn'];
  const names = read('cldr-dates-full', language, 'ca-gregorian').dates.calendars.gregorian;
  return {
    // Latin digits, also for Arabic (CLDR's default for `ar`).
    decimal,
    group,
    minimumGroupingDigits: Number(numbers.minimumGroupingDigits),
    percent: numbers['percentFormats-numberSystem-latn'].standard.replace(/[#,0]+/, '{0}'),
    months: {
      format: Object.values(names.months.format.wide),
      alone: Object.values(names.months['stand-alone'].wide),
      shortFormat: Object.values(names.months.format.abbreviated),
      shortAlone: Object.values(names.months['stand-alone'].abbreviated),
    },
    quarters: Object.values(names.quarters.format.wide),
    weekdays: {
      long: WEEKDAYS.map((day) => names.days['stand-alone'].wide[day]),
      short: WEEKDAYS.map((day) => names.days['stand-alone'][WEEKDAY_WIDTH[language] ?? 'abbreviated'][day]),
    },
    ...(FIRST_DAY[language] && { firstDay: FIRST_DAY[language] }),
    patterns: patternsOf(language),
    countries: countriesOf(language),
  };
}

/** Returns date patterns (https://unicode.org/reports/tr35/tr35-dates.html#Date_Format_Patterns). */
function patternsOf(language) {
  const { dateFormats, dateTimeFormats } = read(
    'cldr-dates-full',
    DATES_OF[language] ?? language,
    'ca-gregorian',
  ).dates.calendars.gregorian;
  const { availableFormats: forms, intervalFormats: intervals } = dateTimeFormats;
  const to = (text, word = `'${TO[language]}'`) =>
    TO[language] ? text.replace(/\s*–\s*/g, ` ${word} `) : text;
  // In CLDR, an interval without a long form uses the short form with the month in full.
  const wide = (text) => text.replaceAll('MMM', 'MMMM').replaceAll('LLL', 'LLLL').replaceAll('dd', 'd');
  const short = Object.entries(intervals.yMMMd).map(([key, text]) => [key, wide(text)]);
  const days = intervals.yMMMMd ?? Object.fromEntries(short);
  return {
    fullDate: dateFormats.full,
    date: dateFormats.long,
    dateTime: dateTimeFormats.medium,
    dateShort: forms.yMMMd,
    dayMonth: forms.MMMd,
    month: forms.yMMMM,
    monthShort: forms.yMMM,
    monthAlone: 'LLL',
    quarter: forms.yQQQQ,
    year: forms.y,
    time: forms.Hm,
    daysInMonth: to(days.d),
    daysInYear: to(days.M),
    days: to(days.y),
    monthsInYear: to(intervals.yMMMM.M),
    months: to(intervals.yMMMM.y),
    fallback: to(intervals.intervalFormatFallback, TO[language]),
  };
}

function countriesOf(language) {
  const { territories } = read('cldr-localenames-full', language, 'territories').localeDisplayNames;
  const codes = Object.keys(territories).filter(
    (code) => /^[A-Z]{2}$/.test(code) && !['ZZ', 'XA', 'XB', 'EU', 'EZ', 'UN'].includes(code),
  );
  return Object.fromEntries(
    codes.map((code) => [
      code,
      territories[SHORT_NAMES.has(code) ? `${code}-alt-short` : code] ?? territories[code],
    ]),
  );
}

function read(name, language, file) {
  return JSON.parse(readFileSync(join(directory, name, 'main', language, `${file}.json`), 'utf8')).main[
    language
  ];
}
