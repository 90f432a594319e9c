/** Checks responses. Accepts unknown values and extra fields, because the service may be extended. */
import { UnexpectedResponseError } from '#base/errors';
import { quote } from '#base/text/quote';
import type { Redact } from './excerpt.ts';
import { isObject } from './json.ts';
import { parseScanTime } from './scan-times.ts';
import { CODE_FIELDS, type CodeChanges, type Page, type QrCode, type Scan, type ScanPage } from './shapes.ts';

export interface CheckContext {
  dateMs: number | undefined;
  redact: Redact;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

export function checkCode(json: unknown): QrCode {
  return asCode(json, 'the code');
}

export function checkSameCode(
  id: string,
  { status }: CodeChanges = {},
): (json: unknown, context: CheckContext) => QrCode {
  return (json, { redact }) => {
    const code = checkCode(json);
    if (code.id.toLowerCase() !== id.toLowerCase())
      throw strange(`the response is for another code (${code.id})`);
    if (status !== undefined && code.status !== status)
      throw strange(`the response has the status ${quote(redact(code.status))}, but ${status} was sent`);
    return code;
  };
}

export function checkCodePage(json: unknown, { dateMs }: CheckContext): Page<QrCode> {
  const { rows, total } = pageOf(json);
  const codes = rows.map((row, at) => asCode(row, `code ${at + 1} on the page`));
  return { rows: codes, total, serviceTimeMs: dateMs };
}

export function checkScanPage(json: unknown, { dateMs }: CheckContext): ScanPage {
  const { rows, total, limit } = pageOf(json);
  const times = new Array<number>(rows.length);
  for (let at = 0; at < rows.length; at++) times[at] = timeOfScan(rows[at], at);
  return { rows: rows as Scan[], total, serviceTimeMs: dateMs, times, limit };
}

/** Checks only the ID and the time of a scan. Returns the time in epoch ms. */
function timeOfScan(row: unknown, at: number): number {
  if (!isObject(row)) throw strange(`scan ${at + 1} on the page is not an object`);
  const { id, ts } = row;
  if (!Number.isSafeInteger(id) && typeof id !== 'bigint')
    throw strange(`scan ${at + 1} on the page has an ID that is not an integer`);
  const time = typeof ts === 'string' ? parseScanTime(ts) : undefined;
  if (time === undefined) throw strange(`scan ${String(id)} has a ts that is not a date-time`);
  return time;
}

function pageOf(json: unknown): { rows: unknown[]; total: number; limit: number | undefined } {
  const { data, pagination } = isObject(json) ? json : {};
  if (!Array.isArray(data)) throw strange(`the response has no \`data\` list`);
  const { total, limit } = isObject(pagination) ? pagination : {};
  if (typeof total !== 'number' || !Number.isSafeInteger(total) || total < 0) {
    throw strange(`\`pagination.total\` is not a whole number`);
  }
  return {
    rows: data,
    total,
    limit: typeof limit === 'number' && Number.isSafeInteger(limit) ? limit : undefined,
  };
}

function asCode(value: unknown, what: string): QrCode {
  if (!isObject(value)) throw strange(`${what} is not an object`);
  const { id } = value;
  if (typeof id !== 'string' || !isUuid(id)) throw strange(`${what} has an ID that is not a UUID`);
  value.destination ??= null;
  for (const field of CODE_FIELDS) {
    const isNull = field === 'destination' && value[field] === null;
    if (!isNull && typeof value[field] !== 'string')
      throw strange(`${what} (${id}): ${field} is not a string`);
  }
  return value as Record<string, unknown> & QrCode;
}

function strange(message: string): UnexpectedResponseError {
  return new UnexpectedResponseError(message, {
    hint: 'Run `qrctl doctor` to find the cause. The response does not match the specification.',
  });
}
