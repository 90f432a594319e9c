import type { Pagination, QrCode } from '../service/shapes.ts';
import { failure, json, type SandboxRequest, type SandboxResponse } from './exchange.ts';
import type { SandboxSettings } from './options.ts';
import {
  CODES_PAGE,
  InvalidRequest,
  parseChanges,
  parseNewCode,
  parsePage,
  parseTime,
  SCANS_PAGE,
} from './parameters.ts';
import type { Workspace } from './workspace.ts';

type Handler = (request: SandboxRequest, id: string) => SandboxResponse;

interface Route {
  path: RegExp;
  methods: Readonly<Record<string, Handler>>;
}

/**
 * Creates a handler for requests whose key and rate limit were checked (section 4 of the specification).
 * `path` is the part after /api/v1.
 */
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
    return workspace.code(id) ? found(workspace.update(id, parseChanges(body))) : found(undefined);
  }

  function deleteCode(_request: SandboxRequest, id: string): SandboxResponse {
    return workspace.delete(id) ? { status: 204, headers: {}, body: undefined } : found(undefined);
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
