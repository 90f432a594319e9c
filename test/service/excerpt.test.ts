import { expect, test } from 'vitest';
import { createRedact, excerpt } from '../../src/service/excerpt.ts';

const redact = createRedact('svc_live_0123456789abcdef');

test('of a page with a title says the title, and nothing else of its head', () => {
  expect(excerpt('<head><style>b{}</style><title lang="en">502 Bad Gateway</title></head><h1>nginx</h1>', redact)).toBe(
    '502 Bad Gateway nginx',
  );
});

test.each(['<title', '<title ', '<head', '<head><title', '<!--', '<'])('of millions of %j is made, and is short', (part) => {
  const page = `<html><head>${part.repeat(2_000_000)}`;
  expect(excerpt(page, redact).length).toBeLessThanOrEqual(120);
});
