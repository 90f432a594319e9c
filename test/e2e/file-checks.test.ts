import { describe, expect, it } from 'vitest';
import { argv } from '../support/argv.ts';
import { useBench } from '../support/bench.ts';
import type { CliOptions } from '../support/cli.ts';
import { runByDay } from '../support/run-here.ts';

/** Runs commands beside files that are written first. */
async function useFiles(files: Record<string, string>) {
  const bench = await useBench();
  const { sandbox, directory: cwd } = bench;
  for (const [name, text] of Object.entries(files)) await bench.write(name, text);
  return {
    ...bench,
    qr: (args: string[], more: CliOptions = {}) =>
      runByDay(['qr', ...args], { env: sandbox.env, cwd, ...more }),
    writes: () => sandbox.requests.filter(({ method }) => method !== 'GET').length,
  };
}

const linesOf = (stderr: string) => stderr.split('\n').map((line) => line.trim());

describe('the check before a run', () => {
  it('reports all invalid rows, values and destinations, and all warnings, by line number', async () => {
    const text = [
      'name,type,destination',
      'A,URL,https://x.de',
      'B,urll,https://x.de',
      'C,sms,x,y',
      ',url,https://x.de',
      'D,,nope',
      'E,ulr,',
      'A,url,https://x.de',
      '" F",sms,',
    ];
    const { qr, sandbox } = await useFiles({ 'codes.csv': `${text.join('\n')}\n` });
    const { code, stderr } = await qr(['create', '--from', 'codes.csv']);
    expect(code).toBe(2);
    expect(linesOf(stderr)).toEqual([
      'qrctl: codes.csv: 5 faults and 2 warnings (no changes were made)',
      'line 3, column type: "urll" is not a valid type',
      'line 4: has 4 cells, but the header has 3: enclose values that contain a separator in quotes',
      'line 5, column name: is empty',
      'line 6, column destination: nope cannot be opened when scanned: it does not begin with https://',
      'line 7, column type: "ulr" is not a valid type',
      expect.stringMatching(/^a valid type is one of url, vcard, .*, playlist$/),
      'warning: line 8: has the same values as line 2: each row gets its own code',
      'warning: line 9, column name: " F" has leading or trailing spaces, which are kept',
      expect.stringContaining('Fix the file and run the command again.'),
      '',
    ]);
    expect(sandbox.requests).toEqual([]);
  });

  it('reports a title row above the header', async () => {
    const { qr } = await useFiles({
      'codes.csv': 'Menus 2026;;\n;;\nname;type;destination\na;url;https://x.de\n',
      'plain.csv': 'Menus 2026\nname;type;destination\na;url;https://x.de\n',
    });
    for (const [name, line] of [
      ['codes.csv', 3],
      ['plain.csv', 2],
    ] as const) {
      const { code, stderr } = await qr(['create', '--from', name]);
      expect([code, linesOf(stderr).slice(0, 2)]).toEqual([
        2,
        [
          `qrctl: ${name}: 1 fault (no changes were made)`,
          `line 1: "Menus 2026" looks like a title: delete the rows above the header, which seems to be line ${line}`,
        ],
      ]);
    }
  });
});

describe('a dry run with a file', () => {
  it('prints the row numbers in the sheet for a workbook, and line numbers for a list', async () => {
    const { qr, read, write } = await useBench(undefined, { codes: 3 });
    await qr(['list', '-o', 'list.xlsx']);
    const { stdout } = await qr(argv`update --from list.xlsx --status paused --dry-run -f json`);
    expect(JSON.parse(stdout).map(({ line }: { line: number }) => line)).toEqual([2, 3, 4]);
    await write('ids.txt', (await qr(['list', '--ids'])).stdout);
    const deletion = await qr(['delete', '--from', 'ids.txt', '--dry-run', '--yes', '-f', 'json']);
    expect(JSON.parse(deletion.stdout).map(({ line }: { line: number }) => line)).toEqual([1, 2, 3]);
    expect(await read('ids.txt')).toMatch(/^([0-9a-f-]{36}\n){3}$/);
  });
});

