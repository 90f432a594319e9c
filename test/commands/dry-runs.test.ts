/** Each dry run says in the words of the results what a run would do, with the reason beside it. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { systemClock } from '#base/time/time';
import { argv } from '../support/argv.ts';
import { useDirectory } from '../support/cli.ts';
import { runHere } from '../support/run-here.ts';
import { useSandbox } from '../support/sandbox.ts';

const NOW = '2030-03-31T12:00:00Z';

/** A sandbox with the codes `menu` and `sale`, a directory, and the command in it. */
async function useRows(codes = ['menu', 'sale']) {
  const offsetMs = Date.parse(NOW) - Date.now();
  const sandbox = await useSandbox({
    codes: 0,
    scans: 0,
    clock: { ...systemClock, now: () => Date.now() + offsetMs },
  });
  for (const slug of codes)
    sandbox.workspace.put({ name: slug, slug, destination: `https://example.com/${slug}` });
  const cwd = await useDirectory();
  const qrctl = (...args: string[]) => runHere(['qr', ...args], { cwd, env: sandbox.env });
  return {
    sandbox,
    cwd,
    qrctl,
    write: (...lines: string[]) => writeFileSync(join(cwd, 'rows.csv'), `${lines.join('\n')}\n`),
    id: (slug: string) => sandbox.workspace.codes().find((code) => code.slug === slug)?.id ?? '',
    /** The actions of `qr … --from rows.csv --dry-run` with their errors, and the last line. */
    async plan(...args: string[]) {
      const { stdout, stderr } = await qrctl(...args, '--from', 'rows.csv', '--dry-run', '-f', 'json');
      const rows: { action: string; error: string | null }[] = JSON.parse(stdout);
      return {
        rows: rows.map(({ action, error }) => [action, error]),
        last: stderr.trim().split('\n').at(-1),
      };
    },
  };
}

describe('qr update --dry-run', () => {
  it('lists each row as `update`, `unchanged` or `gone`, and the run has the corresponding outcomes', async () => {
    const { write, plan, qrctl, cwd } = await useRows();
    write('slug,name', 'menu,New', 'sale,sale', 'none,x');
    const { rows, last } = await plan('update');
    expect(rows.map(([action]) => action)).toEqual(['gone', 'update', 'unchanged']);
    expect(last).toMatch(/^1 code missing on the service, 1 to update, 1 unchanged \(/);
    expect(await qrctl('update', '--from', 'rows.csv')).toMatchObject({ code: 8 });
    const results: Record<string, string>[] = parse(readFileSync(join(cwd, 'rows.results.csv')), {
      columns: true,
    });
    expect(results.map(({ outcome }) => outcome)).toEqual(['updated', 'unchanged', 'gone']);
  });

  it('notes that it writes no results file, and that --name has no effect if the only row has a name', async () => {
    const { write, qrctl, cwd } = await useRows();
    write('slug,name', 'menu,New');
    const { stderr } = await qrctl(
      ...['update', '--from', 'rows.csv', '--name', 'Old', '--dry-run', '--results', 'r.csv'],
    );
    expect(stderr).toContain('A dry run writes no results to r.csv');
    expect(stderr).toContain('--name had no effect: the column name has a value in the only row');
    expect(existsSync(join(cwd, 'r.csv'))).toBe(false);
  });

  it('lists each row in a dated plan with the outcome that the row would have in the run', async () => {
    const { write, plan, qrctl, cwd, sandbox } = await useRows(['menu', 'sale', 'done']);
    sandbox.workspace.put({ name: 'text', slug: 'text', type: 'wifi', destination: 'WIFI:S:x;;' });
    write('slug,at,name,status,utm_source', 'done,2030-03-01T00:00Z,Done,,');
    expect(await qrctl('update', '--from', 'rows.csv', '--due')).toMatchObject({ code: 0 });
    write(
      'slug,at,name,status,utm_source',
      'done,2030-03-01T00:00Z,Done,,',
      'menu,2030-03-01T00:00Z,One,,',
      'menu,2030-03-02T00:00Z,,paused,',
      'menu,2030-03-03T00:00Z,Three,,',
      'sale,2030-03-03T00:00Z,sale,,',
      'sale,2030-04-03T00:00Z,Later,,',
      'text,2030-03-03T00:00Z,,,mail',
    );
    const { rows, last } = await plan('update', '--due');
    expect(rows).toEqual([
      ['failed', expect.stringContaining('is not a web address')],
      ['update', null],
      ['update', null],
      ['later', 'not due until 2030-04-03T00:00:00.000Z'],
      ['unchanged', null],
      ['unchanged', 'superseded by a later row'],
      ['unchanged', null],
    ]);
    expect(last).toMatch(/^1 row failed, 2 to update, 1 not due yet, 3 unchanged \(/);
    for (const changed of ['updated,updated', 'unchanged,unchanged']) {
      await qrctl('update', '--from', 'rows.csv', '--due');
      const results: Record<string, string>[] = parse(readFileSync(join(cwd, 'rows.results.csv')), {
        columns: true,
      });
      expect(results.map(({ outcome }) => outcome).join()).toBe(
        `unchanged,unchanged,${changed},unchanged,later,failed`,
      );
    }
  });
});

describe('qr image --dry-run', () => {
  it('lists each image as `update`, `unchanged` or `failed`, and writes nothing', async () => {
    const { cwd, qrctl } = await useRows(['a', 'b', 'c', 'd']);
    const image = (...args: string[]) =>
      qrctl(
        ...argv`image --short-url https://qr.example/{slug} --file-names slug --output-dir codes ${args}`,
      );
    await image('a', 'c', '--size', '40mm');
    await image('b');
    writeFileSync(join(cwd, 'codes', 'd.png'), 'mine');
    const before = readdirSync(join(cwd, 'codes'));
    const { code, stdout, stderr } = await image('--all', '--dry-run');
    const rows: Record<string, string>[] = parse(stdout, { columns: true });
    const outcomes = Object.fromEntries(rows.map(({ slug, outcome }) => [slug, outcome]));
    expect([code, outcomes]).toEqual([0, { a: 'update', b: 'unchanged', c: 'update', d: 'failed' }]);
    expect(stdout).toContain('an unrelated file with that name exists');
    expect(stderr).toContain(
      'Would create 0 of 4 images of 30 mm, update 2, 1 unchanged, 1 would fail. No changes were made',
    );
    expect(readdirSync(join(cwd, 'codes'))).toEqual(before);
    expect((await image('--all', '--overwrite')).stderr).toContain('Updated 3 images, 1 unchanged');
  });
});

it('qr image accepts the outcome `written` in a manifest from an earlier version', async () => {
  const { cwd, qrctl } = await useRows(['a']);
  const image = (...args: string[]) =>
    qrctl('image', 'a', '--short-url', 'https://qr.example/{slug}', '--output-dir', 'codes', ...args);
  await image();
  const path = join(cwd, 'codes', 'manifest.csv');
  const text = readFileSync(path, 'utf8');
  expect(text).toContain(',created,');
  writeFileSync(path, text.replace(',created,', ',written,'));
  expect((await image('--size', '40mm')).stderr).toContain('Updated 1 image');
});
