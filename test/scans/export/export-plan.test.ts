import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { codesOfLog, type ExportPlan, extensionOf, refuseKept } from '#scans/export/export-plan';
import { useDirectory } from '../../support/cli.ts';

const ID = '6f1c2f0e-8a53-4a3e-9d53-0d6a2b9a0c11';
const OTHER = '7f1c2f0e-8a53-4a3e-9d53-0d6a2b9a0c11';

async function usePlan(...files: string[]) {
  const directory = await useDirectory();
  for (const file of files) await writeFile(join(directory, file), '{"version":1}');
  const check = (changes: object, ...names: string[]) => {
    const plan = { output: { format: 'csv' }, fileNames: 'id', overwrite: false, directory, ...changes };
    return refuseKept(plan as unknown as ExportPlan, names).then(
      () => 'allowed',
      ({ message, hint }) => `${message.replaceAll(directory, 'DIR')}. ${hint}`,
    );
  };
  return Object.assign(check, { directory });
}

const UNCHANGED = 'No request was sent, and no changes were made.';

it('files per code that may replace a log in the directory are refused without --append or --overwrite', async () => {
  const check = await usePlan(`${ID}.csv.state.json`);
  const refusal = `cannot replace DIR/${ID}.csv: it was written with --append`;
  const refused = expect.stringContaining(refusal);
  expect(await check({}, ID.toUpperCase())).toEqual(refused);
  expect(await check({}, ID)).toContain(
    `${UNCHANGED} Add --append to add new scans, or --overwrite to replace the file.`,
  );
  expect(await check({}, OTHER)).toBe('allowed');
  // Which codes these are is not known before the first request.
  expect(await check({})).toEqual(refused);
  expect(await check({}, OTHER, 'menu')).toEqual(refused);
  expect(await check({ fileNames: 'slug' }, OTHER)).toEqual(refused);
  for (const changes of [{ append: {} }, { overwrite: true }, { output: { format: 'json' } }])
    expect(await check(changes, ID)).toBe('allowed');
});

it('a file that would replace a log is refused without --append or --overwrite', async () => {
  const check = await usePlan('log.csv.state.json');
  const to = (name: string, changes: object = {}) => {
    const path = join(check.directory, name);
    const output = { format: 'csv', path, replaces: ['log', 'none'] };
    return check({ directory: undefined, output, ...changes });
  };
  expect(await to('log.csv')).toContain('log.csv: it was written with --append');
  for (const changes of [{ append: {} }, { overwrite: true }])
    expect(await to('log.csv', changes)).toBe('allowed');
  expect(await to('new.csv')).toBe('allowed');
  expect(await check({ directory: undefined })).toBe('allowed');
});

it('a dataset is not replaced, and gets new scans only with --partition-by and --append', async () => {
  const check = await usePlan('_qrctl.json');
  const partition = { by: 'day' };
  expect(await check({ partition, append: {} })).toBe('allowed');
  expect(await check({ partition, overwrite: true })).toMatch(
    `cannot write the dataset DIR: it already exists. ${UNCHANGED} Add --append to add`,
  );
  for (const changes of [{}, { append: {} }, { overwrite: true }])
    expect(await check(changes)).toMatch(
      `cannot write files per code to DIR: it is a dataset. ${UNCHANGED} Add --partition-by and --append to add`,
    );
  const empty = await usePlan();
  for (const changes of [{ partition }, {}, { directory: '/nonexistent' }])
    expect(await empty(changes)).toBe('allowed');
});

it('a plan has the extension of its format, and continues no log without --append or with --restart', async () => {
  const extension = (format: string) => extensionOf({ output: { format } } as never);
  expect(['ids', 'csv', 'ndjson'].map(extension)).toEqual(['txt', 'csv', 'ndjson']);
  for (const append of [undefined, { restart: true }])
    expect(await codesOfLog({ append } as never)).toEqual(new Set());
});
