/** Years of scans that are made up hour by hour, and what a nightly watch would have said of them. Seeded: the same seed, the same years. */
import { type Evidence, hoursBefore, judge, type Verdict } from '#scans/watch/judge';

const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;
const WEEK_HOURS = 7 * DAY_HOURS;
const WARM_UP_DAYS = 63;
const YEAR_DAYS = 365;
/** Cron jobs run at four in the morning. */
const CRON_HOUR = 4;

/** What the year has besides its rhythm and its weather. */
export interface YearOptions {
  seed: number;
  scansPerDay: number;
  kind: 'daily' | 'weekends' | 'workdays';
  holidays?: boolean;
  /** Per week, 0.02 for two percent. */
  growth?: number;
  campaigns?: boolean;
  /** Day from the first night on at which the code dies, at eleven. */
  diesOnDay?: number;
  /** What is left of its scans then: none, or a part. */
  left?: number;
}

/** Scans by hour; hour 0 is a Monday, midnight. */
export interface Year {
  hours: Uint32Array;
  diesAtHour: number | undefined;
}

const HOURS_OF_DAY = [
  0.2, 0.1, 0, 0, 0, 0.1, 0.5, 1, 1.5, 2, 2.5, 4, 6, 5, 3, 2.5, 3, 4, 5, 6, 5, 3, 1.5, 0.7,
];
const HOURS_OF_WORK = [0, 0, 0, 0, 0, 0, 0.2, 1, 3, 4, 4, 4, 5, 4, 4, 3, 2, 1, 0.2, 0, 0, 0, 0, 0];
const KINDS = {
  daily: { days: [0.9, 0.9, 0.95, 1, 1.2, 1.3, 0.75], hours: HOURS_OF_DAY },
  weekends: { days: [0.1, 0.2, 0.4, 0.7, 1.6, 2.4, 1.6], hours: HOURS_OF_DAY },
  workdays: { days: [1.4, 1.4, 1.4, 1.4, 1.36, 0.03, 0.01], hours: HOURS_OF_WORK },
};

/** Days of a year without business: single ones, long weekends, and the turn of the year. */
const CLOSED = [
  [45, 1],
  [92, 4],
  [120, 1],
  [131, 1],
  [160, 1],
  [240, 1],
  [275, 1],
  [304, 1],
  [357, 3],
  [364, 2],
] as const;
/** Weeks in which less happens. */
const VACATION = { from: 200, days: 28, level: 0.65 };

/** Makes up nine weeks and a year. */
export function makeYear(options: YearOptions): Year {
  const { seed, scansPerDay, kind, growth = 0, diesOnDay, left = 0 } = options;
  const random = randomOf(seed);
  const { days, hours } = KINDS[kind];
  const daySum = days.reduce((sum, share) => sum + share, 0) / 7;
  const hourSum = hours.reduce((sum, share) => sum + share, 0);
  const length = (WARM_UP_DAYS + YEAR_DAYS) * DAY_HOURS;
  const diesAtHour = diesOnDay === undefined ? undefined : (WARM_UP_DAYS + diesOnDay) * DAY_HOURS + 11;
  const campaigns = options.campaigns
    ? [0, 1, 2].map(() => WARM_UP_DAYS + Math.floor(random() * YEAR_DAYS))
    : [];
  const scans = new Uint32Array(length);
  const phase = random() * YEAR_DAYS;
  let mood = 0;
  for (let day = 0; day < WARM_UP_DAYS + YEAR_DAYS; day++) {
    // From week to week the level drifts; each day has its weather; the seasons differ by a sixth.
    if (day % 7 === 0) mood = 0.7 * mood + 0.1 * normal(random);
    const weather = Math.exp(0.2 * normal(random) - 0.02);
    const season = 1 + 0.15 * Math.sin((2 * Math.PI * (day + phase)) / YEAR_DAYS);
    const campaign = campaigns.some((from) => day >= from && day < from + 10) ? 3 : 1;
    const level = Math.exp(mood) * weather * season * campaign * (1 + growth) ** ((day - WARM_UP_DAYS) / 7);
    const mean =
      scansPerDay *
      ((days[day % 7] ?? 1) / daySum) *
      level *
      (options.holidays ? openness(day - WARM_UP_DAYS) : 1);
    for (let hour = 0; hour < DAY_HOURS; hour++) {
      const at = day * DAY_HOURS + hour;
      const part = diesAtHour !== undefined && at >= diesAtHour ? left : 1;
      scans[at] = part === 0 ? 0 : poisson((part * mean * (hours[hour] ?? 0)) / hourSum, random);
    }
  }
  return { hours: scans, diesAtHour };
}

