/**
 * Replaces modules that qrctl never uses, which saves 10 ms (a tenth) of `qrctl qr list`. A stub throws for
 * properties not read on loading, so tests find an upgrade that needs more.
 */
const STUBS = {
  // node20: If an assertion without a message fails, Node 20 parses the whole bundle for minutes. A server
  // can cause this, for example with a status below 100.
  'node:assert': stub(
    'node:assert',
    '{}',
    `(value, message = 'an assertion of undici fails') => {
      if (!value) throw Object.assign(new Error(message), { code: 'ERR_ASSERTION' });
    }`,
  ),
  'node:child_process': stub('node:child_process', '{}'),
  'node:http': stub('node:http', '{ maxHeaderSize: 16384, IncomingMessage: class {} }'),
  // conf writes with atomically, whose signal handlers end the process. qrctl never writes with conf.
  atomically: stub('atomically', '{ __esModule: true, writeFileSync: () => missing("writeFileSync") }'),
  // fontkit needs brotli (120 KB) only for WOFF2; the fonts in dist/ are WOFF.
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
