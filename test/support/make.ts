/** Builds codes and scans as the service returns them. */
import type { QrCode, Scan } from '#service/shapes';

export function makeCode(fields: Partial<QrCode> = {}): QrCode {
  return {
    id: '11111111-2222-4333-8444-555555555555',
    slug: 'menu',
    name: 'Menu',
    type: 'url',
    destination: 'https://example.com/',
    status: 'active',
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-01-01T00:00:00.000Z',
    ...fields,
  };
}

export function makeScan(fields: Partial<Scan> = {}): Scan {
  return {
    id: 1,
    ts: '2026-01-01T00:00:00.000Z',
    country: 'DE',
    city: null,
    device: 'mobile',
    os: 'iOS',
    browser: 'Safari',
    referrer: null,
    ...fields,
  };
}
