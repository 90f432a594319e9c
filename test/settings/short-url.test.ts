import { describe, expect, test } from 'vitest';
import { fillShortUrl } from '../../src/settings/short-url.ts';

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
  ])('%s with the slug %j is %s', (template, slug, address) => {
    expect(fillShortUrl(template, { id: ID, slug })).toBe(address);
  });
});
