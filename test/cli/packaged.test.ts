/** Texts that are ready when the command is built, so that help needs no parser. */
import { expect, it } from 'vitest';
import { readyText } from '#cli/packaged';

const ready = (line: string, columns?: number, color = false) =>
  readyText(line.split(' ').filter(Boolean), () => ({ columns, color }));

it.each([
  ['--help', /^Usage: qrctl <command>/],
  ['-h', /^Usage: qrctl <command>/],
  ['qr list --help', /^Usage: qrctl qr list/],
  ['qr list -h', /^Usage: qrctl qr list/],
  ['help qr list', /^Usage: qrctl qr list/],
  ['help exit-codes', /^Exit codes\n/],
  ['completion bash', /^# /],
])('the text for `qrctl %s` is ready', (line, text) => {
  expect(ready(line)).toMatch(text);
});

it.each([
  '',
  'qr list',
  'qr list --help --full',
  'qr --limit 2 --help',
  'help Qr',
  'completion',
  'completion tcsh',
])('no text for `qrctl %s` is ready', (line) => {
  expect(ready(line)).toBeUndefined();
});

it('help is ready only for terminals of at least 80 columns, and has colors on request', () => {
  expect([79, 80, 81].map((columns) => ready('qr list -h', columns) !== undefined)).toEqual([
    false,
    true,
    true,
  ]);
  expect(ready('qr list -h', 80)).not.toContain('\u001b');
  expect(ready('qr list -h', 80, true)).toContain('\u001b[1m');
});
