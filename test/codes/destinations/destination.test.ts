import { cpuUsage } from 'node:process';
import { describe, expect, test } from 'vitest';
import { findDestinationProblem } from '#codes/destinations/destination';
import { useBench } from '../../support/bench.ts';
import { SOAK } from '../../support/property-runs.ts';

describe('a destination', () => {
  test.each([
    'https://example.com/a?b=c#d',
    'HTTP://EXAMPLE.com',
    'https://münchen.de/ä',
    'https://x.de:8443/',
    'https://x.de./',
    'https://local.de/internal',
    'https://1.de/',
    'https://x.de/👨‍👩‍👧/❤️/1️⃣/🏴󠁧󠁢󠁥󠁮󠁧󠁿',
    'https://fa.wikipedia.org/wiki/می\u200cخواهم',
    'https://web.archive.org/web/2020/https://x.de/',
    'https://x.de/size,w=3/https://y.de',
    'https://x.de/?urls=https://a.de,https://b.de',
    'https://x.de/?to=https://y.de/?a=1&b=2',
    'https://x.de/?a=1#/?b=2?c',
    'https://x.de/&amp;#\\?&amp;?',
    'https://x.de/{}<>',
    ' https://x.de',
  ])('%s can be opened', (destination) => {
    expect(findDestinationProblem(destination)?.kind).toBe(destination.startsWith(' ') ? 'odd' : undefined);
  });

  test.each([
    ['example.com', 'unusable'],
    ['example.com:8080/x', 'unusable'],
    ['https://', 'unusable'],
    ['https:example.com', 'unusable'],
    ['http:///x', 'unusable'],
    ['not an address', 'unusable'],
    ['//x.de', 'unusable'],
    ['https://HOST/menu', 'dotless'],
    ['http://intranet./x', 'dotless'],
    ['http://localhost:3000/x', 'network'],
    ['https://menu.localhost/', 'network'],
    ['https://localhost.localdomain/', 'network'],
    ['https://printer.local/', 'network'],
    ['https://127.0.0.1/menu', 'network'],
    ['https://2130706433/', 'network'],
    ['https://[::1]:8080/', 'network'],
    ['https://example..com/menu', 'unusable'],
    ['https://.example.com/', 'unusable'],
    ['https://-a.com/', 'unusable'],
    ['https://a-.com/', 'unusable'],
    ['https://a.com-/', 'unusable'],
    [`https://${'a.'.repeat(126)}com/`, 'unusable'],
    ['Menu:  https://x.de', 'unusable'],
    ['xhttps://x.de', 'not-web'],
    ['httpsx://x.de', 'not-web'],
    ['tel:x.de:80', 'not-web'],
    ['https:see http://x.de', 'unusable'],
    ['https://example.com:0/', 'unusable'],
    ['https://user:secret@example.com/', 'odd'],
    ['https://example.com\\menu', 'odd'],
    [`https://${'a'.repeat(64)}.com/`, 'unusable'],
    ['C:\\Users\\jane\\menu.pdf', 'unusable'],
    ['C:/menu.pdf', 'unusable'],
    ['\\\\server\\menu.pdf', 'unusable'],
    ['file:///C:/menu.pdf', 'unusable'],
    ['javascript:alert(1)', 'unusable'],
    ['JavaScript:alert(1)', 'unusable'],
    ['data:text/html,hi', 'unusable'],
    ['Menu: https://x.de', 'unusable'],
    ['<https://x.de>', 'unusable'],
    ['https://a.de, https://b.de', 'unusable'],
    ['https://a.de/x, https://b.de/y', 'unusable'],
    ['https://a.de/x\nhttp://b.de/y', 'unusable'],
    ['https://a.de/x;https://b.de', 'unusable'],
    ['https://a.de/ www.b.de', 'unusable'],
    ['https://x.de/?a=1&amp;b=2', 'odd'],
    ['https://x.de/?utm_source=a?utm_medium=b', 'odd'],
    ['https://x.de/<CITY>', 'odd'],
    ['https://x.de/{slug}', 'odd'],
    ['mailto:a@b.de', 'not-web'],
    ['tel:+4912345', 'not-web'],
    ['myapp://open', 'not-web'],
    ['https://x.de/a b', 'odd'],
    ['', 'empty'],
    ['  ', 'empty'],
    [null, 'empty'],
    [undefined, 'empty'],
  ])('%j has the problem `%s` only if the type of the code is url', (destination, kind) => {
    expect(findDestinationProblem(destination)?.kind).toBe(kind);
    expect(findDestinationProblem(destination, 'wifi')).toBeUndefined();
  });
});

