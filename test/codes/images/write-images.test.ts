import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RunFacts } from '#base/run/run-summary';
import { systemClock } from '#base/time/time';
import { encodeText } from '#codes/images/encode';
import { type ImageFile, planFiles, planNew, readManifest } from '#codes/images/image-files';
import { writeImages } from '#codes/images/write-images';
import { useDirectory } from '../../support/cli.ts';
import { codeOf, idOf } from '../engine/plan/make.ts';
import { STYLE } from './style.ts';

const imageOf = (n: number, text = `https://qr.example/${n}`): ImageFile => {
  const encoded = { code: codeOf(n), text, modules: encodeText(text, 'M') ?? expect.fail() };
  return { encoded, format: 'svg', file: `${n}.svg` };
};
/** An image that a decoder reads as another text. */
const wrong = (n: number): ImageFile => {
  const image = imageOf(n, 'https://qr.example/other');
  return { ...image, encoded: { ...image.encoded, text: 'x' } };
};
const FAULT = 'the code decodes to a different text';
const FILES = [1, 2, 3].map((n) => imageOf(n));
const signal = new AbortController().signal;

async function useImages() {
  const directory = await useDirectory();
  const write = async (files: readonly ImageFile[], { sizeMm = 30, overwrite = false } = {}) => {
    const facts: RunFacts = {};
    const progress: number[] = [];
    const rows = await writeImages(directory, files, {
      style: { ...STYLE, sizeMm },
      overwrite,
      clock: systemClock,
      signal,
      facts,
      onWait: () => undefined,
      onProgress: (done) => progress.push(done),
    });
    return { rows: rows.map(({ file, outcome, error }) => [file, outcome, error]), facts, progress };
  };
  const plan = async (files: readonly ImageFile[], { sizeMm = 30, overwrite = false } = {}) => {
    const planned = planNew(files, { encoded: [], refusals: [], warnings: [] }, false);
    const place = { directory, manifest: await readManifest(directory, overwrite), overwrite };
    const all = await planFiles({ signal }, planned, { ...place, style: { ...STYLE, sizeMm } });
    return all.map(({ image, outcome, error }) => [image.file, outcome, error]);
  };
  const change = (file: string) => writeFile(join(directory, file), 'mine');
  return { directory, write, plan, change };
}

describe('images in a directory', () => {
  it('are planned and written with their outcomes, and the earlier file of an image that fails is kept', async () => {
    const { directory, write, plan } = await useImages();
    expect(await plan(FILES)).toEqual(FILES.map(({ file }) => [file, 'create', null]));
    const { rows, facts, progress } = await write(FILES.slice(0, 2));
    expect(rows).toEqual([
      ['1.svg', 'created', null],
      ['2.svg', 'created', null],
    ]);
    expect(progress).toEqual([1, 2]);
    expect(facts).toEqual({
      codes: 2,
      rows: 2,
      outcomes: { created: 2 },
      files: ['1.svg', '2.svg', 'manifest.csv'].map((file) => join(directory, file)),
    });
    const earlier = await readFile(join(directory, '1.svg'), 'utf8');
    const again = [wrong(1), imageOf(2, 'https://qr.example/new'), imageOf(3)];
    expect(await plan(again)).toEqual([
      ['1.svg', 'failed', FAULT],
      ['2.svg', 'update', null],
      ['3.svg', 'create', null],
    ]);
    const second = await write(again);
    expect(second.rows).toEqual([
      ['1.svg', 'failed', FAULT],
      ['2.svg', 'updated', null],
      ['3.svg', 'created', null],
    ]);
    expect(second.facts).toMatchObject({
      codes: 2,
      rows: 3,
      outcomes: { failed: 1, updated: 1, created: 1 },
      files: ['2.svg', '3.svg', 'manifest.csv'].map((file) => join(directory, file)),
    });
    expect(await readFile(join(directory, '1.svg'), 'utf8')).toBe(earlier);
    expect(await plan(FILES.slice(0, 1))).toEqual([['1.svg', 'unchanged', null]]);
    const third = await write(FILES.slice(0, 1));
    expect(third.rows).toEqual([['1.svg', 'unchanged', null]]);
    expect(third.facts.files).toEqual([join(directory, 'manifest.csv')]);
    await write([wrong(3)]);
    expect((await plan([imageOf(3, 'https://qr.example/new')]))[0]?.[1]).toBe('update');
    const { rows: all } = await readManifest(directory, false);
    expect([...all].map(([file, { id }]) => [file, id])).toEqual([3, 1, 2].map((n) => [`${n}.svg`, idOf(n)]));
  });

  it('are not replaced if you changed them, unless --overwrite is used (I5)', async () => {
    const { directory, write, plan, change } = await useImages();
    await write(FILES);
    for (const file of ['2.svg', '3.svg']) await change(file);
    const unrelated = 'an unrelated file with that name exists';
    expect(await plan(FILES)).toEqual([
      ['1.svg', 'unchanged', null],
      ['2.svg', 'failed', unrelated],
      ['3.svg', 'failed', unrelated],
    ]);
    const refusal = (file: string) =>
      `cannot replace ${join(directory, file)}: not written by an earlier run, or changed since`;
    await expect(write(FILES)).rejects.toThrow(refusal('2.svg').replace(':', ' and 1 more:'));
    await expect(write(FILES.slice(2))).rejects.toMatchObject({
      message: refusal('3.svg'),
      hint: 'Specify a different directory with --output-dir, or add --overwrite to replace it.',
    });
    await expect(write([wrong(2)])).rejects.toThrow(refusal('2.svg'));
    expect(await plan(FILES.slice(1), { overwrite: true })).toEqual([
      ['2.svg', 'update', null],
      ['3.svg', 'update', null],
    ]);
    expect((await write(FILES.slice(1), { overwrite: true })).rows).toEqual([
      ['2.svg', 'updated', null],
      ['3.svg', 'updated', null],
    ]);
  });

  it('without a manifest are unchanged if they have the same bytes, and an unrelated manifest requires --overwrite', async () => {
    const { directory, write } = await useImages();
    await write(FILES.slice(0, 1));
    await rm(join(directory, 'manifest.csv'));
    expect((await write(FILES.slice(0, 1))).rows).toEqual([['1.svg', 'unchanged', null]]);
    await writeFile(join(directory, 'manifest.csv'), '');
    await expect(write(FILES.slice(0, 1))).rejects.toThrow('it was not written by an earlier run');
    expect((await write(FILES.slice(0, 1), { overwrite: true })).rows).toEqual([
      ['1.svg', 'unchanged', null],
    ]);
  });

  it('that break the print rules fail unless --force is used', () => {
    const refused = { ...FILES[0], encoded: { ...FILES[0]?.encoded, refusal: 'too small' } } as ImageFile;
    const outcomes = (refusals: string[], force: boolean) =>
      planNew([imageOf(1), refused], { encoded: [], refusals, warnings: [] }, force).map(
        ({ outcome, error }) => [outcome, error],
      );
    expect(outcomes([], false)).toEqual([
      ['create', null],
      ['failed', 'too small'],
    ]);
    expect(outcomes(['no contrast'], false)).toEqual(Array(2).fill(['failed', 'no contrast']));
    expect(outcomes(['no contrast'], true)).toEqual(Array(2).fill(['create', null]));
  });
});
