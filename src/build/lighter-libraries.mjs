/** Plugins of the build that keep out of libraries what each start would pay for and nothing here uses. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

/**
 * What undici and commander load with themselves for features that are not used here: the classes of node:http that undici tells
 * streams by, HTTP/2 and fetch; and what commander would run commands in other files with. Without them `qrctl qr list` takes 10 ms
 * less, a tenth. Each stand-in has just what is asked for when it is loaded and throws at anything else, so that an upgrade which asks
 * for more fails in every test that sends a request.
 */
const STAND_INS = {
  // With a message of its own: node's reads and parses the source of the caller for one, which takes Node 20 minutes in a bundle. What a
  // server sends can make an assertion fail (a status below 100), and then ends its request.
  'node:assert': standIn(
    'node:assert',
    '{}',
    `(value, message = 'an assertion of undici fails') => {
      if (!value) throw Object.assign(new Error(message), { code: 'ERR_ASSERTION' });
    }`,
  ),
  'node:child_process': standIn('node:child_process', '{}'),
  'node:http': standIn('node:http', '{ maxHeaderSize: 16384, IncomingMessage: class {} }'),
  './client-h2.js': standIn('./client-h2.js', '{}'),
  '../web/fetch/body.js': standIn('../web/fetch/body.js', '{}'),
};

/** A module with these properties, as source; called, it does what `call` does, or throws. */
function standIn(path, properties, call = "() => missing('call')") {
  return `const has = ${properties};
    const missing = (name) => { throw new Error('${path} is not built in, and somebody asks for its ' + String(name)); };
    const call = ${call};
    module.exports = new Proxy(function () {}, {
      get: (_, name) => (name in has ? has[name] : missing(name)),
      apply: (_, self, given) => call(...given),
    });`;
}

export const notBuiltIn = {
  name: 'not-built-in',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /.*/ }, ({ importer, namespace, path }) =>
      namespace === 'file' && /[\\/](undici|commander)[\\/]/.test(importer) && Object.hasOwn(STAND_INS, path)
        ? { path, namespace: 'not-built-in' }
        : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'not-built-in' }, ({ path }) => ({ contents: STAND_INS[path] }));
  },
};

/**
 * Of the tables of undici's parser those that its client reads, as what they hold: the module works out dozens anew at each start, a
 * millisecond. Where an upgrade puts anything but data into them, or they are read otherwise, the build fails.
 */
export const asData = {
  name: 'as-data',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]undici[\\/]lib[\\/]llhttp[\\/]constants\.js$/ }, ({ path }) => {
      const client = readFileSync(join(dirname(path), '../dispatcher/client-h1.js'), 'utf8');
      const names = new Set([...client.matchAll(/\bconstants\.([A-Z]\w*)/g)].map(([, name]) => name));
      const all = createRequire(import.meta.url)(path);
      const tables = Object.fromEntries([...names].map((name) => [name, all[name]]));
      const text = JSON.stringify(tables);
      if (!isDeepStrictEqual(JSON.parse(text), tables)) throw new Error(`${path} is not data alone`);
      if (names.size === 0 || /\bconstants\b(?!\.[A-Z]|\.js'|\b = require)/.test(client))
        throw new Error(`${path} is read otherwise`);
      return { contents: `module.exports = ${text};` };
    });
  },
};

/**
 * Gives env-paths of the modules of node what it reads: for a default import of one esbuild makes a copy with a getter for every property,
 * and `process` alone has more than a hundred. Where an upgrade reads them otherwise than by name, the build fails.
 */
export const builtInsAsRead = {
  name: 'built-ins-as-read',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ importer, path }) =>
      /[\\/]env-paths[\\/]/.test(importer) ? { path, namespace: 'as-read', pluginData: importer } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'as-read' }, ({ path, pluginData }) => {
      if (path === 'node:process') return { contents: 'export default process;' };
      const names = `{ ${[...namesRead(readFileSync(pluginData, 'utf8'), path)]} }`;
      return { contents: `import ${names} from '${path}'; export default ${names};` };
    });
  },
};

function namesRead(source, module) {
  const [line, local] = new RegExp(`^import (\\w+) from '${module}';$`, 'm').exec(source) ?? [];
  const uses = source.replace(line, '').matchAll(new RegExp(`\\b${local}\\b(?:\\.(\\w+))?`, 'g'));
  const names = new Set([...uses].map(([, name]) => name));
  if (names.has(undefined) || names.size === 0) throw new Error(`${module} is read otherwise`);
  return names;
}
