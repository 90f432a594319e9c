import { quote } from '#base/text/quote';
import {
  CODE_FIELDS,
  CODE_STATUSES,
  CODE_TYPES,
  DEVICES,
  MAX_CODES_PAGE,
  MAX_SCANS_PAGE,
  SCAN_FIELDS,
} from '#service/shapes';

const VERSION = '1.0.0';

interface Expected {
  method: 'get' | 'post' | 'patch' | 'delete';
  path: string;
  query?: readonly string[];
  maximum?: number;
  body?: readonly string[];
  response?: { status: string; fields: readonly string[]; list?: boolean };
}

const CODE = { status: '200', fields: CODE_FIELDS };
const PAGE = ['page', 'limit'];

const EXPECTED: readonly Expected[] = [
  { method: 'get', path: '/qr', query: PAGE, maximum: MAX_CODES_PAGE, response: { ...CODE, list: true } },
  {
    method: 'post',
    path: '/qr',
    body: ['name', 'type', 'destination'],
    response: { ...CODE, status: '201' },
  },
  { method: 'get', path: '/qr/{id}', response: CODE },
  { method: 'patch', path: '/qr/{id}', body: ['name', 'destination', 'status'], response: CODE },
  { method: 'delete', path: '/qr/{id}' },
  {
    method: 'get',
    path: '/qr/{id}/scans',
    query: [...PAGE, 'since', 'until'],
    maximum: MAX_SCANS_PAGE,
    response: { status: '200', fields: SCAN_FIELDS, list: true },
  },
];

const VALUES = new Map<string, readonly string[]>([
  ['type', CODE_TYPES],
  ['status', CODE_STATUSES],
  ['device', DEVICES],
]);

const JSON_SCHEMA = ['content', 'application/json', 'schema'];

export function compareOpenApi(description: unknown): { broken: string[]; changed: string[] } {
  const walk = walker(description);
  const broken = new Set<string>();
  const changed = new Set<string>();
  const version = walk(description, 'info', 'version');
  if (version !== VERSION)
    changed.add(`its version is ${typeof version === 'string' ? quote(version) : 'missing'}, not ${VERSION}`);
  for (const expected of EXPECTED) compareOperation(expected);
  return { broken: [...broken], changed: [...changed] };

  function compareOperation({ method, path, query = [], maximum, body = [], response }: Expected): void {
    const name = `${method.toUpperCase()} ${path}`;
    const operation = findOperation(walk, description, path, method);
    if (operation === undefined) {
      broken.add(`${name} is missing`);
      return;
    }
    for (const parameter of query)
      if (findParameter(walk, operation, parameter) === undefined)
        broken.add(`${name} has no parameter ${parameter}`);
    const limit = walk(findParameter(walk, operation, 'limit'), 'schema', 'maximum');
    if (typeof limit === 'number' && limit !== maximum)
      changed.add(`${name} takes a limit of up to ${limit}, not ${maximum}`);
    compareFields(`the body of ${name}`, body, walk(operation, 'requestBody', ...JSON_SCHEMA));
    if (!response) return;
    const schema = walk(operation, 'responses', response.status, ...JSON_SCHEMA);
    const record = response.list ? walk(findProperty(walk, schema, 'data'), 'items') : schema;
    compareFields(`the response to ${name}`, response.fields, record);
  }

  function compareFields(what: string, fields: readonly string[], schema: unknown): void {
    for (const field of fields) {
      const declared = findProperty(walk, schema, field);
      if (declared === undefined) broken.add(`${what} has no field ${field}`);
      compareValues(field, asList(walk(declared, 'enum')));
    }
  }

  function compareValues(field: string, values: readonly unknown[]): void {
    const known = VALUES.get(field);
    if (!known || values.length === 0) return;
    const gone = known.filter((value) => !values.includes(value));
    const added = values.filter((value) => typeof value === 'string' && !known.includes(value));
    if (gone.length > 0) changed.add(`${field} can no longer be ${gone.join(', ')}`);
    if (added.length > 0) changed.add(`${field} can also be ${added.join(', ')}`);
  }
}

type Walk = (value: unknown, ...path: string[]) => unknown;

const MOST_HOPS = 20;

export function walker(description: unknown): Walk {
  const follow = (value: unknown, hops = 0): unknown => {
    const reference = own(value, '$ref');
    if (typeof reference !== 'string' || !reference.startsWith('#/') || hops > MOST_HOPS) return value;
    const steps = reference.slice(2).split('/');
    const target = steps.reduce(
      (at, step) => own(at, step.replaceAll('~1', '/').replaceAll('~0', '~')),
      description,
    );
    return follow(target, hops + 1);
  };
  return (value, ...path) => path.reduce((at, step) => follow(own(at, step)), follow(value));
}

function own(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Record<string, unknown>)[key];
}

export function findOperation(walk: Walk, description: unknown, path: string, method: string): unknown {
  const paths = walk(description, 'paths');
  const key = Object.keys(paths ?? {}).find((candidate) => plainPath(candidate) === plainPath(path));
  return key === undefined ? undefined : walk(paths, key, method);
}

function plainPath(path: string): string {
  return path.replace(/\{[^{}]*\}/g, '{}').replace(/^.*\/api\/v1(?=\/)/, '');
}

function findParameter(walk: Walk, operation: unknown, name: string): unknown {
  const parameters = asList(walk(operation, 'parameters'));
  return parameters.find(
    (parameter) => walk(parameter, 'in') === 'query' && walk(parameter, 'name') === name,
  );
}

function findProperty(walk: Walk, schema: unknown, name: string, depth = 0): unknown {
  const direct = walk(schema, 'properties', name);
  if (direct !== undefined || depth > MOST_HOPS) return direct;
  for (const part of asList(walk(schema, 'allOf'))) {
    const found = findProperty(walk, part, name, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
