import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import decodeQR from 'qr/decode.js';
import { describe, expect, it, test } from 'vitest';
import { readPng } from '#codes/images/read-png';
import { argv } from '../support/argv.ts';
import { type CliOptions, runCli, startCli, until, useDirectory } from '../support/cli.ts';
import { faultOf } from '../support/fault-of.ts';
import { SOAK } from '../support/property-runs.ts';
import { readPdf } from '../support/read-pdf.ts';
import { readDrawnTexts } from '../support/read-pdf-text.ts';
import { runByDay, runHere } from '../support/run-here.ts';
import { useSandbox } from '../support/sandbox.ts';

const URL = 'https://qr.example';

async function useImages({ codes = 3, paused = false } = {}) {
  const sandbox = await useSandbox({ codes: 0, codeLimit: 1000 });
  for (let at = 0; at < codes; at++) {
    const created_at = `2026-01-01T${String(Math.floor(at / 60)).padStart(2, '0')}:${String(at % 60).padStart(2, '0')}:00.000Z`;
    sandbox.workspace.put({
      name: `Code ${at}`,
      slug: `c${1000 + at}`,
      status: paused && at % 3 === 1 ? 'paused' : 'active',
      created_at,
    });
  }
  const cwd = await useDirectory();
  const words = ['qr', 'image', '--short-url', `${URL}/{slug}`];
  const image = (args: string[], options: CliOptions = {}) =>
    runHere([...words, ...args], { cwd, env: sandbox.env, ...options });
  const imageBuilt = (args: string[]) => runByDay([...words, ...args], { cwd, env: sandbox.env });
  const slug = sandbox.workspace.codes()[0]?.slug ?? '';
  const manifest = (directory = 'codes') =>
    parse(readFileSync(join(cwd, directory, 'manifest.csv')), { columns: true }) as Record<string, string>[];
  return { sandbox, cwd, image, imageBuilt, slug, manifest };
}

/** An environment whose profile has this `short-url`. */
async function withSetting(template: string): Promise<{ QRCTL_CONFIG_DIR: string }> {
  const env = { QRCTL_CONFIG_DIR: await useDirectory() };
  expect(await runByDay(['config', 'set', 'short-url', template], { env })).toMatchObject({ code: 0 });
  return env;
}

describe('qr image of one code', () => {
  it.each(['png', 'svg', 'pdf', 'eps'] as const)(
    'writes a scannable %s file with the requested size of 40 mm',
    async (format) => {
      const { cwd, imageBuilt, slug } = await useImages();
      const { code, stdout, stderr } = await imageBuilt([slug, '-o', `code.${format}`, '--size', '4cm']);
      expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
      expect(stderr).toContain(
        `Created 1 image of ${URL}/${slug}, 40 mm, version 2, level M, verified as readable. File: code.${format}`,
      );
      const expected = { text: `${URL}/${slug}`, sizeMm: 40, quietZone: 4, across: 33 };
      expect(faultOf(readFileSync(join(cwd, `code.${format}`)), format, expected)).toBeUndefined();
    },
  );

  it('prints SVG if the output is not a terminal, and otherwise half blocks with the short URL, or a warning if they are too wide', async () => {
    const { image, slug, sandbox } = await useImages();
    expect((await image([slug])).stdout).toMatch(/^<svg [^>]*width="30mm"/);
    const { stdout } = await image([slug], { tty: 80 });
    expect(stdout).toContain('\u001b[38;5;16;48;5;231m');
    expect(stdout).toContain(`${URL}/${slug}\r\n`);
    const narrow = (await image([slug], { tty: 20 })).stdout.replace(/\s+/g, ' ');
    expect(narrow).toContain('the code needs 33 columns, and the terminal has 20');
    // The codes are asked for, the printed address is not.
    expect(sandbox.requests.every(({ url }) => url.startsWith('/api/v1/qr'))).toBe(true);
  });

  it('encodes the short URL in ASCII, because scanners decode other characters in different ways', async () => {
    const { sandbox, cwd } = await useImages({ codes: 0 });
    sandbox.workspace.put({ name: 'Menü', slug: 'menü' });
    const url = 'https://xn--mnchen-3ya.example/stra%C3%9Fe/men%C3%BC';
    const run = (...args: string[]) =>
      runByDay(['qr', 'image', ...args, '--short-url', 'https://München.example/straße/{slug}'], {
        cwd,
        env: sandbox.env,
      });
    expect((await run('menü', '-o', 'code.png', '--size', '60mm')).stderr).toContain(
      `Created 1 image of ${url}`,
    );
    const { gray, width, height } = readPng(readFileSync(join(cwd, 'code.png'))).raster;
    const data = Uint8Array.from({ length: 4 * width * height }, (_, at) => gray[at >> 2] ?? 0);
    expect(decodeQR({ data, width, height })).toBe(url);
    expect(await run('--all', '--output-dir', 'codes')).toMatchObject({ code: 0 });
    const [row] = parse(readFileSync(join(cwd, 'codes/manifest.csv')), { columns: true }) as Record<
      string,
      string
    >[];
    expect(row).toMatchObject({ slug: 'menü', url });
    const listed = await runByDay(['qr', 'list', '--fields', 'slug,short_url', '--no-header'], {
      env: { ...sandbox.env, ...(await withSetting('https://München.example/straße/{slug}')) },
    });
    expect(listed.stdout).toBe(`menü,${url}\n`);
  });

  it('notes that it added a placeholder to a --short-url without one', async () => {
    const { image, slug } = await useImages({ codes: 1 });
    for (const to of [
      ['-o', 'x.png'],
      ['--output-dir', 'codes'],
      ['--sheet', 'L7160', '-o', 'x.pdf'],
    ]) {
      const { code, stderr } = await image([slug, ...to, '--short-url', 'https://go.example/']);
      expect({ code, stderr }).toMatchObject({
        code: 0,
        stderr: expect.stringContaining(
          'The address has no placeholder for the code. Using https://go.example/{slug}',
        ),
      });
    }
  });

  it('exits with 2 if no short URL is set, suggests the command that sets one, and sends no request', async () => {
    const { sandbox, slug } = await useImages();
    const { code, stderr } = await runByDay(['qr', 'image', slug], { env: sandbox.env });
    expect(code).toBe(2);
    expect(stderr).toContain('no short URL is configured');
    expect(stderr).toContain('qrctl config set short-url https://HOST/{slug}');
    expect(sandbox.requests).toEqual([]);
  });
});

