/** Keeps built-in modules and parts of libraries that qrctl never uses out of the bundle. */
/**
 * What undici and commander load with themselves for features that are not used here: the classes of node:http that undici tells
 * streams by, HTTP/2 and fetch; and what commander would run commands in other files with. Without them `qrctl qr list` takes 10 ms
 * less, a tenth. Each stand-in has just what is asked for when it is loaded and throws at anything else, so that an upgrade which asks
 * for more fails in every test that sends a request.
 */
const STAND_INS = {
  // node20: With a message of its own: node's reads and parses the source of the caller for one, which takes Node 20 minutes in a bundle. What a
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
