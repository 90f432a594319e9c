import { describe, expect, test } from 'vitest';
import { UnexpectedResponseError } from '#base/errors';
import { checkCode, checkCodePage, checkSameCode, checkScanPage } from '#service/checks';
import { createRedact } from '#service/excerpt';
import { CODE, pageOf, SCAN } from './setup.ts';

const redact = createRedact('svc_live_canaryCANARY');
const context = { dateMs: 1000, redact };

describe('a page of scans', () => {
  test('is accepted with unknown values and extra or missing fields, and the result has the time of each scan', () => {
    const rows = [
      { ...SCAN, device: 'fridge', extra: [1] },
      { id: 2n ** 60n, ts: '2026-01-01T02:00:00+02:00' },
    ];
    expect(checkScanPage(pageOf(rows, 7), context)).toEqual({
      rows,
      total: 7,
      serviceTimeMs: 1000,
      times: [Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 1)],
      limit: 100,
    });
  });

  test.each([
    ['a text as id', { ...SCAN, id: '17' }, 'scan 2 on the page has an ID that is not an integer'],
    ['a fraction as id', { ...SCAN, id: 1.5 }, 'scan 2 on the page has an ID that'],
    ['no id', { ...SCAN, id: null }, 'scan 2 on the page has an ID that'],
    ['no ts', { ...SCAN, id: 17, ts: undefined }, 'scan 17 has a ts that is not a date-time'],
    ['a number as ts', { ...SCAN, id: 17, ts: 1_700_000_000 }, 'scan 17 has a ts that'],
    ['an impossible day', { ...SCAN, id: 17, ts: '2026-02-30T00:00:00Z' }, 'scan 17 has a ts that'],
    ['null instead of a scan', null, 'scan 2 on the page is not an object'],
    ['a list instead of a scan', [SCAN], 'scan 2 on the page is not an object'],
  ])('with %s is refused with an error that identifies the scan', (_name, row, message) => {
    const check = () => checkScanPage(pageOf([SCAN, row]), context);
    expect(check).toThrow(UnexpectedResponseError);
    expect(check).toThrow(`${message}`);
  });
});

test.each([
  [null],
  ['text'],
  [[]],
  [{}],
  [{ data: {}, pagination: { total: 0 } }],
  [{ data: [] }],
  [{ data: [], pagination: { total: '0' } }],
  [{ data: [], pagination: { total: -1 } }],
  [{ data: [], pagination: { total: 0.5 } }],
  [{ data: [], pagination: { total: 2n ** 60n } }],
])('%o is refused as a page of scans and as a page of codes', (json) => {
  expect(() => checkScanPage(json, context)).toThrow(UnexpectedResponseError);
  expect(() => checkCodePage(json, context)).toThrow(UnexpectedResponseError);
});

test('a response that is not a code causes an error with a hint, and an invalid page limit is ignored', () => {
  expect(() => checkCode(undefined)).toThrow(
    expect.objectContaining({
      message: 'the code is not an object',
      hint: 'Run `qrctl doctor` to find the cause. The response does not match the specification.',
    }),
  );
  const limitOf = (limit: unknown) =>
    checkScanPage({ data: [], pagination: { total: 0, limit } }, context).limit;
  expect([20, '20', 0.5, null, undefined].map(limitOf)).toEqual([20, ...Array(4).fill(undefined)]);
});

describe('a code', () => {
  test('is refused if its ID differs from the requested ID, or its status from the status that was sent', () => {
    expect(checkSameCode(CODE.id.toUpperCase())(CODE, context)).toEqual(CODE);
    expect(checkSameCode(CODE.id, { status: CODE.status, name: 'x' })(CODE, context)).toEqual(CODE);
    const other = CODE.id.replace(/^./, CODE.id.startsWith('0') ? '1' : '0');
    expect(() => checkSameCode(other)(CODE, context)).toThrow(
      `the response is for another code (${CODE.id})`,
    );
    expect(() => checkSameCode(CODE.id, { status: 'expired' })(CODE, context)).toThrow(
      'the response has the status active, but expired was sent',
    );
    expect(() =>
      checkSameCode(CODE.id, { status: 'expired' })({ ...CODE, status: 'canaryCANARY' }, context),
    ).toThrow('the response has the status "[key]", but expired was sent');
  });

  test('is accepted with unknown values and extra fields, and a missing destination becomes null', () => {
    const { destination: _, ...rest } = CODE;
    expect(checkCode({ ...CODE, type: 'hologram', status: 'asleep', extra: 1 })).toMatchObject({
      type: 'hologram',
      extra: 1,
    });
    expect(checkCode(rest)).toEqual({ ...rest, destination: null });
  });

  test.each([
    ['id', 17],
    ['id', 'no-uuid'],
    ['id', `${CODE.id}/../..`],
    ['slug', null],
    ['name', 5],
    ['type', undefined],
    ['status', {}],
    ['destination', 5],
    ['created_at', null],
    ['updated_at', 0],
  ])('with %s = %o is refused', (field, value) => {
    expect(() => checkCode({ ...CODE, [field]: value })).toThrow(UnexpectedResponseError);
    expect(() => checkCodePage(pageOf([CODE, { ...CODE, [field]: value }]), context)).toThrow(
      /code 2 on the page/,
    );
  });
});
