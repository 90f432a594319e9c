/**
 * Defines the data and limits of a sandbox, and a choice for each point that the specification leaves open.
 */
import { type Clock, systemClock } from '../base/time/time.ts';
import type { Intercept, RequestRecord } from './exchange.ts';

export const PLANS = ['free', 'pro', 'business'] as const;
export type Plan = (typeof PLANS)[number];

/** Requests per minute (section 8 of the specification). */
export const REQUESTS_OF_PLAN: Readonly<Record<Plan, number>> = { free: 60, pro: 300, business: 1000 };

/** Number of codes that can be created; the specification states no value. */
export const NEW_CODES_OF_PLAN: Readonly<Record<Plan, number>> = { free: 500, pro: 5000, business: 50_000 };

export interface Behavior {
  /** Order of scans; `none`: not by time. */
  scanOrder: 'asc' | 'desc' | 'none';
  /** Order of scans with equal times: by ID, or different in each request. */
  tieOrder: 'id' | 'shuffled';
  sinceInclusive: boolean;
  untilInclusive: boolean;
  /** `s`: times are compared in whole seconds. */
  boundsResolution: 'ms' | 's';
  /** A limit above the maximum is capped, rejected with 400, or reduced to a number of rows. */
  overLimit: 'cap' | 'reject' | number;
  /** An invalid page or limit is rejected with 400, or replaced by the default. */
  badPage: 'reject' | 'default';
  listOrder: 'newest' | 'oldest' | 'id';
  /** Windows start at multiples of their length since the epoch, or with a request. */
  windowStart: 'epoch' | 'first-request';
}

export interface SandboxSettings extends Behavior {
  port: number;
  key: string;
  seed: number;
  /** Number of sample codes, and of sample scans per code. */
  codes: number;
  scans: number;
  /** Every code has `scans` scans; otherwise `scans` is the average, and few codes have most scans. */
  hasEqualSizes: boolean;
  /** The sample scans are in [endsAtMs - spanMs, endsAtMs). */
  endsAtMs: number;
  spanMs: number;
  /** Length of runs of scans with equal times; 1: no ties. */
  tieSize: number;
  /** Added to every scan ID, for IDs beyond 2^53. */
  idOffset: bigint;
  /** New scans per second and code, since the sandbox started or the code was created. */
  live: number;
  /** Maximum number of `live` scans of a created code. */
  liveScansOfNewCode: number;
  plan: Plan;
  /** Requests per window, and codes in the workspace; default: by plan. */
  limit: number | undefined;
  codeLimit: number | undefined;
  windowMs: number;
  latencyMs: number;
  /** The service's clock minus this machine's. */
  clockSkewMs: number;
  clock: Clock;
  gzip: boolean;
  onRequest: ((record: RequestRecord) => void) | undefined;
  /** Intercepts requests and responses, for tests of faulty services and networks. */
  intercept: Intercept | undefined;
}

export type SandboxOptions = Partial<SandboxSettings>;

const DEFAULTS: SandboxSettings = {
  scanOrder: 'desc',
  tieOrder: 'id',
  sinceInclusive: true,
  untilInclusive: false,
  boundsResolution: 'ms',
  overLimit: 'cap',
  badPage: 'reject',
  listOrder: 'newest',
  windowStart: 'epoch',
  port: 0,
  key: 'svc_live_sandbox00madeup00key',
  seed: 1,
  codes: 25,
  scans: 1000,
  hasEqualSizes: true,
  // 2025-01-01T00:00:00Z
  endsAtMs: 1_735_689_600_000,
  spanMs: 90 * 86_400_000,
  tieSize: 3,
  idOffset: 0n,
  live: 0,
  liveScansOfNewCode: Number.POSITIVE_INFINITY,
  plan: 'business',
  limit: undefined,
  codeLimit: undefined,
  windowMs: 60_000,
  latencyMs: 0,
  clockSkewMs: 0,
  clock: systemClock,
  gzip: false,
  onRequest: undefined,
  intercept: undefined,
};

/** Tests whether the service's clock can have a time: the years 2000 to 2099. */
export function isClockTime(ms: number): boolean {
  return ms >= 946_684_800_000 && ms < 4_102_444_800_000;
}

export function withDefaults(options: SandboxOptions): SandboxSettings {
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  return { ...DEFAULTS, ...given };
}
