import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLocalTime } from '#base/time/local-time';
import type { CodeSink, Row } from '#files/formats/row-sink';
import { addColumns, CODE_COLUMNS } from '#scans/export/added-columns';
import { SCAN_FIELDS } from '#service/shapes';

const label = { qr_id: '6f1c2f0e-8a53-4a3e-9d53-0d6a2b9a0c11', qr_slug: 'menu', qr_name: null };

/** What a sink behind the labels gets. */
async function throughLabels(rows: readonly Row[]): Promise<readonly Row[]> {
  let got: readonly Row[] = [];
  const sink: Pick<CodeSink, 'write'> = {
    async write({ rows }) {
      got = rows;
      return rows.length;
    },
  };
  const how = { labeled: true, localTime: undefined };
  await addColumns({ id: label.qr_id, slug: label.qr_slug }, sink as CodeSink, how).write({
    rows,
    times: rows.map(() => 0),
  });
  return got;
}

function exchanged(row: Row): Row {
  const [last, before, ...others] = Object.entries(row).reverse();
  return Object.fromEntries([...others.reverse(), last, before].filter((entry) => entry !== undefined));
}

describe('added code columns', () => {
  const plain = Object.fromEntries(SCAN_FIELDS.map((name, at) => [name, at]));

  it.each([
    ['a scan', plain],
    ['a scan with another field', { ...plain, region: 'EU' }],
    [
      'a scan whose fields have another order',
      { ...Object.fromEntries(Object.entries(plain).slice(1)), id: 0 },
    ],
    ['a scan whose last two fields are exchanged', exchanged(plain)],
    ['a scan with a field qr_name', { ...plain, qr_name: 'theirs' }],
    ['a scan with a field __proto__', JSON.parse('{"id":1,"__proto__":{"a":1}}')],
  ])('precede the fields of %s, and override fields with the same names', async (_, row) => {
    const [got] = await throughLabels([row]);
    expect(JSON.stringify(got)).toBe(JSON.stringify({ ...label, ...row, ...label }));
    expect(Object.keys(got ?? {}).slice(0, 3)).toEqual([...CODE_COLUMNS]);
  });

  it('leave the values of the scan unchanged', async () => {
    const row = fc.record(
      Object.fromEntries(SCAN_FIELDS.map((name) => [name, fc.oneof(fc.string(), fc.constant(null))])),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(row), async (rows) => {
        expect(await throughLabels(rows)).toEqual(rows.map((row) => ({ ...label, ...row })));
      }),
      { numRuns: 50 },
    );
  });
});

it('the local time follows the fields of a scan, with or without code columns, and the sink is unchanged if neither is added', async () => {
  const written: unknown[] = [];
  const sink = {
    added: () => 7,
    write: async (batch: unknown) => written.push(batch),
  } as unknown as CodeSink;
  const localTime = createLocalTime('Europe/Berlin');
  const code = { id: label.qr_id, slug: label.qr_slug };
  const times = [Date.UTC(2026, 5, 1, 10), Date.UTC(2026, 11, 31, 23, 30)];
  const rows = [{ id: 1 }, { id: 2 }];
  const local = ['2026-06-01 12:00:00', '2027-01-01 00:30:00'];
  for (const labeled of [false, true]) {
    const extended = addColumns(code, sink, { labeled, localTime });
    await extended.write({ rows, times } as never);
    expect(extended.added()).toBe(7);
  }
  const withTime = rows.map((row, at) => ({ ...row, ts_local: local[at] }));
  const withLabel = withTime.map((row) => ({ ...label, ...row }));
  expect(JSON.stringify(written)).toBe(
    JSON.stringify([
      { rows: withTime, times },
      { rows: withLabel, times },
    ]),
  );
  expect(addColumns(code, sink, { labeled: false })).toBe(sink);
});
