import { describe, expect, it } from 'vitest';
import { createCookies } from '#codes/destinations/cookies';

const at = (host: string) => new URL(`https://${host}/`);

/** The Cookie headers for these hosts after www.x.test set cookies. */
function sent(lines: string | string[], ...hosts: string[]): string[] {
  const cookies = createCookies();
  cookies.take(at('www.x.test'), { 'set-cookie': lines });
  return hosts.map((host) => cookies.for(at(host)));
}

describe('createCookies', () => {
  it('sends a cookie without a domain only to the host that set it', () => {
    expect(sent('a=1; Path=/; Secure', 'www.x.test', 'x.test', 'my.www.x.test', 'y.test')).toEqual([
      'a=1',
      '',
      '',
      '',
    ]);
    expect(sent(['a=1', 'b=2'], 'www.x.test')).toEqual(['a=1; b=2']);
    expect(createCookies().for(at('x.test'))).toBe('');
    const cookies = createCookies();
    cookies.take(at('x.test'), {});
    expect(cookies.for(at('x.test'))).toBe('');
  });

  it.each(['.x.test', 'x.test', ' X.Test '])(
    'sends a cookie with the domain %j to every host in that domain',
    (domain) => {
      expect(
        sent(`a=1; domain=${domain}; Path=/`, 'www.x.test', 'x.test', 'my.shop.x.test', 'otherx.test'),
      ).toEqual([...['a=1', 'a=1', 'a=1', '']]);
    },
  );

  it('sends a cookie whose domain is the name of its host to that host and its subdomains', () => {
    expect(sent('a=1; Domain=www.x.test', 'www.x.test', 'my.www.x.test', 'x.test')).toEqual([
      'a=1',
      'a=1',
      '',
    ]);
  });

  it.each(['y.test', 'test', 'w.x.test', ''])(
    'ignores the cookie domain %j, and sends the cookie only to the host that set it',
    (domain) => {
      expect(sent(`a=1; Domain=${domain}`, 'www.x.test', 'my.www.x.test', 'y.test', 'y.x.test')).toEqual([
        'a=1',
        '',
        '',
        '',
      ]);
    },
  );

  it('replaces a cookie that has the same name and domain', () => {
    expect(sent(['a=1', 'a=2', 'a=3; Domain=x.test'], 'www.x.test', 'x.test')).toEqual(['a=2; a=3', 'a=3']);
  });

  it('removes a cookie if Max-Age is zero or negative', () => {
    expect(sent(['a=1', 'b=2', 'a=; Max-Age=0'], 'www.x.test')).toEqual(['b=2']);
    expect(sent(['a=1', 'a=2; Max-Age=-1', 'b=2; Max-Age=60', 'c=3; Max-Age=later'], 'www.x.test')).toEqual([
      'b=2; c=3',
    ]);
  });

  it('trims names and values, and keeps the equals signs in a value', () => {
    expect(sent(' a = 1=2 ; Path=/', 'www.x.test')).toEqual(['a=1=2']);
  });

  it.each(['bad', '=1', 'a=\u0001', 'a b=1', 'a=\u00e4', ' '])('ignores the invalid cookie %j', (line) => {
    expect(sent([line, 'b=2'], 'www.x.test')).toEqual(['b=2']);
  });

  it('ignores a cookie longer than 8,192 bytes, and every new cookie after the fiftieth', () => {
    const longest = `a=${'x'.repeat(8190)}`;
    expect(sent([longest], 'www.x.test')).toEqual([longest]);
    expect(sent([`${longest}x`], 'www.x.test')).toEqual(['']);
    const names = Array.from({ length: 51 }, (_, n) => `c${n}`);
    const lines = [...names.map((name) => `${name}=1`), 'c0=2'];
    expect(sent(lines, 'www.x.test')).toEqual([
      ['c0=2', ...names.slice(1, 50).map((name) => `${name}=1`)].join('; '),
    ]);
  });
});
