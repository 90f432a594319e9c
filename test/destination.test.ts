import { describe, expect, test } from 'vitest';
import { findDestinationProblem } from '../src/destination.ts';
import { useDirectory } from './support/cli.ts';
import { runHere } from './support/run-here.ts';
import { useSandbox } from './support/sandbox.ts';

describe('a destination', () => {
  test.each([
    'https://example.com/a?b=c#d',
    'HTTP://EXAMPLE.com',
    'https://münchen.de/ä',
    'https://[::1]:8080/',
    ' https://x.de',
  ])('%s is right', (destination) => {
    expect(findDestinationProblem(destination)?.kind).toBe(destination.startsWith(' ') ? 'odd' : undefined);
  });

  test.each([
    ['example.com', 'unusable'],
    ['www.example.com/x', 'unusable'],
    ['example.com:8080/x', 'unusable'],
    ['https://', 'unusable'],
    ['https:example.com', 'unusable'],
    ['http:///x', 'unusable'],
    ['not an address', 'unusable'],
    ['//x.de', 'unusable'],
    ['mailto:a@b.de', 'not-web'],
    ['tel:+4912345', 'not-web'],
    ['myapp://open', 'not-web'],
    ['https://x.de/a b', 'odd'],
    ['', 'empty'],
    ['  ', 'empty'],
    [null, 'empty'],
    [undefined, 'empty'],
  ])('%j is %s', (destination, kind) => {
    expect(findDestinationProblem(destination)?.kind).toBe(kind);
    expect(findDestinationProblem(destination, 'wifi')).toBeUndefined();
  });
});

test('the same address is warned of in create, update, their files and dry runs, refused in none', async () => {
  const sandbox = await useSandbox({ codes: 1 });
  const cwd = await useDirectory();
  const options = { cwd, env: sandbox.env };
  const slug = [...sandbox.workspace.codes()][0]?.slug ?? '';
  const rows = { 'new.csv': 'name,destination\na,nope\n', 'old.csv': `slug,destination\n${slug},nope\n` };
  const { writeFile } = await import('node:fs/promises');
  for (const [name, text] of Object.entries(rows)) await writeFile(`${cwd}/${name}`, text);
  for (const args of [
    ['create', '--name', 'a', '--destination', 'nope'],
    ['create', '--from', 'new.csv', '--dry-run'],
    ['create', '--from', 'new.csv'],
    ['update', '--from', 'old.csv', '--dry-run'],
    ['update', '--from', 'old.csv'],
    ['update', slug, '--destination', 'nope'],
  ]) {
    const { code, stderr } = await runHere(['qr', ...args], options);
    expect([args.join(' '), code, stderr]).toEqual([
      args.join(' '),
      0,
      expect.stringMatching(/destination:? nope leads nowhere when it is scanned/),
    ]);
  }
});
