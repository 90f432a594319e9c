import { describe, expect, it } from 'vitest';
import { DamagedRecordError, formatRecord, UnknownRecordError } from '#files/durable/record-file';
import { formatTailState, parseTailState, type TailState } from '#scans/tail/state-file';

const AT = { serviceMs: 3000, machineMs: 3500 };
const STATE: TailState = {
  workspace: {
    baseUrl: 'https://qr.example/api/v1',
    key: `${'a'.repeat(32)}:${'b'.repeat(64)}`,
    profile: 'p',
  },
  codes: { codes: ['x', 'y'], all: false },
  sinceMs: 1000,
  positions: new Map([
    [
      'x',
      {
        fromMs: 2000,
        at: AT,
        printed: new Map<number | bigint, number>([
          [7, 2500],
          [9_007_199_254_740_993n, 2600],
        ]),
      },
    ],
    ['__proto__', { fromMs: 1000, at: AT, printed: new Map() }],
  ]),
};

describe('a tail state', () => {
  it('is parsed to the values that were written, with all digits of an ID', () => {
    expect(parseTailState(formatTailState(STATE))).toEqual(STATE);
    const all = { ...STATE, codes: { codes: [], all: '--name menu' } };
    expect(parseTailState(formatTailState(all)).codes).toEqual(all.codes);
    const negative = new Map([['x', { fromMs: -5, at: AT, printed: new Map([[-7, -2]]) }]]);
    expect(parseTailState(formatTailState({ ...STATE, positions: negative })).positions).toEqual(negative);
  });

  it('is refused if it was truncated or changed at any byte (S7)', () => {
    const bytes = formatTailState(STATE);
    for (let at = 0; at < bytes.length; at++) {
      expect(() => parseTailState(bytes.subarray(0, at))).toThrow();
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => parseTailState(changed), `byte ${at}`).toThrow();
    }
    expect(() => parseTailState(bytes.subarray(0, -2))).toThrow(DamagedRecordError);
  });

  const saved = {
    version: 1,
    ...STATE.workspace,
    codes: ['x'],
    all: false,
    sinceMs: 1,
    positions: [['x', { fromMs: 1, at: AT, printed: [['7', 1]] }]],
  };
  const known = { fromMs: 1, at: AT };
  const inPosition = (position: object) => ({ positions: [['x', position]] });
  it.each([
    ['another version', { version: 2 }],
    ['no codes', { codes: undefined }],
    ['a code that is not text', { codes: [1] }],
    ['no choice of codes', { all: null }],
    ['a start that is not a time', { sinceMs: '1' }],
    ['no start', { sinceMs: undefined }],
    ['no positions', { positions: {} }],
    ['a position without a code', { positions: [[1, { ...known, printed: [] }]] }],
    ['a position that is null', { positions: [['x', null]] }],
    ['a position without a time', inPosition({ at: AT, printed: [] })],
    ['a position without clocks', inPosition({ fromMs: 1, printed: [] })],
    ['an ID with text after it', inPosition({ ...known, printed: [['7x', 1]] })],
    ['an ID with text before it', inPosition({ ...known, printed: [['x7', 1]] })],
    ['one of two scans without a time', inPosition({ ...known, printed: [['6', 1], ['7']] })],
    [
      'one of two positions that is null',
      {
        positions: [
          ['x', { ...known, printed: [] }],
          ['y', null],
        ],
      },
    ],
    ['a scan without a time', inPosition({ ...known, printed: [['7']] })],
    ['scans that are a number', inPosition({ ...known, printed: 7 })],
    ['no workspace', { baseUrl: 1 }],
  ])('is refused if it has %s, although its checksum is right (S7)', (_, given) => {
    expect(parseTailState(formatRecord(saved)).sinceMs).toBe(1);
    expect(() => parseTailState(formatRecord({ ...saved, ...given }))).toThrow(UnknownRecordError);
  });
});
