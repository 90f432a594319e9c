import { describe, expect, test } from 'vitest';
import { VALUES } from '#settings/values';

describe.each([
  ['format', { table: 'table', ndjson: 'ndjson' }, ['', 'xml', 'CSV', 'toString']],
  ['timezone', { UTC: 'UTC', 'Europe/Madrid': 'Europe/Madrid' }, ['', 'Mars/Olympus', 'local', '__proto__']],
  [
    'reserve',
    { '0': { requests: 0 }, '20': { requests: 20 }, '10%': { percent: 10 }, '100%': { percent: 100 } },
    ['', '-1', '101%', '1.5', '%', '10 %', '1e3', '9999999999'],
  ],
  ['concurrency', { '1': 1, '32': 32, '08': 8 }, ['', '0', '33', '1.5', '-1', 'four', '100']],
  ['max-wait', { '0': 0, '500ms': 500, '2m': 120_000 }, ['', '5', '-1s', 'soon', '1y']],
  ['delimiter', { ',': ',', ';': ';', tab: '\t', '\t': '\t' }, ['', '|', 'comma', ',,', 'TAB']],
  ['accessible', { yes: true, true: true, '1': true, no: false, off: false }, ['', 'maybe', 'toString']],
  [
    'short-url',
    {
      'https://go.example': 'https://go.example/{slug}',
      'http://x.example/r/': 'http://x.example/r/{slug}',
      'https://x.example/r/{slug}?from=print': 'https://x.example/r/{slug}?from=print',
      'https://x.example/{id}': 'https://x.example/{id}',
    },
    [
      ...[
        '',
        'go.example',
        'ftp://go.example',
        'javascript:alert(1)',
        'https://me:secret@go.example',
        'go.example/{slug}',
      ],
      ...[
        'https://go.example/{name}',
        'https://go.example/{slug',
        'https://go.example/{slug} now',
        'javascript:{slug}',
      ],
    ],
  ],
] as const)('the value of %s', (key, accepted, refused) => {
  test.each(Object.entries(accepted))('may be %j', (text, value) => {
    expect(VALUES[key].parse(text)).toEqual(value);
  });

  test.each(refused)('may not be %j', (text) => {
    expect(VALUES[key].parse(text)).toBeUndefined();
  });
});
