import { hash } from 'node:crypto';
import { orUndefined } from '#base/errors';
import { parseBounded } from '#base/text/bounded-json';
import { isObject } from '#service/json';

/** Error whose message is a predicate, to print after the file name. */
export class RecordProblem extends Error {}

export class DamagedRecordError extends RecordProblem {}

export class UnknownRecordError extends RecordProblem {}

/** Beginning that identifies a record even if it is damaged. */
export const RECORD_BEGINS = '{"version":';

export function formatRecord(record: { version: number } & Record<string, unknown>): Buffer {
  const body = JSON.stringify(record);
  return Buffer.from(`${body.slice(0, -1)},"checksum":"${hash('sha256', body)}"}\n`);
}

export function parseRecord<T>(
  bytes: Buffer,
  versions: readonly number[],
  isForm: (value: Record<string, unknown>) => boolean,
): T {
  const text = bytes.toString();
  const version = Number(/^\{"version":(\d+),/.exec(text)?.[1] ?? versions[0]);
  if (!versions.includes(version))
    throw new UnknownRecordError(`has version ${version}, which this version of qrctl does not support`);
  const found = /^(.*),"checksum":"([0-9a-f]{64})"\}\n$/s.exec(text);
  if (!found || hash('sha256', `${found[1]}}`) !== found[2])
    throw new DamagedRecordError('cannot be read (truncated or changed)');
  const saved = orUndefined(() => parseBounded(text, MOST_RECORD_VALUES));
  if (!isObject(saved) || !isForm(saved))
    throw new UnknownRecordError('has a format that this version of qrctl does not support');
  return saved as T;
}

const MOST_RECORD_VALUES = 16_000_000;