test.each([
  ['https://', 'cannot be opened when scanned: it is not a valid URL'],
  ['1http:x', 'cannot be opened when scanned: it does not begin with https://'],
  ['example.com:8080', 'cannot be opened when scanned: it does not begin with https://'],
  ['example.com:8080x', 'is not a web address, so not every phone can open it'],
  ['example.com:80/https:/x', 'cannot be opened when scanned: it does not begin with https://'],
  ['Menu:\thttp:x', 'cannot be opened when scanned: it does not begin with https://'],
  ['C:', 'cannot be opened when scanned: it is a file on a computer'],
  ['FILE:/x', 'cannot be opened when scanned: it is a file on a computer'],
  ['About:blank', 'cannot be opened when scanned: phones do not open about: addresses'],
  ['httpx://a.de', 'is not a web address, so not every phone can open it'],
  ['https://a.de/x|www.b.de', 'cannot be opened when scanned: it contains more than one address'],
  ['https://[::1]/', 'contains an IP address instead of a host name'],
  [
    'https://printer.local./',
    'cannot be opened when scanned: its host name is valid only on one device or network',
  ],
  ['https://intranet/', 'cannot be opened when scanned: its host name has no dot'],
  ['https://a-.de/', 'cannot be opened when scanned: its host name is not valid'],
  [`https://${'a.'.repeat(127)}de/`, 'cannot be opened when scanned: its host name is not valid'],
  ['https://x.de:0/', 'cannot be opened when scanned: its port is not valid'],
  ['https://me@x.de/', 'contains a user name or password'],
  ['https://:secret@x.de/', 'contains a user name or password'],
  ['https://x.de\\a', 'contains "\\" instead of "/"'],
  ['https://x.de/?a=1&amp;b=2', 'contains "&amp;" instead of "&"'],
  ['https://x.de/?a=1?b=2', 'contains a second "?", which should probably be "&"'],
  ['https://x.de/#{slug}', 'contains "{slug}", which looks like a placeholder'],
  ['https://x.de/<a><b>', 'contains "<a>", which looks like a placeholder'],
  ['https://x.de/a b', 'contains a space'],
  ['https://x.de/a\n', 'contains a space'],
])('the destination %j has the problem that it %s', (destination, reason) => {
  expect(findDestinationProblem(destination)?.reason).toBe(reason);
});

describe('an invisible character', () => {
  test.each([
    ['\u200b', 'U+200B (zero-width space)'],
    ['\u2060', 'U+2060 (word joiner)'],
    ['\u00ad', 'U+00AD (soft hyphen)'],
    ['\u200e', 'U+200E (left-to-right mark)'],
    ['\u200d', 'U+200D (zero-width joiner)'],
    ['\u202e', 'U+202E (right-to-left override)'],
    ['\u2067', 'U+2067'],
    ['\ufeff', 'U+FEFF (byte order mark)'],
    ['\ufe0f', 'U+FE0F'],
    ['\u3164', 'U+3164'],
    ['\u{e0041}', 'U+E0041'],
    ['\0', 'U+0000'],
  ])(
    '%j is reported with its code point and its position, which may be in the host, in the path or at an end',
    (character, name) => {
      for (const [before, after] of [
        ['https://x.de/menu', ''],
        ['https://x.de/me', 'nu'],
        ['https://x', 'y.de/menu'],
        ['', 'https://x.de'],
      ]) {
        const problem = findDestinationProblem(`${before}${character}${after}`);
        expect(problem?.kind).toMatch(/^(invisible|unusable)$/);
        expect(problem?.reason).toContain(name);
        expect(problem?.reason).toContain(before === '' ? 'at its beginning' : `after "${before}"`);
      }
    },
  );

  test('is searched for in less than 10 s of processor time, even in long addresses that repeat one part', () => {
    const began = cpuUsage();
    for (const part of ['م', '👍', '\u200b', '?', '<', ',', ' ', 'a:', '.', 'http://'])
      findDestinationProblem(`https://x.de/${part.repeat(SOAK ? 300_000 : 50_000)}`);
    const { user, system } = cpuUsage(began);
    expect((user + system) / 1e6).toBeLessThan(10);
  });
});

describe("an address that can't be opened", () => {
  const useCodes = async () => {
    const { sandbox, qr, write } = await useBench(undefined, { codes: 2 });
    const [first, second] = [...sandbox.workspace.codes()];
    const slug = first?.slug ?? '';
    await write('new.csv', 'name,destination\nfine,https://x.de\na,nope\nb,\nc,https://intranet/menu\n');
    await write('old.csv', `slug,destination\n${second?.slug},https://x.de\n${slug},nope\n`);
    const writes = () => sandbox.requests.filter(({ method }) => method !== 'GET').length;
    return { sandbox, slug, id: first?.id ?? '', qr: (...args: string[]) => qr(args), writes };
  };

  test('is refused by `qr create` and `qr update`, in a flag or a file, before any code changes', async () => {
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

  test('is accepted with a warning if --force is used, and without --force if the code already has it', async () => {
    const { slug, id, qr, writes } = await useCodes();
    for (const args of [
      ['create', '--name', 'a', '--destination', 'nope'],
      ['create', '--from', 'new.csv'],
      ['update', '--from', 'old.csv'],
      ['update', id, '--destination', 'nope2'],
    ]) {
      const { code, stderr } = await qr(...args, '--force');
      expect([args.join(' '), code, stderr]).toEqual([
        args.join(' '),
        0,
        expect.stringMatching(/warning: .*cannot be opened/),
      ]);
    }
    expect(writes()).toBe(1 + 3 + 2 + 1);
    // What a code has already may stay, and with --force a destination may be emptied.
    expect(await qr('update', slug, '--destination', 'nope2', '--name', 'n')).toMatchObject({ code: 0 });
    expect(await qr('update', id, '--destination', '', '--force')).toMatchObject({ code: 0 });
  });

  test('is accepted for a code whose type is not url', async () => {
    const { sandbox, qr, writes } = await useCodes();
    const wifi = sandbox.workspace.create({ name: 'w', type: 'wifi', destination: 'WIFI:S:a;;' });
    expect(await qr('update', wifi.id, '--destination', 'WIFI S b')).toMatchObject({ code: 0, stderr: '' });
    expect(await qr('create', '--name', 'v', '--type', 'VCard')).toMatchObject({ code: 0, stderr: '' });
    expect(writes()).toBe(2);
  });
});
