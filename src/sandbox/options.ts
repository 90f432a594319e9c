/** Options of a sandbox: amount of data, limits, and a choice for each point that the specification leaves open. */
import { type Clock, systemClock } from '../base/time/time.ts';
import type { Intercept, RequestRecord } from './exchange.ts';

export const PLANS = ['free', 'pro', 'business'] as const;
export type Plan = (typeof PLANS)[number];

/** Requests per minute, from section 8 of the specification. */
export const REQUESTS_OF_PLAN: Readonly<Record<Plan, number>> = { free: 60, pro: 300, business: 1000 };

/** Number of codes that can be created besides the sample ones; the specification mentions such a limit without a value. */
export const NEW_CODES_OF_PLAN: Readonly<Record<Plan, number>> = { free: 500, pro: 5000, business: 50_000 };

/** Choices for points that the specification leaves open. */
export interface Behaviour {
  /** The order in which GET /qr/{id}/scans pages: by time, or in no order of time (`none`). */
  scanOrder: 'asc' | 'desc' | 'none';
  /** Scans of equal time: by id, or swapping places from one request to the next. */
  tieOrder: 'id' | 'shuffled';
  sinceInclusive: boolean;
  untilInclusive: boolean;
  /** With `s` times are compared in whole seconds. */
  boundsResolution: 'ms' | 's';
  /** A limit above the maximum: reduced to the maximum (`cap`), rejected with 400, or applied with pages of that many rows. */
  overLimit: 'cap' | 'reject' | number;
  /** A page or limit that is not a whole number of at least 1: 400, or taken as the default. */
  badPage: 'reject' | 'default';
  listOrder: 'newest' | 'oldest' | 'id';
  /** Windows cut from the epoch, or opened by the first request after the last one closed. */
  windowStart: 'epoch' | 'first-request';
}

export interface SandboxSettings extends Behaviour {
  /** 0 takes a free one. The sandbox listens on 127.0.0.1 only. */
  port: number;
  key: string;
  seed: number;
  /** Sample codes, and the sample scans of each. */
  codes: number;
  scans: number;
  /** Each code has `scans` scans; otherwise they are the average, and few codes have most of them. */
  hasEqualSizes: boolean;
  /** The sample scans are in [endsAtMs - spanMs, endsAtMs). */
  endsAtMs: number;
  spanMs: number;
  /** Scans that share their time come in runs of this many; 1 for no ties. */
  tieSize: number;
  /** Added to every scan id; a bigint, so that ids beyond 2^53 can be served. */
  idOffset: bigint;
  /** New scans per second and code, without end, from the start of the sandbox (for new codes: from their creation). */
  live: number;
  /** With `live`: the most new scans a created code gets. */
  liveScansOfNewCode: number;
  plan: Plan;
  /** Requests a window and codes in the workspace; by plan when undefined. */
  limit: number | undefined;
  codeLimit: number | undefined;
  windowMs: number;
  /** Delay of every response. */
  latencyMs: number;
  /** The service's clock minus this machine's. */
  clockSkewMs: number;
  clock: Clock;
  /** Compresses responses with gzip if the client accepts it; off by default, because on loopback it costs more than it saves. */
  gzip: boolean;
  /** Called after every response. */
  onRequest: ((record: RequestRecord) => void) | undefined;
  /** Intercepts requests and responses: for tests of faulty services and networks. */
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
  // It opens nothing but sandboxes.
  key: 'svc_live_sandbox00madeup00key',
  seed: 1,
  codes: 25,
  scans: 1000,
  hasEqualSizes: true,
  // 2025-01-01T00:00:00Z: data of tests does not depend on the day they run.
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

/** Returns the options with all defaults filled in. */
export function withDefaults(options: SandboxOptions): SandboxSettings {
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  return { ...DEFAULTS, ...given };
}
