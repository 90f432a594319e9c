/** Checks the shapes of responses once, at the edge. Unknown values and extra fields are accepted: the service may be extended. */
import { UnexpectedAnswerError } from '../base/errors.ts';
import { quote } from '../base/text/quote.ts';
import type { Redact } from './excerpt.ts';
import { isObject } from './json.ts';
import { parseScanTime } from './scan-times.ts';
import type { CodeChanges, Page, QrCode, Scan, ScanPage } from './shapes.ts';

/** Context of a check. The client adds the request to its messages. */
export interface AnswerContext {
  dateMs: number | undefined;
  redact: Redact;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const CODE_STRINGS = ['slug', 'name', 'type', 'status', 'created_at', 'updated_at'] as const;

/** Returns whether a text is a UUID, in either case. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** Checks one code. Throws UnexpectedAnswerError if it does not match the specification. */
export function checkCode(json: unknown): QrCode {
  return asCode(json, 'the code');
}

/**
 * Creates a check for the response about one code that was requested by id, or changed. It throws UnexpectedAnswerError also if the
 * response is about another code, or has another status than was sent.
 */
export function checkSameCode(
  id: string,
  { status }: CodeChanges = {},
): (json: unknown, context: AnswerContext) => QrCode {
  return (json, { redact }) => {
    const code = checkCode(json);
    if (code.id.toLowerCase() !== id.toLowerCase())
      throw strange(`the response is for another code (${code.id})`);
    if (status !== undefined && code.status !== status)
      throw strange(`the response has the status ${quote(redact(code.status))}, but ${status} was sent`);
    return code;
  };
}

/** Checks a page of codes. Throws UnexpectedAnswerError with the place of the code on the page. */
export function checkCodePage(json: unknown, { dateMs }: AnswerContext): Page<QrCode> {
  const { rows, total } = pageOf(json);
  return {
    rows: rows.map((row, at) => asCode(row, `code ${at + 1} on the page`)),
    total,
    serviceTimeMs: dateMs,
  };
}

/**
 * Checks a page of scans and parses their times. Throws UnexpectedAnswerError with the scan. Handles thousands of scans: one pass, no
 * copies.
 */
export function checkScanPage(json: unknown, { dateMs }: AnswerContext): ScanPage {
  const { rows, total, limit } = pageOf(json);
  const times = new Array<number>(rows.length);
  for (let at = 0; at < rows.length; at++) times[at] = timeOfScan(rows[at], at);
  return { rows: rows as Scan[], total, serviceTimeMs: dateMs, times, limit };
}

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
  const { id, destination = null } = value;
  if (typeof id !== 'string' || !isUuid(id)) throw strange(`${what} has an ID that is not a UUID`);
  for (const field of CODE_STRINGS) {
    if (typeof value[field] !== 'string') throw strange(`${what} (${id}): ${field} is not a string`);
  }
  if (destination !== null && typeof destination !== 'string')
    throw strange(`${what} (${id}): destination is not a string`);
  value.destination = destination;
  return value as Record<string, unknown> & QrCode;
}

function strange(message: string): UnexpectedAnswerError {
  return new UnexpectedAnswerError(message, {
    hint: 'Run `qrctl doctor` to find the cause. The response does not match the specification.',
  });
}