describe('qr image', () => {
  test.each([
    [['CODE', '--short-url', 'https://go.example/?code=', '-o', 'x.png'], /short-url.*\{slug\}/],
    [['CODE', '--color', 'red', '-o', 'x.png'], /--color.*#000/],
    [['CODE', '--background', '#12345', '-o', 'x.png'], /--background.*#fff/],
    [['CODE', '--size', '30', '-o', 'x.png'], /--size.*30mm/],
    [['CODE', '--ecc', 'X', '-o', 'x.png'], /--ecc.*L, M, Q or H/],
    [
      ['CODE', '--size', '8mm', '-o', 'x.png'],
      /2\.8 printer dots wide at 300 dpi \(minimum: 4\); use --size 12mm/,
    ],
    [['CODE', '--dpi', '100', '-o', 'x.png'], /3\.5 printer dots wide at 100 dpi/],
    [['CODE', '--color', '#eee', '-o', 'x.png'], /contrast is 1\.1:1/],
    [['CODE', '--color', '#fff', '--background', '#000', '-o', 'x.png'], /light on dark/],
    [['CODE', '--quiet-zone', '2', '-o', 'x.png'], /quiet zone is 2 modules wide/],
    [['CODE', '-o', 'x.jpg'], /unknown image format/],
    [['CODE', '-o', 'no/x.png'], /its directory does not exist/],
    [['CODE', '-o', 'x.png', '--output-dir', 'y'], /can't be used with --output-dir/],
    [['CODE', '--as', 'png', '-o', 'x.png'], /--as requires --output-dir/],
    [['CODE', '--output-dir', 'y', '--as', 'png,gif'], /png, svg, pdf/],
    [['CODE', '--all', '--output-dir', 'y'], /CODE can't be used with --all/],
    [['--output-dir', 'y'], /no code specified/],
    [['--all'], /missing --output-dir/],
    [['--from', 'none.csv', '--output-dir', 'y'], /cannot read none.csv/],
  ])(
    'exits with 2 for %j, prints an error and at most one hint, and writes nothing',
    async (args, message) => {
      const { cwd, image, slug } = await useImages();
      const { code, stdout, stderr } = await image(args.map((word) => (word === 'CODE' ? slug : word)));
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(message);
      expect(stderr.trim().split('\n').length).toBeLessThanOrEqual(2);
      expect(readdirSync(cwd)).toEqual([]);
    },
  );

  it('draws a code that scanners may fail to read if --force is set, and prints a warning', async () => {
    const { cwd, image, slug } = await useImages();
    const { code, stderr } = await image([slug, '--size', '8mm', '-o', 'x.png', '--force']);
    expect(code).toBe(0);
    expect(stderr).toContain('2.8 printer dots');
    expect(existsSync(join(cwd, 'x.png'))).toBe(true);
  });

  it('exits with 4 for a code that does not exist, suggests the nearest slug, and writes nothing', async () => {
    const { image, slug, cwd } = await useImages();
    expect(await image([`${slug}x`, '-o', 'x.png'])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining(slug),
    });
    expect(await image([slug, 'nobody', '--output-dir', 'y'])).toMatchObject({ code: 4 });
    expect(readdirSync(cwd)).toEqual([]);
  });
});

describe('qr image of many codes', () => {
  it('writes one file per code and format, and a manifest that describes them', async () => {
    const { imageBuilt, manifest, sandbox, cwd } = await useImages({ codes: SOAK ? 120 : 12 });
    const { code, stderr } = await imageBuilt(['--all', '--output-dir', 'codes', '--as', 'png,svg']);
    expect(code).toBe(0);
    expect(stderr).toContain(`Created ${SOAK ? 240 : 24} images. Manifest: codes/manifest.csv`);
    const rows = manifest();
    expect(Object.keys(rows[0] ?? {}).join()).toBe(
      'id,slug,name,url,file,format,mm,modules,version,ecc,sha256,outcome,error',
    );
    const oldest = [...sandbox.workspace.codes()].sort((a, b) => (a.created_at < b.created_at ? -1 : 1))[0];
    const { id, slug } = oldest ?? {};
    expect(rows[0]).toMatchObject({
      id,
      slug,
      url: `${URL}/${slug}`,
      file: `${id}.png`,
      format: 'png',
      mm: '30',
    });
    expect(rows[0]).toMatchObject({ modules: '25', version: '2', ecc: 'M', outcome: 'created', error: '' });
    expect(readdirSync(join(cwd, 'codes'))).toHaveLength(SOAK ? 241 : 25);
    // A page has a hundred codes.
    expect(sandbox.requests).toHaveLength(SOAK ? 2 : 1);
  });

  it('draws the codes selected by filters, a file or arguments, and with --all omits paused codes unless --status is set', async () => {
    const { image, manifest, sandbox, cwd } = await useImages({ codes: 9, paused: true });
    const paused = sandbox.workspace.codes().filter(({ status }) => status === 'paused');
    await image(['--all', '--status', 'paused', '--output-dir', 'paused']);
    expect(manifest('paused')).toHaveLength(paused.length);
    expect((await image(['--all', '--output-dir', 'all'])).stderr).toContain(
      'Omitted 3 paused or expired codes',
    );
    expect(manifest('all')).toHaveLength(6);
    const active = ['--all', '--status', 'active', '--output-dir', 'active'];
    expect((await image(active)).stderr).not.toContain('Omitted');
    await image([paused[0]?.slug ?? '', '--output-dir', 'one']);
    expect(manifest('one')).toHaveLength(1);
    const [one, , two] = sandbox.workspace.codes();
    writeFileSync(join(cwd, 'some.csv'), `name,slug\nx,${two?.slug}\ny,${one?.slug}\n`);
    await image(['--from', 'some.csv', '--output-dir', 'some', '--file-names', 'slug']);
    expect(manifest('some').map(({ file }) => file)).toEqual([`${two?.slug}.png`, `${one?.slug}.png`]);
    await image([one?.slug ?? '', two?.id ?? '', one?.id ?? '', '--output-dir', 'named']);
    expect(manifest('named').map(({ id }) => id)).toEqual([one?.id, two?.id]);
  });

  it('names a file by slug if the slug is a safe and unique file name, and otherwise by ID', async () => {
    const { image, manifest, sandbox } = await useImages({ codes: 0 });
    for (const slug of ['fine', 'Twice', 'twice', '../up', 'nul'])
      sandbox.workspace.put({ name: slug, slug });
    const { stderr } = await image(['--all', '--output-dir', 'codes', '--file-names', 'slug']);
    expect(stderr).toContain("3 slugs can't be used in file names. Named these files by ID instead");
    expect(
      manifest()
        .filter(({ file, id }) => file !== `${id}.png`)
        .map(({ file }) => file),
    ).toEqual(['fine.png', 'Twice.png']);
  });

  it('rewrites only changed images when it runs again, and an image changed by the user only with --overwrite (I5)', async () => {
    const { image, manifest, cwd } = await useImages();
    const all = ['--all', '--output-dir', 'codes'];
    await image(all);
    const [first, second] = manifest();
    expect((await image(all)).stderr).toContain('3 images unchanged');
    expect((await image([...all, '--size', '40mm'])).stderr).toContain('Updated 3 images');
    // Somebody changed one; another run's row is gone.
    const [one, two] = [join(cwd, 'codes', first?.file ?? ''), join(cwd, 'codes', second?.file ?? '')];
    writeFileSync(one, 'mine');
    const before = readFileSync(two);
    const refused = await image([...all, '--size', '50mm']);
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('not written by an earlier run, or changed since'),
    });
    expect(readFileSync(one, 'utf8')).toBe('mine');
    expect(readFileSync(two)).toEqual(before);
    expect((await image([...all, '--size', '50mm', '--force'])).code).toBe(2);
    expect((await image([...all, '--size', '50mm', '--overwrite'])).stderr).toContain('Updated 3 images');
    writeFileSync(join(cwd, 'codes', 'manifest.csv'), 'a,b\n1,2\n');
    expect(await image(all)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('manifest.csv: it was not written by an earlier run'),
    });
  });

  it('with --dry-run, lists the images that a run would create, their sizes, and the errors for the others', async () => {
    const { image, slug, cwd, sandbox } = await useImages();
    sandbox.workspace.put({ name: 'long', slug: 'x'.repeat(200) });
    const { code, stdout, stderr } = await image(argv`--all --output-dir codes --size 15mm --dry-run`);
    expect(code).toBe(2);
    const rows = parse(stdout, { columns: true }) as Record<string, string>[];
    expect(rows.find((row) => row.slug === slug)).toMatchObject({
      outcome: 'create',
      error: '',
      mm: '15',
      version: '2',
    });
    expect(rows.filter(({ outcome }) => outcome === 'failed')).toMatchObject([
      { error: expect.stringContaining('printer dots') },
    ]);
    expect(stderr).toContain('Would create 3 of 4 images of 15 mm, 1 would fail. No changes were made');
    expect((await image([slug, '--dry-run'])).code).toBe(0);
    expect(readdirSync(cwd)).toEqual([]);
  });

  it.each([
    [['-o', 'menu.svg'], 'menu.svg', 'svg'],
    [['-o', '-'], 'standard output', 'svg'],
  ])(
    'with --dry-run and %j lists the file that a run would write, and writes nothing',
    async (output, file, format) => {
      const { image, slug, cwd } = await useImages();
      const { code, stdout, stderr } = await image([slug, ...output, '--dry-run']);
      expect(code).toBe(0);
      expect(parse(stdout, { columns: true })).toMatchObject([{ slug, file, format, outcome: 'create' }]);
      expect(stderr).toContain('Would create 1 image of 30 mm. No changes were made');
      expect(readdirSync(cwd)).toEqual([]);
      for (const refused of [
        ['-o', 'menu.gif'],
        ['-o', 'menu.svg', '--as', 'png'],
        ['a', '-o', 'menu.svg'],
      ])
        expect([refused, (await image([slug, ...refused, '--dry-run'])).code]).toEqual([refused, 2]);
    },
  );

  it('draws the logo on each image at level H, and draws the images again only if the logo has changed (I6)', async () => {
    const { imageBuilt, manifest, cwd } = await useImages({ codes: 1 });
    const logo = (color: string) =>
      writeFileSync(
        join(cwd, 'logo.svg'),
        `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect width="9" height="9" fill="${color}"/></svg>`,
      );
    const all = ['--all', '--output-dir', 'codes', '--logo', 'logo.svg'];
    logo('#c00');
    expect((await imageBuilt(all)).stderr).toContain('Created 1 image');
    expect(manifest().map(({ ecc }) => ecc)).toEqual(['H']);
    expect((await imageBuilt(all)).stderr).toContain('1 image unchanged');
    logo('#00c');
    expect((await imageBuilt(all)).stderr).toContain('Updated 1 image');
  });

  // By day a signal gives up a logo in this process (test/codes/images/render-apart.test.ts).
  it.runIf(SOAK)(
    'stops drawing a slow logo after 5 s with exit code 2, and on SIGTERM with exit code 143',
    async () => {
      const { cwd, sandbox, slug } = await useImages();
      const group = '<g opacity=".9"><path d="M0 0h9v9z"/></g>';
      writeFileSync(
        join(cwd, 'slow.svg'),
        `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10">${group.repeat(1000)}</svg>`,
      );
      const args = argv`qr image ${slug} --short-url ${URL}/{slug} --size 500mm -o x.svg --logo slow.svg`;
      const { code, stderr } = await runCli(args, { cwd, env: sandbox.env, timeoutMs: 100_000 });
      expect(stderr).toMatch(/the logo takes more than 5 s to draw at \d+ pixels/);
      expect(code).toBe(2);
      expect(readdirSync(cwd)).toEqual(['slow.svg']);
      const before = sandbox.requests.length;
      const running = await startCli(args, { cwd, env: sandbox.env, timeoutMs: 100_000 });
      await until(() => sandbox.requests.length > before);
      running.child.kill('SIGTERM');
      expect((await running.done).code).toBe(143);
    },
  );

  it('exits with 2 for an invalid logo, and sends no request', async () => {
    const { image, slug, sandbox, cwd } = await useImages();
    writeFileSync(
      join(cwd, 'x.svg'),
      '<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>',
    );
    const to = ['-o', 'x.png', '--logo'];
    for (const [args, message] of [
      [[...to, 'x.svg'], /x\.svg contains <image>, but a logo supports only shapes/],
      [[...to, 'none.png'], /cannot read none\.png/],
      [[...to, '/dev/zero'], /is larger than 1 MiB\n.*save a smaller logo/],
      [[...to, 'x.svg', '--ecc', 'Q'], /--logo requires --ecc H, not Q/],
    ] as const) {
      expect(await image([slug, ...args])).toMatchObject({ code: 2, stderr: expect.stringMatching(message) });
    }
    const onTerminal = await image([slug, '--logo', 'x.svg'], { tty: 80 });
    expect(onTerminal.code).toBe(2);
    expect(onTerminal.stdout + onTerminal.stderr).toContain("a terminal can't display a logo");
    expect(sandbox.requests).toEqual([]);
    expect(readdirSync(cwd)).toEqual(['x.svg']);
  });

  it("exits with 2 if it can't create the output directory", async () => {
    const { image, cwd } = await useImages();
    writeFileSync(join(cwd, 'file'), '');
    expect(await image(['--all', '--output-dir', 'file'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('cannot create the directory file'),
    });
  });
});

describe('qr image with a sheet or roll of labels', () => {
  it('draws one label per row in a file, beginning at --start, and prints a note on how to print them', async () => {
    const { imageBuilt, cwd } = await useImages({ codes: 30 });
    writeFileSync(
      join(cwd, 'labels.csv'),
      `slug\n${Array.from({ length: 30 }, (_, at) => `c${1029 - at}`).join('\n')}\nc1000\n`,
    );
    const { code, stderr } = await imageBuilt(argv`
      --from labels.csv --sheet ${'Avery L7160'} --start 15 -o labels.pdf
    `);
    expect(code).toBe(0);
    expect(stderr).toContain(
      'Created 31 labels for Avery L7160, 3 pages, codes of 35.1 mm, verified as readable. File: labels.pdf\nPrint at 100%, without scaling',
    );
    expect(readPdf(readFileSync(join(cwd, 'labels.pdf'))).map(({ areas }) => areas.length / 2)).toEqual([
      7, 21, 3,
    ]);
  });

  it('draws captions with two lines, and omits a line if its cell in the file is empty', async () => {
    const { image, cwd, sandbox } = await useImages();
    const [one, two] = sandbox.workspace.codes();
    writeFileSync(join(cwd, 'c.csv'), `slug,Stadt\n${one?.slug},Köln\n${two?.slug},\n`);
    const grid = ['--grid', '4x6', '--label', '40x45mm', '-o', 'labels.pdf'];
    const textOf = async (...args: string[]) => {
      expect(await image([...args, ...grid])).toMatchObject({ code: 0 });
      return readDrawnTexts(readFileSync(join(cwd, 'labels.pdf'), 'latin1')).map(({ letters }) => letters);
    };
    const names = await textOf('--all', '--caption', 'slug,name');
    expect(names.toSorted()).toEqual(
      sandbox.workspace
        .codes()
        .flatMap(({ slug, name }) => [slug, name])
        .sort(),
    );
    const cells = await textOf('--from', 'c.csv', '--caption', 'name,Stadt');
    expect(cells).toEqual([one?.name, 'Köln', two?.name]);
    expect(await image(['--from', 'c.csv', '--caption', 'name,Stdt', ...grid])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Did you mean stadt?'),
    });
  });

  it('lists the sheet numbers without a code or an API key', async () => {
    const { stdout, code } = await runHere(['qr', 'image', '--sheet', 'list']);
    expect(code).toBe(0);
    expect(stdout).toContain('number,paper,labels,columns,rows,width_mm,height_mm,also\n');
    expect(stdout).toContain('L7160,A4,21,3,7,63.5,38.1,J8160\n');
  });

  it('prints with --dry-run how many labels it would create, and writes nothing', async () => {
    const { image, cwd } = await useImages();
    const { code, stderr } = await image(argv`
      --all --grid 4x10 --label 1.75x1in --paper Letter -o x.pdf --dry-run
    `);
    expect(code).toBe(0);
    expect(stderr).toContain(
      'Would create 3 labels for a grid of 4x10, 1 page, codes of 22.4 mm. No changes',
    );
    expect(readdirSync(cwd)).toEqual([]);
  });

  it.each([
    ['--grid', '3x7', '--label', '60x38mm'],
    ['--sheet', 'L7160'],
  ])('uses one --margin for left and top, or two margins, the left one first (%s %s)', async (...sheet) => {
    const { imageBuilt, cwd } = await useImages({ codes: 1 });
    const corner = async (margin: string) => {
      const args = ['--all', ...sheet, '--caption', 'none', '-o', 'x.pdf', '--margin', margin];
      expect(await imageBuilt(args)).toMatchObject({ code: 0 });
      const numbers =
        readPdf(readFileSync(join(cwd, 'x.pdf')))[0]?.areas.flatMap(({ polygons }) => polygons.flat()) ?? [];
      const least = (odd: number) => Math.round(10 * Math.min(...numbers.filter((_, at) => at % 2 === odd)));
      return [least(0), least(1)];
    };
    const [left = 0, top = 0] = await corner('5mm');
    expect(await corner('5x5mm')).toEqual([left, top]);
    expect(await corner('0.7cm')).toEqual([left + 20, top + 20]);
    expect(await corner('5x8mm')).toEqual([left, top + 30]);
  });

  it('draws one page per label for a roll, and each label as often as --copies specifies', async () => {
    const { imageBuilt, cwd } = await useImages();
    writeFileSync(join(cwd, 'tables.csv'), 'Table no,slug\nT1,c1002\nT2,c1000\n');
    const roll = ['--from', 'tables.csv', '--paper', '62x29mm', '-o', 'roll.pdf'];
    const { code, stderr } = await imageBuilt([...roll, '--caption', 'table no', '--copies', '2']);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining('Created 4 labels for a roll of 62 x 29 mm, 4 pages, codes of 26 mm'),
    });
    const pages = readPdf(readFileSync(join(cwd, 'roll.pdf')));
    expect(
      pages.map(({ widthMm, heightMm }) => [widthMm, heightMm].map((mm) => Math.round(mm * 100) / 100)),
    ).toEqual(Array(4).fill([62, 29]));
    expect(JSON.stringify(pages[0])).toBe(JSON.stringify(pages[1]));
    expect(JSON.stringify(pages[1])).not.toBe(JSON.stringify(pages[2]));
    expect((await imageBuilt([...roll, '--margin', '3mm'])).stderr).toContain('2 pages, codes of 20 mm');
    expect((await imageBuilt([...roll, '--size', '40mm'])).stderr).toContain(
      "doesn't fit on a label of a roll of 62 x 29 mm",
    );
    const wide = argv`--from tables.csv --paper 100x50mm --grid 2x1 --label 48x48mm -o roll.pdf`;
    expect((await imageBuilt(wide)).stderr).toContain('Created 2 labels for a grid of 2x1, 1 page');
  });

  it('accepts a column in the file as captions, even with empty cells, and refuses an unknown column', async () => {
    const { imageBuilt, cwd } = await useImages();
    writeFileSync(join(cwd, 'tables.csv'), 'slug,Table,none\nc1002,Terrace 7,a\nc1000,,b\n');
    const args = ['--from', 'tables.csv', '--paper', '62x29mm', '-o', 'x.pdf', '--caption'];
    expect((await imageBuilt([...args, 'Xyzzy'])).stderr).toMatch(/hint: Available columns: \w+, \w+/);
    const filtered = ['--status', 'active'];
    expect((await imageBuilt([...args, 'Table', ...filtered])).stderr).toMatch(/Created 2 labels/);
    const all = ['--all', '--paper', '62x29mm', '-o', 'x.pdf', '--caption', 'Table'];
    expect(await imageBuilt(all)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('requires --from'),
    });
  });

  it('notes that it printed the slug instead of a caption, or omitted symbols, because its fonts lack them', async () => {
    const { image, sandbox } = await useImages();
    sandbox.workspace.put({ name: '🎉', slug: 'party' });
    sandbox.workspace.put({ name: '🎈', slug: 'balloon' });
    sandbox.workspace.put({ name: '🎪 Circus', slug: 'circus' });
    const { stderr } = await image(['--all', '--sheet', '5163', '--caption', 'name', '-o', 'x.pdf']);
    expect(stderr).toContain(`printed the slug instead of captions that the fonts can't write: "🎉", "🎈"`);
    expect(stderr).toContain('omitted symbols that the fonts lack: "🎪 Circus"');
  });

  test.each([
    [['--sheet', 'L7161x', '-o', 'x.pdf'], /unknown sheet number.*\n.*Did you mean L7161\?/],
    [['--sheet', 'L7160'], /requires a PDF file/],
    [['--sheet', 'L7160', '-o', 'x.png'], /requires a PDF file/],
    [['--sheet', 'L7160', '--output-dir', 'y'], /can't be used with --output-dir/],
    [
      ['--sheet', 'L7160', '--grid', '3x7', '--label', '60x30mm', '-o', 'x.pdf'],
      /--sheet can't be used with --grid/,
    ],
    [
      ['--sheet', 'L7160', '--size', '40mm', '-o', 'x.pdf'],
      /a 40 mm code doesn't fit on a label.*\n.*--size 35.1mm, the largest/,
    ],
    [
      ['--paper', '2x2mm', '-o', 'x.pdf'],
      /no code fits on a label of a roll of 2 x 2 mm \(2 x 2 mm\)\n.*Use larger labels/,
    ],
    [['--sheet', 'L7160', '--start', '22', '-o', 'x.pdf'], /expected 1 to 21/],
    [['--paper', '62x29mm', '--start', '2', '-o', 'x.pdf'], /--start requires pages of several labels/],
    [['--grid', '3x7', '-o', 'x.pdf'], /--grid requires --label/],
    [['--grid', '3x', '-o', 'x.pdf'], /--grid.*3x7/],
    [['--grid', '3x7', '--label', '90x60mm', '-o', 'x.pdf'], /don't fit on a page of A4/],
    [['--grid', '3x7', '--label', '90', '-o', 'x.pdf'], /--label.*63.5x38.1mm/],
    [['--start', '2', '--output-dir', 'y'], /--start requires --sheet, --grid or --paper/],
    [['--margin', '1x1mm', '--output-dir', 'y'], /--margin requires --sheet, --grid or --paper/],
    [['--margin', '40mm', '--sheet', 'L7160', '-o', 'x.pdf'], /don't fit on its page/],
    [['--paper', 'A4', '-o', 'x.pdf'], /--paper requires --grid/],
    [['--paper', '62x0mm', '-o', 'x.pdf'], /--paper.*62x29mm/],
    [['--paper', '62x29mm', '--sheet', 'L7160', '-o', 'x.pdf'], /--paper requires --grid/],
    [['--paper', '62x29mm', '--margin', '15mm', '-o', 'x.pdf'], /leaves no space/],
    [['--copies', '2', '--output-dir', 'y'], /--copies requires --sheet/],
    [
      ['--margin', '10', '--grid', '3x7', '--label', '60x38mm', '-o', 'x.pdf'],
      /--margin.*10mm, or a width and a height/,
    ],
  ])('exits with 2 for %j, and writes nothing', async (args, message) => {
    const { cwd, image } = await useImages();
    expect(await image(['--all', ...args])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(message),
    });
    expect(readdirSync(cwd)).toEqual([]);
  });
});