describe('a saved list', () => {
  /** A workspace of a service that has grown, or was filled by others. */
  async function useOddCodes() {
    const files = await useFiles({});
    const { workspace } = files.sandbox;
    const create = (more: Parameters<typeof workspace.create>[0], status?: string) => {
      const code = workspace.create(more);
      if (status !== undefined) Object.assign(code, { status });
      return code;
    };
    create({ name: '   ', destination: 'https://x.de' });
    create({ name: 'archived', destination: 'https://x.de' }, 'archived');
    create({ name: 'dead', destination: 'nope' });
    create({ name: 'nowhere' });
    Object.assign(create({ name: 'new type', destination: 'x' }), { type: 'hologram' });
    create({ name: 'odd', destination: 'tel:1' });
    return files;
  }

  it.each(['codes.csv', 'codes.xlsx', 'codes.json'])('is valid if it was not edited: %s', async (name) => {
    const { qr, writes } = await useOddCodes();
    expect(await qr(['list', '-o', name])).toMatchObject({ code: 0 });
    for (const more of [['--dry-run'], ['--strict'], []]) {
      const { code, stderr } = await qr(['update', '--from', name, ...more]);
      expect([code, stderr]).toEqual([0, expect.not.stringContaining('warning')]);
    }
    expect(writes()).toBe(0);
  });

  it('is refused with exit code 2 before any change if edited rows have invalid values, and causes warnings for doubtful values', async () => {
    const { qr, read, write, writes, sandbox } = await useOddCodes();
    await qr(['list', '-o', 'codes.csv']);
    const list = await read('codes.csv');
    await write(
      'codes.csv',
      list.replace('odd,url,tel:1,active', 'odd,vcard,mailto:a,activ').replace('nope', 'nope2'),
    );
    const { code, stderr } = await qr(['update', '--from', 'codes.csv']);
    expect([code, linesOf(stderr).slice(1, 4)]).toEqual([
      2,
      [
        expect.stringMatching(/^line 2, column status: "activ" is not a valid status$/),
        expect.stringMatching(/^line 5, column destination: nope2 cannot be opened/),
        'a valid status is one of active, paused, expired',
      ],
    ]);
    expect(writes()).toBe(0);
    await write('codes.csv', list.replace('odd,url,tel:1,active', 'odd,vcard,mailto:a,Paused '));
    const changed = await qr(['update', '--from', 'codes.csv']);
    expect([changed.code, linesOf(changed.stderr).slice(0, 2)]).toEqual([
      0,
      [
        expect.stringMatching(/^warning: line \d, column destination: mailto:a is not a web address/),
        expect.stringMatching(
          /^warning: line \d, column type: the type of a code can't be changed: it is url, not vcard$/,
        ),
      ],
    ]);
    expect(changed.stderr).toContain('Updated 1 code');
    expect(changed.stderr).toContain('2 warnings');
    expect(sandbox.workspace.codes().find(({ name }) => name === 'odd')).toMatchObject({
      status: 'paused',
      type: 'url',
    });
  });
});

describe('without a key or a service,', () => {
  const bare = { env: {} };
  const good = 'name,destination\na,https://x.de\n b,https://y.de\n';

  it.each([
    ['create', good, 'name,destination\na,nope\n'],
    [
      'update',
      'slug,status,destination\na,paused,\nb,archived,https://x.de\n',
      'slug,id,status\na,x,paused\n',
    ],
    ['delete', 'slug\na\n', 'slug,id\na,x\n'],
  ])(
    '%s --offline exits with 0 if the file is valid, and with 2 if it is invalid',
    async (verb, fine, faulty) => {
      const { qr, sandbox } = await useFiles({ 'good.csv': fine, 'bad.csv': faulty });
      const right = await qr([verb, '--from', 'good.csv', '--offline'], bare);
      expect([right.code, right.stdout, right.stderr]).toEqual([
        0,
        '',
        expect.stringMatching(/Checked \d rows?, no faults.* \(0 requests\)\. File: good\.csv\n$/),
      ]);
      const wrong = await qr([verb, '--from', 'bad.csv', '--offline'], bare);
      expect([wrong.code, wrong.stderr]).toEqual([
        2,
        expect.stringContaining('bad.csv: 1 fault (no changes were made)'),
      ]);
      expect(sandbox.requests).toEqual([]);
    },
  );

  it('--dry-run reports an invalid file, not the missing key or base URL, and suggests --offline if the file is valid', async () => {
    const { qr, sandbox } = await useFiles({ 'good.csv': good, 'bad.csv': 'name,destination\na,nope\n' });
    const noKey = { env: { QRCTL_BASE_URL: sandbox.env.QRCTL_BASE_URL } };
    for (const options of [bare, noKey]) {
      const wrong = await qr(['create', '--from', 'bad.csv', '--dry-run'], options);
      expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('cannot be opened')]);
      const right = await qr(['create', '--from', 'good.csv', '--dry-run'], options);
      expect([right.code, right.stderr]).toEqual([
        options === bare ? 2 : 3,
        expect.stringContaining(
          'add --offline to check the file without the service; good.csv has no faults',
        ),
      ]);
    }
  });

  it('--strict turns warnings into errors, except for values that only the service can check', async () => {
    const { qr } = await useFiles({ 'odd.csv': good, 'list.csv': 'slug,status\na,archived\n' });
    expect(await qr(['create', '--from', 'odd.csv', '--offline'], bare)).toMatchObject({ code: 0 });
    const strict = await qr(['create', '--from', 'odd.csv', '--offline', '--strict'], bare);
    expect([strict.code, strict.stderr]).toEqual([
      2,
      expect.stringContaining('line 3, column name: " b" has leading or trailing spaces'),
    ]);
    const list = await qr(['update', '--from', 'list.csv', '--offline', '--strict'], bare);
    expect([list.code, list.stderr]).toEqual([
      0,
      expect.stringContaining('1 cell to check against the service'),
    ]);
  });

  it('--offline and --strict require --from', async () => {
    const { qr } = await useFiles({});
    for (const flag of ['--offline', '--strict']) {
      const { code, stderr } = await qr(['create', '--name', 'a', '--type', 'sms', flag]);
      expect([code, stderr]).toEqual([2, expect.stringContaining('--from')]);
    }
  });
});
