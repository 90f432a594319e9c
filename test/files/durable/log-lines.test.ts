import { describe, expect, test } from 'vitest';
import { MOST_BYTES } from '#base/bounds';
import { createLineReader, formatLine } from '#files/durable/log-lines';

function read(...pieces: (Buffer | string)[]) {
  const records: object[] = [];
  const reader = createLineReader('a.jsonl', { damaged: 'Restore it.', noun: 'ledger' }, (record) =>
    records.push(record),
  );
  for (const piece of pieces) reader.add(Buffer.from(piece));
  return { records, length: reader.end() };
}

const LINES = [1, 2].map((n) => formatLine({ is: 'row', n }));
const [FIRST = '', SECOND = ''] = LINES;

describe('a line reader', () => {
  test('returns the records of pieces that end anywhere, and the end of the last record', () => {
    const text = Buffer.from(`${LINES.join('')}{"is":"ro`);
    for (let at = 0; at <= text.length; at++)
      expect(read(text.subarray(0, at), text.subarray(at))).toEqual({
        records: [
          { is: 'row', n: 1 },
          { is: 'row', n: 2 },
        ],
        length: LINES.join('').length,
      });
  });

  test.each(['', '{"is', '{"is":"row', '\0\0', '{"i\0\0\0\0'])(
    'accepts %j as the beginning of a log',
    (text) => {
      expect(read(text)).toEqual({ records: [], length: 0 });
    },
  );

  test.each([
    ['x', 'a.jsonl is not a qrctl ledger'],
    ['{"if', 'a.jsonl is not a qrctl ledger'],
    ['{"is":"row"}\n', 'a.jsonl is not a qrctl ledger'],
    [`x\n${FIRST}`, 'a.jsonl is damaged at line 1'],
    [`${FIRST}x\ny\n${SECOND}`, 'a.jsonl is damaged at line 2'],
    [`${FIRST}${SECOND.replace('2', '3')}${FIRST}`, 'a.jsonl is damaged at line 2'],
  ])('refuses %j with the error: %s', (text, message) => {
    const error = { message, path: 'a.jsonl', hint: 'Restore it.' };
    expect(() => read(text)).toThrow(expect.objectContaining(error));
  });

  test('ignores damaged lines after the last record', () => {
    expect(read(`${FIRST}x\ny\n`)).toEqual({ records: [{ is: 'row', n: 1 }], length: FIRST.length });
  });

  test('refuses a line of more than 64 MiB', () => {
    const half = Buffer.alloc(MOST_BYTES.logLine / 2);
    expect(read(FIRST, half, half).length).toBe(FIRST.length);
    expect(() => read(FIRST, half, half, 'x')).toThrow(
      'a.jsonl is not a qrctl ledger: line 2 is longer than 64 MiB',
    );
  });
});