/** Part of the usual business on a day from the first night on. */
function openness(day: number): number {
  const date = ((day % YEAR_DAYS) + YEAR_DAYS) % YEAR_DAYS;
  if (CLOSED.some(([from, days]) => date >= from && date < from + days)) return 0;
  return date >= VACATION.from && date < VACATION.from + VACATION.days ? VACATION.level : 1;
}

/** What each night of the year says, from the first one after nine weeks on. */
export async function watchYear({ hours }: Year): Promise<Verdict[]> {
  const sums = new Float64Array(hours.length + 1);
  for (let at = 0; at < hours.length; at++) sums[at + 1] = (sums[at] ?? 0) + (hours[at] ?? 0);
  const between = (from: number, to: number) => (sums[Math.max(0, to)] ?? 0) - (sums[Math.max(0, from)] ?? 0);
  const verdicts: Verdict[] = [];
  let last: number | undefined;
  let seen = 0;
  for (let day = WARM_UP_DAYS; day < WARM_UP_DAYS + YEAR_DAYS; day++) {
    const end = day * DAY_HOURS + CRON_HOUR;
    for (; seen < end; seen++) if ((hours[seen] ?? 0) > 0) last = seen;
    const start = end - 9 * WEEK_HOURS;
    const found = last === undefined || last < start ? ('none' as const) : { ms: (last + 1) * HOUR_MS - 1 };
    const evidence: Evidence = {
      recent: between(end - WEEK_HOURS, end),
      baseline: between(start, end - WEEK_HOURS),
      isCapped: false,
      last: found,
      isYoung: false,
      findLast: async () => found,
      async countSameHours(weeks, lastMs) {
        const { sinceMs, untilMs } = hoursBefore(weeks, lastMs, end * HOUR_MS);
        return between(Math.ceil(sinceMs / HOUR_MS), Math.ceil(untilMs / HOUR_MS));
      },
      hasSince: async () => true,
      hasEarlier: async () => true,
      findEarlier: async () => ({ ms: 0 }),
    };
    verdicts.push(
      await judge(evidence, { endMs: end * HOUR_MS, startMs: start * HOUR_MS, quietForMs: undefined }),
    );
  }
  return verdicts;
}

/** The plain rule: yesterday below half of the average day of the eight weeks before. One truth value per night. */
export function thresholdYear({ hours }: Year): boolean[] {
  const daily = Array.from({ length: WARM_UP_DAYS + YEAR_DAYS }, (_, day) =>
    hours.subarray(day * DAY_HOURS, (day + 1) * DAY_HOURS).reduce((sum, scans) => sum + scans, 0),
  );
  return Array.from({ length: YEAR_DAYS }, (_, night) => {
    const day = WARM_UP_DAYS + night - 1;
    const average = daily.slice(Math.max(0, day - 56), day).reduce((sum, scans) => sum + scans, 0) / 56;
    return (daily[day] ?? 0) < average / 2;
  });
}

/** Number of times that alarms begin. */
export function episodes(alarms: readonly boolean[]): number {
  return alarms.filter((isOn, night) => isOn && !alarms[night - 1]).length;
}

/** Days from the death of a code to the first alarm after it; undefined if there is none. */
export function daysUntilTold({ diesAtHour = 0 }: Year, alarms: readonly boolean[]): number | undefined {
  const night = alarms.findIndex(
    (isOn, at) => isOn && (WARM_UP_DAYS + at) * DAY_HOURS + CRON_HOUR > diesAtHour,
  );
  return night < 0 ? undefined : ((WARM_UP_DAYS + night) * DAY_HOURS + CRON_HOUR - diesAtHour) / DAY_HOURS;
}

/** Mulberry32, by Tommy Ettinger (public domain): numbers in [0, 1). */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Box and Muller. */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Knuth: the number of arrivals within `mean`. */
function poisson(mean: number, random: () => number): number {
  if (mean > 300) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(random)));
  const limit = Math.exp(-mean);
  let arrivals = -1;
  for (let product = 1; product > limit; arrivals++) product *= random();
  return Math.max(0, arrivals);
}
