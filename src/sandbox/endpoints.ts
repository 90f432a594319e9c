import { orUndefined } from '#base/errors';
import { parseBounded } from '#base/text/bounded-json';
import { parseInstant } from '#base/time/time';
import { isObject } from '#service/json';
import {
  CODE_STATUSES,
  CODE_TYPES,
  type CodeChanges,
  MAX_CODES_PAGE,
  MAX_SCANS_PAGE,
  type NewCode,
  newCode,
  type Pagination,
  type QrCode,
} from '#service/shapes';
import { failure, json, type SandboxRequest, type SandboxResponse } from './exchange.ts';
import type { Behavior, SandboxSettings } from './options.ts';
import type { Workspace } from './workspace.ts';

type Handler = (request: SandboxRequest, id: string) => SandboxResponse;

interface Route {
  path: RegExp;
  methods: Readonly<Record<string, Handler>>;
}

export function createEndpoints(settings: SandboxSettings, workspace: Workspace, nowMs: () => number) {
  let turn = 0;

  function listCodes({ query }: SandboxRequest): SandboxResponse {
    const { page, limit } = parsePage(query, CODES_PAGE, settings);
    const codes = workspace.codes();
    const data = codes.slice((page - 1) * limit, page * limit);
    return json(200, { data, pagination: pagination(page, limit, codes.length) });
  }

  function createCode({ body }: SandboxRequest): SandboxResponse {
    const code = parseNewCode(body);
    if (!workspace.full()) return json(201, workspace.create(code));
    const error = `The workspace has reached the QR code limit of the ${settings.plan} plan`;
    return failure(403, 'plan_limit_reached', error);
  }

  function updateCode({ body }: SandboxRequest, id: string): SandboxResponse {
    return found(workspace.code(id) && workspace.update(id, parseChanges(body)));
  }

  function deleteCode(_request: SandboxRequest, id: string): SandboxResponse {
    return workspace.delete(id) ? { status: 204, headers: {} } : found(undefined);
  }

  function listScans({ query }: SandboxRequest, id: string): SandboxResponse {
    const log = workspace.log(id);
    if (!log) return found(undefined);
    const { page, limit } = parsePage(query, SCANS_PAGE, settings);
    const range = { sinceMs: parseTime(query, 'since'), untilMs: parseTime(query, 'until') };
    turn++;
    const { rows, total } = log.page({ page, limit, ...range, nowMs: nowMs(), turn });
    const body = `{"data":[${rows.join(',')}],"pagination":${JSON.stringify(pagination(page, limit, total))}}`;
    return { ...json(200, undefined), body };
  }

  const routes: readonly Route[] = [
    { path: /^\/qr$/, methods: { GET: listCodes, POST: createCode } },
    {
      path: /^\/qr\/([^/]+)$/,
      methods: { GET: (_request, id) => found(workspace.code(id)), PATCH: updateCode, DELETE: deleteCode },
    },
    { path: /^\/qr\/([^/]+)\/scans$/, methods: { GET: listScans } },
  ];

  return (path: string, request: SandboxRequest): SandboxResponse => {
    for (const route of routes) {
      const match = route.path.exec(path);
      if (match) return dispatch(route, request, match[1] ?? '');
    }
    return failure(404, 'not_found', 'No such endpoint');
  };
}

function dispatch({ methods }: Route, request: SandboxRequest, id: string): SandboxResponse {
  const handler = Object.hasOwn(methods, request.method) ? methods[request.method] : undefined;
  if (!handler) {
    const headers = { Allow: Object.keys(methods).join(', ') };
    return failure(405, 'method_not_allowed', 'This endpoint does not support the method', headers);
  }
  try {
    return handler(request, id.toLowerCase());
  } catch (error) {
    if (error instanceof InvalidRequest) return failure(400, 'validation_error', error.message);
    throw error;
  }
}

function found(code: QrCode | undefined): SandboxResponse {
  return code ? json(200, code) : failure(404, 'not_found', 'No QR code with this ID in the workspace');
}

function pagination(page: number, limit: number, total: number): Pagination {
  return { page, limit, total, pages: Math.ceil(total / limit) };
}

class InvalidRequest extends Error {}

export interface PageBounds {
  defaultLimit: number;
  maxLimit: number;
}

export const CODES_PAGE: PageBounds = { defaultLimit: 20, maxLimit: MAX_CODES_PAGE };
export const SCANS_PAGE: PageBounds = { defaultLimit: 50, maxLimit: MAX_SCANS_PAGE };

function parsePage(
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

function parseTime(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const ms = parseInstant(text);
  if (ms === undefined) throw new InvalidRequest(`${name} must be an ISO 8601 date-time`);
  return ms;
}

function parseNewCode(body: Buffer | undefined): NewCode {
  const fields = parseObject(body);
  const name = parseText(fields, 'name');
  if (name === undefined || name === '') throw new InvalidRequest('name is required');
  return newCode(name, parseChoice(fields, 'type', CODE_TYPES), parseText(fields, 'destination'));
}

function parseChanges(body: Buffer | undefined): CodeChanges {
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
  const value = orUndefined(() => parseBounded(new TextDecoder('utf-8', { fatal: true }).decode(body)));
  if (value === undefined) throw new InvalidRequest('the body must be JSON encoded in UTF-8');
  if (!isObject(value)) throw new InvalidRequest('the body must be a JSON object');
  return value;
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
