import { expect, it, vi } from 'vitest';
import { parseUrl } from '#base/text/parse-url';

it('accepts an address after any number of calls, unlike URL.canParse of Node 20', () => {
  const found = Array.from({ length: 20_000 }, () => parseUrl('https://münchen.de/ä')?.hostname);
  expect(new Set(found)).toEqual(new Set(['xn--mnchen-3ya.de']));
  expect(parseUrl('no address')).toBeUndefined();
  expect(parseUrl('/path', 'https://example.com/x')?.href).toBe('https://example.com/path');
});

it('throws no exception internally for a text without a colon, unless it is relative', () => {
  const made = vi.spyOn(globalThis, 'URL');
  try {
    for (const text of ['', 'www.example.com/menu', 'a name']) expect(parseUrl(text)).toBeUndefined();
    expect(made).not.toHaveBeenCalled();
  } finally {
    made.mockRestore();
  }
});
