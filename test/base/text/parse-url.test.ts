import { expect, it, vi } from 'vitest';
import { parseUrl } from '#base/text/parse-url';

it('parseUrl accepts an address in each of 20,000 calls, unlike URL.canParse in Node 20, and resolves a path against a base', () => {
  const found = Array.from({ length: 20_000 }, () => parseUrl('https://münchen.de/ä')?.hostname);
  expect(new Set(found)).toEqual(new Set(['xn--mnchen-3ya.de']));
  expect(parseUrl('no address')).toBeUndefined();
  expect(parseUrl('/path', 'https://example.com/x')?.href).toBe('https://example.com/path');
});

it('parseUrl returns undefined for a text that has no colon, without calling URL', () => {
  const made = vi.spyOn(globalThis, 'URL');
  try {
    for (const text of ['', 'www.example.com/menu', 'a name']) expect(parseUrl(text)).toBeUndefined();
    expect(made).not.toHaveBeenCalled();
  } finally {
    made.mockRestore();
  }
});
