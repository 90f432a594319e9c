import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findDestinationProblem } from '../../src/codes/destination.ts';
import { useDirectory } from '../support/cli.ts';
import { runByDay } from '../support/run-here.ts';
import { useSandbox } from '../support/sandbox.ts';

describe('a destination', () => {
  test.each([
    'https://example.com/a?b=c#d',
    'HTTP://EXAMPLE.com',
    'https://münchen.de/ä',
    'https://[::1]:8080/',
    'http://192.168.1.5/',
    'http://localhost:3000/x',
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
    ['https://HOST/menu', 'dotless'],
    ['http://intranet./x', 'dotless'],
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

describe('an address that leads nowhere', () => {
  const useCodes = async () => {
    const sandbox = await useSandbox({ codes: 2 });
    const cwd = await useDirectory();
    const [first, second] = [...sandbox.workspace.codes()];
    const slug = first?.slug ?? '';
    const files = {
      'new.csv': 'name,destination\nfine,https://x.de\na,nope\nb,\nc,https://intranet/menu\n',
      'old.csv': `slug,destination\n${second?.slug},https://x.de\n${slug},nope\n`,
    };
    for (const [name, text] of Object.entries(files)) await writeFile(join(cwd, name), text);
    const qr = (...args: string[]) => runByDay(['qr', ...args], { cwd, env: sandbox.env });
    const writes = () => sandbox.requests.filter(({ method }) => method !== 'GET').length;
    return { sandbox, slug, id: first?.id ?? '', qr, writes };
  };

  test('is refused by create, update, and their files, before anything is changed', async () => {
    const { slug, id, qr, writes } = await useCodes();
    for (const args of [
      ['create', '--name', 'a', '--destination', 'nope'],
      ['create', '--name', 'a', '--destination', 'https://HOST/menu'],
      ['create', '--name', 'a'],
      ['create', '--from', 'new.csv', '--dry-run'],
      ['create', '--from', 'new.csv'],
      ['update', '--from', 'old.csv', '--dry-run'],
      ['update', '--from', 'old.csv'],
      ['update', slug, '--destination', 'nope'],
      ['update', id, '--destination', 'nope'],
      ['update', id, slug, '--destination', 'nope'],
    ]) {
      const { code, stderr } = await qr(...args);
      expect([args.join(' '), code, stderr]).toEqual([
        args.join(' '),
        2,
        expect.stringContaining('cannot be opened when scanned'),
      ]);
      expect(stderr).toContain('--force');
    }
    expect(writes()).toBe(0);
    const { stderr } = await qr('create', '--from', 'new.csv');
    expect(stderr.match(/line \d/g)).toEqual(['line 3', 'line 4', 'line 5']);
  });

  test('is what --force keeps, with a warning', async () => {
    const { slug, id, qr, writes } = await useCodes();
    for (const args of [
      ['create', '--name', 'a', '--destination', 'nope'],
      ['create', '--from', 'new.csv'],
      ['update', '--from', 'old.csv'],
      ['update', id, '--destination', 'nope2'],
    ]) {
      const { code, stderr } = await qr(...args, '--force');
      expect([args.join(' '), code, stderr]).toEqual([args.join(' '), 0, expect.stringMatching(/warning: .*cannot be opened/)]);
    }
    expect(writes()).toBe(1 + 4 + 2 + 1);
    // What a code has already may stay, and a destination may be emptied by name.
    expect(await qr('update', slug, '--destination', 'nope2', '--name', 'n')).toMatchObject({ code: 0 });
    expect(await qr('update', id, '--destination', '')).toMatchObject({ code: 0 });
  });

  test('is right for a code of another type', async () => {
    const { sandbox, qr, writes } = await useCodes();
    const wifi = sandbox.workspace.create({ name: 'w', type: 'wifi', destination: 'WIFI:S:a;;' });
    expect(await qr('update', wifi.id, '--destination', 'WIFI S b')).toMatchObject({ code: 0, stderr: '' });
    expect(await qr('create', '--name', 'v', '--type', 'VCard')).toMatchObject({ code: 0, stderr: '' });
    expect(writes()).toBe(2);
  });
});
