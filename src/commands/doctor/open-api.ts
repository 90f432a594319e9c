import { quote } from '#base/text/quote';
import { openApi } from '#sandbox/openapi';

/** Endpoints and fields that qrctl uses. */
const EXPECTED = openApi('/api/v1');
const walkExpected = walker(EXPECTED);

const JSON_SCHEMA = ['content', 'application/json', 'schema'];

export function compareOpenApi(description: unknown) {
  const walk = walker(description);
  const broken = new Set<string>();
  const changed = new Set<string>();
  const version = walk(description, 'info', 'version');
  const known = walkExpected(EXPECTED, 'info', 'version');
  if (version !== known)
    changed.add(`its version is ${typeof version === 'string' ? quote(version) : 'missing'}, not ${known}`);
  for (const [path, item] of Object.entries(walkExpected(EXPECTED, 'paths') ?? {}))
    for (const method of Object.keys(item))
      if (method !== 'parameters') compareOperation(path, method, item[method]);
  return { broken: [...broken], changed: [...changed] };

  function compareOperation(path: string, method: string, expected: unknown): void {
    const name = `${method.toUpperCase()} ${path}`;
    const operation = findOperation(walk, description, path, method);
    if (operation === undefined) {
      broken.add(`${name} is missing`);
      return;
    }
    for (const parameter of asList(walkExpected(expected, 'parameters')).map((one) => `${own(one, 'name')}`))
      if (findParameter(walk, operation, parameter) === undefined)
        broken.add(`${name} has no parameter ${parameter}`);
    const most = maximumOf(walkExpected, expected);
    const limit = maximumOf(walk, operation);
    if (typeof limit === 'number' && limit !== most)
      changed.add(`${name} takes a limit of up to ${limit}, not ${most}`);
    const [success = ''] = Object.keys(walkExpected(expected, 'responses') ?? {});
    const compare = (what: string, ...place: string[]) =>
      compareFields(what, walkExpected(expected, ...place), walk(operation, ...place));
    compare(`the body of ${name}`, 'requestBody', ...JSON_SCHEMA);
    compare(`the response to ${name}`, 'responses', success, ...JSON_SCHEMA);
  }

  function compareFields(what: string, expected: unknown, schema: unknown): void {
    const item = walkExpected(expected, 'properties', 'data', 'items');
    const record = item ? walk(findProperty(walk, schema, 'data'), 'items') : schema;
    for (const [field, form] of Object.entries(walkExpected(item ?? expected, 'properties') ?? {})) {
      const declared = findProperty(walk, record, field);
      if (declared === undefined) broken.add(`${what} has no field ${field}`);
      compareValues(field, asList(own(form, 'enum')), asList(walk(declared, 'enum')));
    }
  }

  function compareValues(field: string, known: readonly unknown[], values: readonly unknown[]): void {
    if (known.length === 0 || values.length === 0) return;
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

function maximumOf(walk: Walk, operation: unknown): unknown {
  return walk(findParameter(walk, operation, 'limit'), 'schema', 'maximum');
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
