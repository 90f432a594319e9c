import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  DamagedRecordError,
  formatRecord,
  parseRecord,
  UnknownRecordError,
} from '#files/durable/record-file';

const RECORD = { version: 12, name: 'Käse\n', list: [{ checksum: 'x' }] };
const BODY = JSON.stringify(RECORD);
const TEXT = `${BODY.slice(0, -1)},"checksum":"${hash('sha256', BODY)}"}\n`;

const parse = (text: string, isForm = (value: Record<string, unknown>) => value.name === RECORD.name) =>
  parseRecord(Buffer.from(text), [3, 12], isForm);

/** A text with a valid checksum. */
const signed = (body: string) => `${body.slice(0, -1)},"checksum":"${hash('sha256', body)}"}\n`;

describe('a record file', () => {
  it('has a record with its checksum', () => {
    expect(formatRecord(RECORD).toString()).toBe(TEXT);
    expect(parse(TEXT)).toEqual({ ...RECORD, checksum: hash('sha256', BODY) });
  });

  it.each([
    ['an incomplete end', TEXT.slice(0, -1)],
    ['an incomplete beginning', TEXT.slice(0, 40)],
    ['no content', ''],
    ['added text', `${TEXT}\n`],
    ['a changed value', TEXT.replace('Käse', 'Kase')],
    ['a changed checksum', TEXT.replace(/.("\}\n)$/, (_, end) => `g${end}`)],
    ['text before it', ` ${TEXT}`],
    ['another checksum', TEXT.replace(/[0-9a-f]{64}/, '0'.repeat(64))],
  ])('with %s is damaged', (_, text) => {
    expect(() => parse(text)).toThrow(DamagedRecordError);
    expect(() => parse(text)).toThrow(/^cannot be read \(truncated or changed\)$/);
  });

  it.each([
    ['{"version":13,"name":1}', 'has version 13, which this version of qrctl does not support'],
    ['{"version":312,"name":1}', 'has version 312, which this version of qrctl does not support'],
    ['{"version":3,"name":1}', 'has a format that this version of qrctl does not support'],
    ['{"version":3,}', 'has a format that this version of qrctl does not support'],
    ['{"name":1,"x":{"version":13,"y":1}}', 'has a format that this version of qrctl does not support'],
  ])('with %s is not supported by this version of qrctl', (body, message) => {
    expect(() => parse(signed(body))).toThrow(UnknownRecordError);
    expect(() => parse(signed(body))).toThrow(message);
  });
});
