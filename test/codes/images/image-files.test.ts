import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { UsageError } from '#base/errors';
import { encodeText } from '#codes/images/encode';
import type { EncodedCode } from '#codes/images/encode-codes';
import {
  hashFiles,
  type ImageFile,
  isOurs,
  type ManifestRow,
  nameFiles,
  readManifest,
  writeManifest,
} from '#codes/images/image-files';
import { useDirectory } from '../../support/cli.ts';
import { codeOf, idOf } from '../engine/plan/make.ts';

function encodedOf(n: number, slug = `s${n}`): EncodedCode {
  const text = `https://qr.example/${slug}`;
  return {
    code: codeOf(n, { slug }),
    text,
    modules: encodeText(text, 'M') ?? expect.fail(),
    refusal: undefined,
  };
}

const rowOf = (file: string, sha256: string | null, more: Partial<ManifestRow> = {}): ManifestRow => {
  return { file, sha256, outcome: 'created', ...more };
};

describe('image file names', () => {
  it('consist of the slug and the format, with one name per code and format', () => {
    const [one, other] = [encodedOf(1), encodedOf(2)];
    expect(nameFiles([one, other], ['png', 'svg'], 'slug')).toEqual({
      files: [
        { encoded: one, format: 'png', file: 's1.png' },
        { encoded: one, format: 'svg', file: 's1.svg' },
        { encoded: other, format: 'png', file: 's2.png' },
        { encoded: other, format: 'svg', file: 's2.svg' },
      ],
      unsafe: 0,
    });
  });

  it('contain the ID if the slug is unsafe or IDs were requested, and unsafe slugs are counted', () => {
    const codes = [encodedOf(1), encodedOf(2, '../x'), encodedOf(3, 'con')];
    const bySlug = nameFiles(codes, ['png'], 'slug');
    expect([bySlug.files.map(({ file }) => file), bySlug.unsafe]).toEqual([
      ['s1.png', `${idOf(2)}.png`, `${idOf(3)}.png`],
      2,
    ]);
    const byId = nameFiles(codes, ['png'], 'id');
    expect([byId.files.map(({ file }) => file), byId.unsafe]).toEqual([
      [1, 2, 3].map((n) => `${idOf(n)}.png`),
      0,
    ]);
  });
});

describe('the files in an output directory', () => {
  const wanted = (...files: string[]): ImageFile[] =>
    files.map((file) => ({ encoded: encodedOf(1), format: 'png', file }));

  it('are hashed if an image would get their name, and a directory with such a name gets an empty hash', async () => {
    const directory = await useDirectory();
    await writeFile(join(directory, 'a.png'), 'a');
    await writeFile(join(directory, 'other.png'), 'other');
    await mkdir(join(directory, 'b.png'));
    expect(await hashFiles(directory, wanted('a.png', 'b.png', 'c.png'))).toEqual(
      new Map([
        ['a.png', createHash('sha256').update('a').digest('hex')],
        ['b.png', ''],
      ]),
    );
  });

  it('have no hashes if the directory does not exist, but other errors, such as a path that is too long, are thrown', async () => {
    const directory = await useDirectory();
    await writeFile(join(directory, 'file'), '');
    expect(await hashFiles(join(directory, 'none'), wanted('a.png'))).toEqual(new Map());
    expect(await hashFiles(join(directory, 'file', 'none'), wanted('a.png'))).toEqual(new Map());
    await expect(hashFiles(join(directory, 'x'.repeat(300)), wanted('a.png'))).rejects.toMatchObject({
      code: 'ENAMETOOLONG',
    });
  });

  it('may be replaced only if they are missing, or the manifest from an earlier run has their hash (I5)', () => {
    const manifest = { path: 'manifest.csv', rows: new Map([['a.png', rowOf('a.png', 'abc')]]) };
    expect(isOurs(manifest, 'a.png', 'abc')).toBe(true);
    expect(isOurs(manifest, 'a.png', undefined)).toBe(true);
    expect(isOurs(manifest, 'a.png', 'other')).toBe(false);
    expect(isOurs(manifest, 'b.png', 'abc')).toBe(false);
    expect(isOurs(manifest, 'b.png', '')).toBe(false);
  });
});

describe('a manifest', () => {
  it('has the rows from the run, then the rows from earlier runs for other files', async () => {
    const directory = await useDirectory();
    const none = await readManifest(directory, false);
    expect(none).toEqual({ path: join(directory, 'manifest.csv'), rows: new Map() });
    const [first, second] = [
      rowOf('a.png', 'aa', { id: idOf(1), name: 'A, "a"' }),
      rowOf('b.png', null, { error: 'no' }),
    ];
    await writeManifest(none, [first, second]);
    const read = await readManifest(directory, false);
    expect([...read.rows]).toMatchObject([
      [
        'a.png',
        { file: 'a.png', sha256: 'aa', id: idOf(1), name: 'A, "a"', outcome: 'earlier', error: null },
      ],
      ['b.png', { file: 'b.png', sha256: null, error: 'no', outcome: 'earlier' }],
    ]);
    await writeManifest(read, [rowOf('a.png', 'changed')]);
    const again = await readManifest(directory, false);
    expect([...again.rows.values()].map(({ file, sha256 }) => [file, sha256])).toEqual([
      ['a.png', 'changed'],
      ['b.png', null],
    ]);
  });

  it.each(['', 'file,sha256\na.png,x\n', '{"json"', 'id,slug\n'])(
    'is refused if it is another kind of file, unless --overwrite is used: %j',
    async (text) => {
      const directory = await useDirectory();
      await writeFile(join(directory, 'manifest.csv'), text);
      const refused = readManifest(directory, false);
      await expect(refused).rejects.toBeInstanceOf(UsageError);
      await expect(refused).rejects.toMatchObject({
        hint: 'Specify a different directory with --output-dir, or add --overwrite to replace this file.',
      });
      expect((await readManifest(directory, true)).rows.size).toBe(0);
    },
  );

  it('is a CSV file that has only its own columns, and in which formulas are escaped', async () => {
    const directory = await useDirectory();
    const none = await readManifest(directory, false);
    await writeManifest(none, [rowOf('a.png', 'aa', { name: '=1+1', other: 'x' })]);
    const columns = 'id,slug,name,url,file,format,mm,modules,version,ecc,sha256,outcome,error';
    const text = await readFile(none.path, 'utf8');
    expect(text.replaceAll('\r', '')).toBe(`${columns}\n,,'=1+1,,a.png,,,,,,aa,created,\n`);
    expect((await readManifest(directory, false)).rows.get('a.png')?.name).toBe('=1+1');
  });

  it("is refused if it can't be read, even with --overwrite, and is empty if its directory does not exist", async () => {
    const directory = await useDirectory();
    await mkdir(join(directory, 'manifest.csv'));
    const refused = readManifest(directory, true);
    await expect(refused).rejects.toBeInstanceOf(UsageError);
    await expect(refused).rejects.toMatchObject({
      message: expect.stringMatching(/^cannot read .*manifest\.csv: it is not a regular file/),
      hint: 'Specify a different directory with --output-dir.',
    });
    await writeFile(join(directory, 'file'), '');
    expect((await readManifest(join(directory, 'file'), false)).rows.size).toBe(0);
    expect((await readManifest(join(directory, 'none'), false)).rows.size).toBe(0);
  });
});
