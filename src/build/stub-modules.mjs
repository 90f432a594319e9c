/**
 * Replaces modules that qrctl never uses: `qrctl qr list` becomes 10 ms (a tenth) faster. A stub throws for
 * properties that are not read on loading, so an upgrade that needs more fails in every test that sends a
 * request.
 */
const STUBS = {
  // node20: Without a message, Node 20 parses the whole bundle to build one, which takes minutes. A server can cause a failed assertion, such as
  // by a status below 100.
  'node:assert': stub(
    'node:assert',
    '{}',
    `(value, message = 'an assertion of undici fails') => {
      if (!value) throw Object.assign(new Error(message), { code: 'ERR_ASSERTION' });
    }`,
  ),
  'node:child_process': stub('node:child_process', '{}'),
  'node:http': stub('node:http', '{ maxHeaderSize: 16384, IncomingMessage: class {} }'),
  // conf writes with it, and src/settings/write-store.ts does not. It installs handlers that end the process on a signal.
  atomically: stub('atomically', '{ __esModule: true, writeFileSync: () => missing("writeFileSync") }'),
  // fontkit reads WOFF2 with it (120 KB); the fonts of dist/ are WOFF.
  'brotli/decompress.js': stub('brotli', '{}'),
  './client-h2.js': stub('./client-h2.js', '{}'),
  '../web/fetch/body.js': stub('../web/fetch/body.js', '{}'),
};

/** Packages whose imports get a stub (default: undici and commander). */
const USERS = { atomically: ['conf'], 'brotli/decompress.js': ['fontkit'] };

function stub(path, properties, call = "() => missing('call')") {
  return `const has = ${properties};
    const missing = (name) => { throw new Error('${path} is a stub without ' + String(name)); };
    const call = ${call};
    module.exports = new Proxy(function () {}, {
      get: (_, name) => (name in has ? has[name] : missing(name)),
      apply: (_, self, given) => call(...given),
    });`;
}

export const stubModules = {
  name: 'stub-modules',
  resolveId(path, importer = '') {
    if (!Object.hasOwn(STUBS, path)) return undefined;
    const [, user = ''] = /.*[\\/]node_modules[\\/]([^\\/]+)/.exec(importer) ?? [];
    // conf needs the real node:assert.
    return (USERS[path] ?? ['undici', 'commander']).includes(user) ? `\0stub:${path}` : undefined;
  },
  load: (id) => (id.startsWith('\0stub:') ? STUBS[id.slice('\0stub:'.length)] : undefined),
};
