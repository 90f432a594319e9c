import { expect, test } from 'vitest';
import { MOST_BYTES } from '#base/bounds';
import { createLineReader, formatLine } from '#files/durable/log-lines';

test('a line reader refuses a line of more than 64 MiB', () => {
  const first = formatLine({ is: 'row' });
  const advice = { damaged: 'Restore it.', noun: 'ledger' };
  const reader = createLineReader('a.jsonl', advice, () => undefined);
  const half = Buffer.alloc(MOST_BYTES.logLine / 2);
  for (const piece of [Buffer.from(first), half, half]) reader.add(piece);
  expect(reader.end()).toBe(first.length);
  expect(() => reader.add(Buffer.from('x'))).toThrow(
    'a.jsonl is not a qrctl ledger: line 2 is longer than 64 MiB',
  );
});
