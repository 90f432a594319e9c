import { isIP } from 'node:net';
import { findInvisible } from '#base/text/clean';
import { isDotless, parseUrl } from '#base/text/parse-url';
import { inQuotes, quote } from '#base/text/quote';

/**
 * Kinds of problems. `unusable`: no phone opens the destination. `network`: the host is an IP address or a
 * local name. `invisible`: a web address contains an invisible character. `odd`: the text is unusual, such as
 * a placeholder, but most browsers open it.
 */
type Kind = 'empty' | 'not-web' | 'unusable' | 'dotless' | 'network' | 'invisible' | 'odd';

interface DestinationProblem {
  kind: Kind;
  words: string;
  reason: string;
}

const DEAD = new Set<Kind>(['empty', 'unusable', 'dotless', 'network', 'invisible']);

/** Returns whether a code with this problem is refused without `--force`. */
export function isDead({ kind }: DestinationProblem): boolean {
  return DEAD.has(kind);
}

/** Finds a problem with the destination of a `url` code. The API defines no format for other types. */
export function findDestinationProblem(
  destination: string | null | undefined,
  type: string = 'url',
): DestinationProblem | undefined {
  if (type !== 'url') return undefined;
  if (!destination?.trim()) {
    const reason = 'is empty and cannot be opened when scanned';
    return { kind: 'empty', words: reason, reason };
  }
  const problem = judge(destination);
  return problem && { ...problem, words: `${quote(destination)} ${problem.reason}` };
}

type Judgment = Omit<DestinationProblem, 'words'>;

function judge(destination: string): Judgment | undefined {
  const invisible = findInvisible(destination);
  if (invisible) {
    const before = [...destination.slice(0, invisible.at).slice(-2 * SHOWN)].slice(-SHOWN).join('');
    const place = before === '' ? 'at its beginning' : `after ${inQuotes(before)}`;
    const kind = parseWeb(destination.trim()) ? 'invisible' : 'unusable';
    return { kind, reason: `contains the invisible character ${invisible.name} ${place}` };
  }
  const text = destination.trim();
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined || looksLikeHostAndPort(text) || /^[^\s:]+:\s+https?:/i.test(text))
    return unusable('it does not begin with https://');
  if (scheme.length === 1 || scheme === 'file') return unusable('it is a file on a computer');
  if (LOCAL_SCHEMES.includes(scheme)) return unusable(`phones do not open ${scheme}: addresses`);
  if (!/^https?$/.test(scheme))
    return { kind: 'not-web', reason: 'is not a web address, so not every phone can open it' };
  return judgeWeb(text) ?? (/\s/.test(destination) ? odd('a space') : undefined);
}

function judgeWeb(text: string): Judgment | undefined {
  if (SECOND_ADDRESS.test(text)) return unusable('it contains more than one address');
  const url = parseWeb(text);
  if (!url) return unusable('it is not a valid URL');
  const host = url.hostname.replace(/\.$/, '');
  if (isIP(host.replace(/^\[|\]$/g, '')))
    return { kind: 'network', reason: 'contains an IP address instead of a host name' };
  if (/(^|\.)(local|localhost|localdomain|internal)$/.test(host))
    return { ...unusable('its host name is valid only on one device or network'), kind: 'network' };
  if (isDotless(url)) return { ...unusable('its host name has no dot'), kind: 'dotless' };
  if (/(^|\.)([.-]|$)|-(\.|$)|[^.]{64}|^.{254}/.test(host)) return unusable('its host name is not valid');
  if (url.port === '0') return unusable('its port is not valid');
  if (url.username !== '' || url.password !== '') return odd('a user name or password');
  const [page = ''] = text.split('#', 1);
  if (page.includes('\\')) return odd('"\\" instead of "/"');
  const query = page.slice(page.indexOf('?') + 1 || page.length);
  if (query.includes('&amp;')) return odd('"&amp;" instead of "&"');
  // A second `?` is allowed if the query contains a URL.
  if (query.includes('?') && !query.includes('://')) return odd('a second "?", which should probably be "&"');
  const [placeholder] = /<[^<>]+>|\{[^{}]+\}/.exec(text) ?? [];
  return placeholder ? odd(`${inQuotes(placeholder)}, which looks like a placeholder`) : undefined;
}

function parseWeb(text: string): URL | undefined {
  return /^https?:\/\/[^/?#\s]/i.test(text) ? parseUrl(text) : undefined;
}

function odd(what: string): Judgment {
  return { kind: 'odd', reason: `contains ${what}` };
}

function unusable(why: string): Judgment {
  return { kind: 'unusable', reason: `cannot be opened when scanned: ${why}` };
}

/** Schemes, besides `file`, that phones do not open. Any other may open an app. */
const LOCAL_SCHEMES = 'about blob chrome data javascript vbscript view-source'.split(' ');

const SECOND_ADDRESS = /\s(?:https?:\/\/|www\.)|^[^?#]+[,;|](?:https?:\/\/|www\.)/i;

const SHOWN = 20;

function looksLikeHostAndPort(text: string): boolean {
  const colon = text.indexOf(':');
  return colon > 0 && text.slice(0, colon).includes('.') && /^:\d+(\/|$)/.test(text.slice(colon));
}
