/** Reads an OpenAPI description, any part of which may be missing or of another type. */

/** Follows `path` from `value`, resolving `$ref` at each step; undefined if the path ends early. */
export type Walk = (value: unknown, ...path: string[]) => unknown;

/** More than any description needs; ends one that refers to itself. */
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

/** Paths may have the version segment or not, and parameters any name. */
export function findOperation(walk: Walk, description: unknown, path: string, method: string): unknown {
  const paths = walk(description, 'paths');
  const key = Object.keys(paths ?? {}).find((candidate) => plainPath(candidate) === plainPath(path));
  return key === undefined ? undefined : walk(paths, key, method);
}

function plainPath(path: string): string {
  return path.replace(/\{[^{}]*\}/g, '{}').replace(/^.*\/api\/v1(?=\/)/, '');
}

export function findParameter(walk: Walk, operation: unknown, name: string): unknown {
  const parameters = asList(walk(operation, 'parameters'));
  return parameters.find(
    (parameter) => walk(parameter, 'in') === 'query' && walk(parameter, 'name') === name,
  );
}

/** Also finds a property of a schema that is composed with allOf. */
export function findProperty(walk: Walk, schema: unknown, name: string, depth = 0): unknown {
  const direct = walk(schema, 'properties', name);
  if (direct !== undefined || depth > MOST_HOPS) return direct;
  for (const part of asList(walk(schema, 'allOf'))) {
    const found = findProperty(walk, part, name, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

export function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
