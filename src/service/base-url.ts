import { orUndefined, UsageError } from '#base/errors';
import { parseUrl } from '#base/text/parse-url';
import { shown } from '#base/text/quote';

const VERSION_PATH = '/api/v1';

/** Parses a base URL. Without a path, appends `/api/v1` and sets `completed`. Throws UsageError. */
export function parseBaseUrl(text: string): { baseUrl: string; completed: boolean } {
  const url = parseWebUrl(text);
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw new UsageError(
      `http:// would send the key unencrypted to ${shown(url.hostname)}; it is allowed only for this machine`,
      { hint: 'Use https:// in the base URL.' },
    );
  }
  let path = url.pathname;
  while (path.endsWith('/')) path = path.slice(0, -1);
  if (path === '') return { baseUrl: url.origin + VERSION_PATH, completed: true };
  if (!path.endsWith(VERSION_PATH)) {
    throw new UsageError(
      `the base URL must end in ${VERSION_PATH}, but ${shown(url.origin + path)} does not`,
      { hint: `Specify ${shown(url.origin)}, or the whole URL up to ${VERSION_PATH}.` },
    );
  }
  return { baseUrl: url.origin + path, completed: false };
}

export function baseUrlOf(text: string): string | undefined {
  return orUndefined(() => parseBaseUrl(text).baseUrl, UsageError);
}

function parseWebUrl(text: string): URL {
  const url = parseUrl(text);
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    const similar = withScheme(text);
    throw new UsageError('the base URL is not an http or https URL', {
      hint: similar ? `Did you mean ${similar}?` : `Specify a URL such as https://host${VERSION_PATH}.`,
    });
  }
  if (url.username !== '' || url.password !== '') {
    throw new UsageError('the base URL must not contain a user name or password', {
      hint: 'Run `qrctl auth login` to store the key.',
    });
  }
  if (/[?#]/.test(text))
    throw new UsageError('the base URL must not have a query or fragment', {
      hint: `End the base URL with ${VERSION_PATH}.`,
    });
  return url;
}

function withScheme(text: string): string | undefined {
  if (!/^(localhost|\[::1\]|[a-z0-9-]+(\.[a-z0-9-]+)+)(:\d+)?(\/[\w./-]*)?$/i.test(text)) return undefined;
  const host = text.replace(/[/:].*/, '').toLowerCase();
  return baseUrlOf(`${isLoopback(host) || text.startsWith('[') ? 'http' : 'https'}://${text}`);
}

export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
