import { describe, expect, test } from 'vitest';
import {
  codeOfShortUrl,
  fillShortUrl,
  findTemplateProblem,
  isShortUrl,
  parseShortUrl,
} from '#base/text/short-url';
import { argv } from '../../support/argv.ts';

const ID = '6f1c2f0e-8a53-4a3e-9d53-0d6a2b9a0c11';

describe('the address of a code', () => {
  test.each([
    ['https://go.example/{slug}', 'aB3xY', 'https://go.example/aB3xY'],
    ['https://go.example/{id}', 'aB3xY', `https://go.example/${ID}`],
    ['https://go.example/{slug}?c={id}&s={slug}', 'a', `https://go.example/a?c=${ID}&s=a`],
    ['https://go.example/{slug}', 'menü 10/x?y#z', 'https://go.example/men%C3%BC%2010%2Fx%3Fy%23z'],
    // Nothing in a slug is a pattern of replacement, or a place of its own.
    ['https://go.example/{slug}', '$&$1{id}', 'https://go.example/%24%26%241%7Bid%7D'],
    ['https://go.example/{slug}', '\ud800', 'https://go.example/%EF%BF%BD'],
    // Beyond ASCII: the host by Punycode, the rest by percent signs. What is in ASCII stays as it was written.
    [
      'https://MÜNCHEN.example:8443/ä?q=東京#ö{slug}',
      'a',
      'https://xn--mnchen-3ya.example:8443/%C3%A4?q=%E6%9D%B1%E4%BA%AC#%C3%B6a',
    ],
    ['https://{slug}.Go.example/x', 'menü', 'https://xn--men-joa.go.example/x'],
    ['https://Go.example:443/%7e/{slug}', 'a', 'https://Go.example:443/%7e/a'],
    ['http://[::1]:80/ü/{slug}', 'a', 'http://[::1]:80/%C3%BC/a'],
    ['http://MÜNCHEN.example/{slug}', 'a', 'http://xn--mnchen-3ya.example/a'],
    // A valid host contains no space, so this host stays percent-encoded.
    ['https://{slug}.go.example/', 'a b', 'https://a%20b.go.example/'],
  ])('with the template %s and the slug %j is %s', (template, slug, address) => {
    expect(fillShortUrl(template, { id: ID, slug })).toBe(address);
  });
});

test('a template whose host is valid only with some slugs is refused', () => {
  expect(parseShortUrl('http://xn--80a{slug}.example/')).toBe(undefined);
  expect(parseShortUrl('http://{slug}.go.example/')).toBe('http://{slug}.go.example/');
});

test.each([
  ['a control character at the end', 'https://go.example\0\x02'],
  ['more than 4,096 characters', 'https://go.example/{slug}'.padEnd(4097, 'a')],
  ['a user name', 'https://user@go.example/{slug}'],
  ['a password', 'https://:secret@go.example/{slug}'],
  ['another protocol', 'xhttps://go.example/{slug}'],
  ['a query without a placeholder', 'https://go.example/?a=b'],
  ['a placeholder of another name', 'https://go.example/{code}'],
])('a template with %s is refused', (_, template) => {
  expect(parseShortUrl(template)).toBe(undefined);
});

test('a template without a placeholder gets {slug} at the end', () => {
  const templates = ['https://go.example', 'https://go.example/', 'https://go.example/q'];
  const expected = ['https://go.example/{slug}', 'https://go.example/{slug}', 'https://go.example/q/{slug}'];
  expect(templates.map(parseShortUrl)).toEqual(expected);
});

test('a template with a placeholder in the query, or of 4,096 characters, is accepted', () => {
  for (const template of ['https://go.example/?c={id}', 'https://go.example/{slug}'.padEnd(4096, 'a')])
    expect(parseShortUrl(template)).toBe(template);
});

test('findTemplateProblem reports a template whose host has no dot', () => {
  expect(findTemplateProblem('https://go.example/{slug}')).toBe(undefined);
  for (const template of ['https://HOST/{slug}', 'no URL'])
    expect(findTemplateProblem(template)).toMatch(/^has a host without a dot; replace it/);
});

describe('isShortUrl', () => {
  test.each(argv`
    https://go.example/q/aB3xY https://go.example/q/aB3xY/?utm_source=x#top http://go.example/q/aB3xY
    https://GO.example./q/aB3xY https://go.example:443//q/aB3xY http://go.example/%71/aB3xY
  `)('accepts %s', (address) => {
    expect(isShortUrl('https://go.example/q/{slug}', new URL(address))).toBe(true);
  });

  test.each(argv`
    https://go.example/q/ https://go.example/q/a/b https://go.example:8443/q/a
    https://other.example/q/a https://go.example/?to=/q/a https://go.example/%/a
  `)('refuses %s', (address) => {
    expect(isShortUrl('https://go.example/q/{slug}', new URL(address))).toBe(false);
  });

  test('accepts an address with a value for a placeholder in the query, and refuses an empty value', () => {
    const of = (address: string) => isShortUrl('https://go.example/?c={id}&s=1', new URL(address));
    expect([of('http://go.example/?c=x&s=1'), of('https://go.example/?c=&s=1')]).toEqual([true, false]);
  });
});

describe('codeOfShortUrl', () => {
  test.each(['aB3xY', 'menü 10/x?y#z', '100%', '%41', 'a&b=c'])(
    'returns the slug %j that fillShortUrl inserted',
    (slug) => {
      for (const template of [
        'https://go.example/{slug}',
        'https://go.example/q?c={slug}&s=1',
        'https://go.example/{slug}/{id}',
      ])
        expect(codeOfShortUrl(template, fillShortUrl(template, { id: ID, slug }))).toBe(slug);
      expect(codeOfShortUrl('https://go.example/{id}', `https://go.example/${ID}`)).toBe(ID);
    },
  );

  test.each([
    ['\u00a0http://GO.example//aB3xY/?utm_source=x ', 'aB3xY'],
    ['https://go.example/', undefined],
    ['https://go.example/a/b', undefined],
    ['https://other.example/aB3xY', undefined],
    ['https://go.example/%E0%A4%A', undefined],
    ['aB3xY', undefined],
  ])('maps %j to %j', (address, code) => {
    expect(codeOfShortUrl('https://go.example/{slug}', address)).toBe(code);
  });
});
