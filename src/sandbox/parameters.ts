/** Parses parameters and bodies of requests by section 4 of the specification. All throw InvalidRequest. */
import { parseBounded } from '../base/text/bounded-json.ts';
import { parseInstant } from '../base/time/time.ts';
import { isObject } from '../service/json.ts';
import {
  CODE_STATUSES,
  CODE_TYPES,
  type CodeChanges,
  MAX_CODES_PAGE,
  MAX_SCANS_PAGE,
  type NewCode,
  newCode,
} from '../service/shapes.ts';
import type { Behavior } from './options.ts';

export class InvalidRequest extends Error {}

export interface PageBounds {
  defaultLimit: number;
  maxLimit: number;
}

export const CODES_PAGE: PageBounds = { defaultLimit: 20, maxLimit: MAX_CODES_PAGE };
export const SCANS_PAGE: PageBounds = { defaultLimit: 50, maxLimit: MAX_SCANS_PAGE };

export function parsePage(
  query: URLSearchParams,
  bounds: PageBounds,
  behavior: Behavior,
): { page: number; limit: number } {
  const { overLimit } = behavior;
  const page = parseCount(query, 'page', 1, behavior);
  const limit = parseCount(query, 'limit', bounds.defaultLimit, behavior);
  if (limit <= bounds.maxLimit) return { page, limit };
  if (overLimit === 'reject') throw new InvalidRequest(`limit must be at most ${bounds.maxLimit}`);
  return { page, limit: overLimit === 'cap' ? bounds.maxLimit : overLimit };
}

function parseCount(query: URLSearchParams, name: string, missing: number, { badPage }: Behavior): number {
  const text = query.get(name);
  if (text === null) return missing;
  const count = /^\d{1,15}$/.test(text) ? Number(text) : 0;
  if (count >= 1) return count;
  if (badPage === 'default') return missing;
  throw new InvalidRequest(`${name} must be a whole number, 1 or greater`);
}

/** Parses a date-time parameter to ms since the epoch. */
export function parseTime(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const ms = parseInstant(text);
  if (ms === undefined) throw new InvalidRequest(`${name} must be an ISO 8601 date-time`);
  return ms;
}

/** Parses the body of POST /qr; unknown fields are ignored. */
export function parseNewCode(body: Buffer | undefined): NewCode {
  const fields = parseObject(body);
  const name = parseText(fields, 'name');
  if (name === undefined || name === '') throw new InvalidRequest('name is required');
  return newCode(name, parseChoice(fields, 'type', CODE_TYPES), parseText(fields, 'destination'));
}

/** Parses the body of PATCH /qr/{id}; read-only fields are ignored. */
export function parseChanges(body: Buffer | undefined): CodeChanges {
  const fields = parseObject(body);
  const changes: CodeChanges = {};
  for (const field of ['name', 'destination', 'status'] as const) {
    const value = field === 'status' ? parseChoice(fields, field, CODE_STATUSES) : parseText(fields, field);
    if (value !== undefined) changes[field] = value;
  }
  if (changes.name === '') throw new InvalidRequest('name must not be empty');
  return changes;
}

type Fields = Readonly<Record<string, unknown>>;

function parseObject(body: Buffer | undefined): Fields {
  const value = parseJson(body);
  if (!isObject(value)) throw new InvalidRequest('the body must be a JSON object');
  return value;
}

function parseJson(body: Buffer | undefined): unknown {
  try {
    return parseBounded(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw new InvalidRequest('the body must be JSON encoded in UTF-8');
  }
}

function parseText(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  if (value === undefined || typeof value === 'string') return value;
  throw new InvalidRequest(`${name} must be a string`);
}

function parseChoice(fields: Fields, name: string, allowed: readonly string[]): string | undefined {
  const value = parseText(fields, name);
  if (value !== undefined && !allowed.includes(value))
    throw new InvalidRequest(`${name} must be one of: ${allowed.join(', ')}`);
  return value;
}
