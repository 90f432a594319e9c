export const CODE_TYPES = [
  'url',
  'vcard',
  'wifi',
  'sms',
  'whatsapp',
  'email',
  'file',
  'multilink',
  'social',
  'app',
  'event',
  'business',
  'coupon',
  'feedback',
  'landing_page',
  'product',
  'vcard_plus',
  'menu',
  'images',
  'video',
  'mp3',
  'playlist',
] as const;

export const CODE_STATUSES = ['active', 'paused', 'expired'] as const;

export const DEVICES = ['mobile', 'tablet', 'desktop', 'unknown'] as const;

export const MAX_CODES_PAGE = 100;
export const MAX_SCANS_PAGE = 500;

export const CODE_FIELDS = [
  'id',
  'slug',
  'name',
  'type',
  'destination',
  'status',
  'created_at',
  'updated_at',
] as const;

type CodeField = (typeof CODE_FIELDS)[number];

export type QrCode = Record<Exclude<CodeField, 'destination'>, string> & { destination: string | null };

export type Scan = {
  id: number | bigint;
  ts: string;
  country: string | null;
  city: string | null;
  device: string;
  os: string;
  browser: string;
  referrer: string | null;
};

export const SCAN_FIELDS = ['id', 'ts', 'country', 'city', 'device', 'os', 'browser', 'referrer'] as const;

export interface Pagination {
  page: number;
  limit: number;
  total: number;
  pages: number;
}

export interface Page<T> {
  rows: T[];
  /** Total in the response. The service may cap it, so callers compare it with the number of rows. */
  total: number;
  /** Time in the Date header in ms, a multiple of 1000. */
  serviceTimeMs: number | undefined;
}

/** `times[i]` is `rows[i].ts` in ms since the epoch. */
export interface ScanPage extends Page<Scan> {
  times: number[];
  /** Number of rows on a full page, which may be smaller than requested. */
  limit?: number;
}

export interface NewCode {
  name: string;
  type?: string;
  destination?: string;
}

/** Builds a request body without object spread, which would double the memory. */
export function newCode(name: string, type: string | undefined, destination: string | undefined): NewCode {
  if (destination === undefined) return type === undefined ? { name } : { name, type };
  return type === undefined ? { name, destination } : { name, type, destination };
}

export interface CodeChanges {
  name?: string;
  destination?: string;
  status?: string;
}
