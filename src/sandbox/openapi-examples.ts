/** Examples of answers: what mock servers made from the description answer. Each holds together: a page is as long as it says. */

const onePage = { page: 1, limit: 20, total: 1, pages: 1 };
const code = {
  id: '3f0c5a52-7d0e-4b8e-9c2a-5f1f6f3a9d10',
  slug: 'aB3xY',
  name: 'Summer menu',
  type: 'menu',
  destination: 'https://www.example.com/menu',
  status: 'active',
  created_at: '2025-01-01T09:00:00.000Z',
  updated_at: '2025-01-01T09:00:00.000Z',
};
const scan = {
  id: 1,
  ts: '2025-01-01T12:00:00.000Z',
  country: 'DE',
  city: 'Berlin',
  device: 'mobile',
  os: 'iOS',
  browser: 'Safari',
  referrer: null,
};
/** By schema. */
export const EXAMPLES: Readonly<Record<string, unknown>> = {
  QRCode: code,
  QRCodePage: { data: [code], pagination: onePage },
  ScanPage: { data: [scan], pagination: onePage },
};
