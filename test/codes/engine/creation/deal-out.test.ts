import { describe, expect, it } from 'vitest';
import { judgeAlike, type RowToFind } from '../../../../src/codes/engine/creation/deal-out.ts';
import type { QrCode } from '../../../../src/service/shapes.ts';

const T0 = Date.UTC(2026, 0, 1);
const URL = 'https://x.de';

function code(id: string, atMs: number, more: Partial<QrCode> = {}): QrCode {
  const at = new Date(T0 + atMs).toISOString();
  const fixed = { slug: `s-${id}`, name: 'a', type: 'url', destination: URL, status: 'active' };
  return { id, ...fixed, created_at: at, updated_at: at, ...more };
}

/** A code whose time is given in whole seconds. */
const coarse = (id: string, atMs: number) =>
  code(id, atMs, { created_at: new Date(T0 + atMs).toISOString().replace('.000', '') });

interface RowOptions {
  to?: number;
  doubtful?: [from: number, to: number];
  foreign?: ReadonlySet<string>[];
  destination?: string;
}

/** A row sent at `from`, whose code was made within a second if it was made. */
function row(
  number: number,
  from: number,
  { to = from + 1000, doubtful, foreign = [], destination = URL }: RowOptions = {},
): RowToFind {
  const [doubtfulFrom, doubtfulTo] = doubtful ?? [from - 50, to + 1000];
  const bounds = { doubtfulFromMs: T0 + doubtfulFrom, fromMs: T0 + from, toMs: T0 + to, doubtfulToMs: T0 + doubtfulTo };
  return { row: number, code: { name: 'a', destination }, bounds, foreign };
}

function judged(rows: RowToFind[], codes: QrCode[]) {
  const { adopted, absent, undecided, left } = judgeAlike(rows, codes);
  return {
    adopted: adopted.map((pair) => `${pair.row}=${pair.code.id}`).sort(),
    absent,
    undecided: undecided.map((entry) => `${entry.row}?${entry.candidates.map(({ id }) => id).join('|')}`),
    left: left.map(({ id }) => id),
  };
}

describe('a code and the time of its row', () => {
  it('fit at the first and at the last moment of that time (O6)', () => {
    for (const atMs of [0, 1000]) expect(judged([row(1, 0)], [code('x', atMs)]).adopted).toEqual(['1=x']);
    for (const atMs of [-1, 1001]) expect(judged([row(1, 0)], [code('x', atMs)]).undecided).toEqual(['1?x']);
  });

  it('a doubt reaches as far as the doubtful time does, to the moment (O9)', () => {
    const own = code('own', 10);
    for (const atMs of [-50, 2000]) expect(judged([row(1, 0)], [code('x', atMs), own]).adopted).toEqual([]);
    for (const atMs of [-51, 2001]) expect(judged([row(1, 0)], [code('x', atMs), own]).adopted).toEqual(['1=own']);
    expect(judged([row(1, 0)], [code('w', -51), code('x', -50), code('y', 1500)]).undecided).toEqual(['1?x|y']);
  });

  it('a code without a time casts a doubt, however many others cast none (O9)', () => {
    const codes = [code('own', 10), code('y', 5000), code('z', 6000), code('x', 0, { created_at: 'soon' })];
    expect(judged([row(1, 0)], codes)).toMatchObject({ adopted: [], undecided: ['1?own|y|z|x'] });
  });
});

describe('rows whose times overlap', () => {
  it('are doubted together when one of them is (O8)', () => {
    const rows = [row(1, 0), row(2, 500, { doubtful: [450, 9000] })];
    const codes = [code('x', 10), code('y', 1400), code('late', 5000)];
    expect(judged(rows, codes)).toMatchObject({ adopted: [], undecided: ['1?x|y|late', '2?y|late'] });
  });

  it('do so also where only a time in whole seconds could be of both, and one code is not given to two (O10)', () => {
    expect(judged([row(1, 0), row(2, 1999)], [coarse('x', 1000)])).toMatchObject({ adopted: ['1=x'], absent: [2] });
  });

  it('do so no longer when a whole second lies between them', () => {
    const codes = [code('x', 10), code('y', 20), code('z', 2010)];
    expect(judged([row(1, 0), row(2, 2000)], codes)).toEqual({
      adopted: ['2=z'],
      absent: [],
      undecided: ['1?x|y'],
      left: ['x', 'y'],
    });
  });

  it('pass a doubt on from group to group, as far as it goes (O8)', () => {
    const rows = [row(1, 0), row(2, 10_000, { doubtful: [-100, 12_000] }), row(3, 20_000, { doubtful: [9000, 22_000] })];
    // Two codes for row 1 cast a doubt on z, and z, taken back, on w.
    const codes = [code('x', 10), code('y', 20), code('z', 10_010), code('w', 20_010)];
    expect(judged(rows, codes)).toMatchObject({ adopted: [], undecided: ['1?x|y|z|w', '2?x|y|z|w', '3?z|w'] });
  });
});

describe('dealing out', () => {
  const tidied = `${URL}/`;

  it('gives a code to the row that has its values to the letter, and what has no such row to the others', () => {
    const rows = [row(1, 0), row(2, 0, { destination: tidied })];
    const codes = [code('x', 10, { destination: tidied }), code('y', 20, { destination: 'HTTPS://x.de' })];
    expect(judged(rows, codes).adopted).toEqual(['1=y', '2=x']);
  });

  it('goes by time alone where going by the letter would leave a code over (O8)', () => {
    const rows = [row(1, 0, { destination: tidied, to: 5000 }), row(2, 0)];
    const codes = [code('x', 10, { destination: tidied }), code('y', 3000)];
    expect(judged(rows, codes)).toEqual({ adopted: ['1=y', '2=x'], absent: [], undecided: [], left: [] });
  });

  it('serves the row whose time ends first, whatever is foreign to which', () => {
    const rows = [row(1, 0, { foreign: [new Set(['old'])] }), row(2, 0, { to: 5000 })];
    expect(judged(rows, [code('x', 10), code('y', 3000)]).adopted).toEqual(['1=x', '2=y']);
  });

  it('knows rows with the same foreign codes however they are mixed (O11)', () => {
    const [xs, ys] = [new Set(['x1', 'x2', 'x3']), new Set(['y1', 'y2', 'y3'])];
    const rows = [xs, ys, xs, ys, xs, ys].map((ids, index) => row(index + 1, 0, { foreign: [ids] }));
    const codes = [...xs, ...ys].map((id, index) => code(id, 10 * index));
    expect(judged(rows, codes).adopted).toEqual(['1=y1', '2=x1', '3=y2', '4=x2', '5=y3', '6=x3']);
  });
});
