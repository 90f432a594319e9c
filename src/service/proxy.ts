import { Buffer } from 'node:buffer';
import { BlockList, isIP } from 'node:net';
import { orUndefined, UsageError } from '#base/errors';
import { parseUrl } from '#base/text/parse-url';
import { isLoopback } from './base-url.ts';
import { NetworkError } from './network-error.ts';

/** Returns the proxy, if any; for a local service, only a local one. Throws UsageError for an invalid URL. */
export function proxyFor(service: URL, env: NodeJS.Dict<string>): URL | undefined {
  const name = service.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const value = variable(env, name);
  if (value === '' || isExempt(service, variable(env, 'NO_PROXY'))) return undefined;
  const proxy = parseProxy(name, value);
  return isLoopback(service.hostname) && !isLoopback(proxy.hostname) ? undefined : proxy;
}

export function proxyAuthorization(proxy: URL): string | undefined {
  if (proxy.username === '') return undefined;
  const credentials = `${unescaped(proxy.username)}:${unescaped(proxy.password)}`;
  return `Basic ${Buffer.from(credentials).toString('base64')}`;
}

export function throughProxy(proxy: URL, failure: NetworkError, isForwarded: boolean): NetworkError {
  const { message, fault, sent, hint } = failure;
  if (sent || hint !== undefined || fault !== 'network') return failure;
  return new NetworkError(`cannot connect through the proxy ${proxy.host}: ${message}`, {
    fault,
    sent,
    cause: failure,
    hint: `Check ${isForwarded ? 'HTTP_PROXY' : 'HTTPS_PROXY'}, or add the host to NO_PROXY to connect without the proxy.`,
  });
}

export function proxyRefusal(proxy: URL, status: number): NetworkError {
  if (status === 407) {
    const message = `the proxy ${proxy.host} requires a user name and password (407)`;
    return new NetworkError(message, { fault: 'proxy', sent: false });
  }
  return new NetworkError(`the proxy ${proxy.host} refused the connection (${status})`, {
    sent: false,
    hint: 'Check that the proxy allows connections to this host.',
  });
}

function unescaped(text: string): string {
  return orUndefined(() => decodeURIComponent(text)) ?? text;
}

function variable(env: NodeJS.Dict<string>, name: string): string {
  return (env[name.toLowerCase()] ?? env[name] ?? '').trim();
}

/** Parses a proxy URL. Refuses `\`, `/`, `?` and `#` in passwords, because they end a URL's host. */
function parseProxy(name: string, value: string): URL {
  const [, scheme = 'http', rest = ''] = /^(?:(https?):\/\/)?([^\s\\/?#]+)\/?$/i.exec(value) ?? [];
  const proxy = parseUrl(`${scheme}://${rest}`);
  if (proxy) return proxy;
  const encoded = value.includes('@')
    ? '. In user name and password, write \\ as %5C, # as %23, / as %2F and ? as %3F'
    : '';
  throw new UsageError(`${name} is not the URL of an http or https proxy`, {
    hint: `Set ${name}=http://HOST:PORT, or unset it${encoded}.`,
  });
}

/** Returns whether NO_PROXY lists the host, a parent domain, `host:port`, a CIDR network, or `*`. */
function isExempt(service: URL, noProxy: string): boolean {
  const port = service.port || (service.protocol === 'https:' ? '443' : '80');
  return noProxy.split(/[,\s]+/).some((entry) => {
    if (entry === '*' || isInNetwork(service.hostname, entry)) return true;
    const { name, onlyPort = port } = parseExemption(entry.toLowerCase());
    return (
      name !== '' && onlyPort === port && (service.hostname === name || service.hostname.endsWith(`.${name}`))
    );
  });
}

function isInNetwork(hostname: string, entry: string): boolean {
  const [, network = '', bits] = /^\[?([\d.a-f:]+)\]?\/(\d+)$/i.exec(entry) ?? [];
  const address = hostname.replace(/^\[|\]$/g, '');
  const version = isIP(network);
  const [family, most] = version === 4 ? (['ipv4', 32] as const) : (['ipv6', 128] as const);
  if (version === 0 || version !== isIP(address) || Number(bits) > most) return false;
  const list = new BlockList();
  list.addSubnet(network, Number(bits), family);
  return list.check(address, family);
}

function parseExemption(entry: string): { name: string; onlyPort: string | undefined } {
  if (/^[^[]*:[^[]*:/.test(entry)) return { name: `[${entry}]`, onlyPort: undefined };
  const [, name = '', onlyPort] = /^(?:\*?\.)?(.*?)(?::(\d+))?$/.exec(entry) ?? [];
  return { name, onlyPort };
}
