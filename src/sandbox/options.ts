import { systemClock } from '#base/time/time';
import type { Intercept, RequestRecord } from './exchange.ts';

export const PLANS = ['free', 'pro', 'business'] as const;
export type Plan = (typeof PLANS)[number];

export const REQUESTS_OF_PLAN: Readonly<Record<Plan, number>> = { free: 60, pro: 300, business: 1000 };

/** Maximum number of codes besides the samples. */
export const NEW_CODES_OF_PLAN: Readonly<Record<Plan, number>> = { free: 500, pro: 5000, business: 50_000 };

export interface Behavior {
  scanOrder: 'asc' | 'desc' | 'none';
  tieOrder: 'id' | 'shuffled';
  sinceInclusive: boolean;
  untilInclusive: boolean;
  boundsResolution: 'ms' | 's';
  /** Effect of a `limit` above the maximum: the maximum, a 400, or this number of rows. */
  overLimit: 'cap' | 'reject' | number;
  badPage: 'reject' | 'default';
  listOrder: 'newest' | 'oldest' | 'id';
  windowStart: 'epoch' | 'first-request';
}

const BEHAVIOR: Behavior = {
  scanOrder: 'desc',
  tieOrder: 'id',
  sinceInclusive: true,
  untilInclusive: false,
  boundsResolution: 'ms',
  overLimit: 'cap',
  badPage: 'reject',
  listOrder: 'newest',
  windowStart: 'epoch',
};

const DEFAULTS = {
  ...BEHAVIOR,
  port: 0,
  key: 'svc_live_sandbox00madeup00key',
  seed: 1,
  codes: 25,
  scans: 1000,
  /** Whether each code has `scans` scans. If not, `scans` is the average, and a few codes have most scans. */
  hasEqualSizes: true,
  endsAtMs: 1_735_689_600_000,
  spanMs: 90 * 86_400_000,
  tieSize: 3,
  idOffset: 0n,
  live: 0,
  liveScansOfNewCode: Infinity,
  plan: 'business' as Plan,
  windowMs: 60_000,
  latencyMs: 0,
  clockSkewMs: 0,
  clock: systemClock,
  gzip: false,
};

export type SandboxSettings = typeof DEFAULTS & {
  limit?: number;
  codeLimit?: number;
  onRequest?: (record: RequestRecord) => void;
  intercept?: Intercept;
};

export type SandboxOptions = Partial<SandboxSettings>;

export function isClockTime(ms: number): boolean {
  return ms >= 946_684_800_000 && ms < 4_102_444_800_000;
}

export function withDefaults(options: SandboxOptions): SandboxSettings {
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  return { ...DEFAULTS, ...given };
}
