/** Exports with `--append`: to one file, to a file per code, and to a dataset, on the disk. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { systemClock } from '#base/time/time';
import { codesOfLog, type ExportPlan, savedPositions } from '#scans/export/export-plan';
import { openSinks } from '#scans/export/open-sinks';
import { useDirectory } from '../../support/cli.ts';
import { HOUR, ownWorkspace, START } from '../append/runs.ts';

const CODES = [{ id: 'a', slug: 'menu' }, { id: 'b' }];
const COLUMNS = ['qr_id', 'id', 'ts'];

async function useGrowing(toFile: boolean, changes: Partial<ExportPlan> = {}) {
  const place = await useDirectory();
  const path = join(place, 'log.csv');
  const directory = toFile ? undefined : place;
  const plan = (output: object = {}) => {
    const columns = COLUMNS.map((name) => ({ name }));
    const dialect = { header: true, excel: false, rawCells: false, delimiter: ';' };
    const append = { path, overlapMs: HOUR, restart: false, rotated: false };
    const filesOf = () => (code: { id: string }) => join(place, `${code.id}.csv`);
    const whole = { format: 'csv', columns, chosen: false, ...dialect, ...output };
    const given = { append, directory, all: true, labeled: true, filesOf, ...changes, output: whole };
    return given as unknown as ExportPlan;
  };
  const notes: string[] = [];
  const console = { note: (line: string) => notes.push(line), warn: (line: string) => notes.push(line) };
  let apiKey = 'svc_live_aaaa';
  const open = (output?: object) => {
    // With another key, the service has no code other than those that it listed.
    const { workspace, getCode } = ownWorkspace(apiKey === 'svc_live_aaaa' ? ['a', 'b'] : [], { apiKey });
    const service = { workspace, getCode, nowMs: () => START + 9 * HOUR };
    const run = { clock: systemClock, signal: undefined, console };
    return openSinks(run as never, plan(output), { codes: CODES, service } as never);
  };
  const withKey = (key: string) => {
    apiKey = key;
  };
  const add = async (output?: object) => {
    const sinks = await open(output);
    for (const [i, code] of CODES.entries()) {
      const sink = await sinks.open(code);
      const row = { id: i + 1, ts: '2026-01-01T00:00:00.000Z', os: 'iOS' };
      await sink.write({ rows: [row] as never, times: [START + i] });
      await sink.commit();
    }
    await sinks.commit();
    await sinks.discard();
    return sinks;
  };
  const state = async (name: string) => JSON.parse(await readFile(join(place, name), 'utf8'));
  return { place, path, plan, add, open, state, notes, withKey };
}

const dialect = { header: true, excel: false, rawCells: false, delimiter: ';' };
const positions = [
  ['a', START - HOUR],
  ['b', START + 1 - HOUR],
];

it('an appended file of several codes gets each row once, keeps its columns in later runs, and refuses other requested columns or another delimiter', async () => {
  const { path, plan, add, open, state, notes } = await useGrowing(true);
  expect([await codesOfLog(plan()), await savedPositions(plan(), CODES)]).toEqual([new Set(), new Map()]);
  const sinks = await add();
  expect([sinks.place, sinks.remarks]).toEqual([path, []]);
  expect(sinks.contents()).toEqual({ rows: 2, added: 2, watermarkMs: START + 1, files: [path] });
  const text = 'qr_id;id;ts\na;1;2026-01-01T00:00:00.000Z\nb;2;2026-01-01T00:00:00.000Z\n';
  expect(await readFile(path, 'utf8')).toBe(text);
  expect(await state('log.csv.state.json')).toMatchObject({
    codes: ['a', 'b'],
    all: true,
    columns: COLUMNS,
    format: 'csv',
    dialect,
    positions: { a: { writtenAt: { serviceMs: START + 9 * HOUR } } },
  });
  expect(await codesOfLog(plan())).toEqual(new Set(['a', 'b']));
  expect([...(await savedPositions(plan(), CODES))]).toEqual(positions);
  const wider = [...COLUMNS, 'os'].map((name) => ({ name }));
  expect((await add({ columns: wider })).contents()).toMatchObject({ rows: 2, added: 0 });
  expect(await readFile(path, 'utf8')).toBe(text);
  await expect(open({ columns: wider, chosen: true })).rejects.toThrow('has the columns qr_id,id,ts, not');
  await expect(open({ delimiter: ',' })).rejects.toThrow('was written with --delimiter ;, not ,');
  await expect(open({ delimiter: ',' })).rejects.toMatchObject({
    hint: expect.stringMatching(/--output\b(?!-)/),
  });
  const restart = { ...plan(), append: { path, overlapMs: HOUR, restart: true, rotated: false } };
  expect(await savedPositions(restart, CODES)).toEqual(new Map());
  expect(notes).toEqual([]);
});

it('a file is continued with another key only if the service listed one of its codes with a slug', async () => {
  const { add, withKey } = await useGrowing(true);
  await add();
  withKey('svc_live_bbbb');
  expect((await add()).contents()).toMatchObject({ rows: 2, added: 0 });
  const file = await useGrowing(false);
  await file.add();
  file.withKey('svc_live_bbbb');
  // Code b has no slug, so it is not from a response.
  await expect(file.add()).rejects.toThrow(/b\.csv.* another workspace/);
});

it('a file per code gets the rows of its code, and records that the code was deleted', async () => {
  const { place, plan, add, open, state } = await useGrowing(false);
  const sinks = await add();
  const files = ['a.csv', 'b.csv'].map((name) => join(place, name));
  expect(sinks.place).toBe(place);
  expect(sinks.contents()).toEqual({ rows: 2, added: 2, watermarkMs: START + 1, files });
  expect(await readFile(join(place, 'b.csv'), 'utf8')).toBe('qr_id;id;ts\nb;2;2026-01-01T00:00:00.000Z\n');
  expect(await state('b.csv.state.json')).toMatchObject({ codes: ['b'], all: false });
  expect([...(await savedPositions(plan(), CODES))]).toEqual(positions);
  expect(await codesOfLog(plan())).toEqual(new Set());
  const { noteGone } = await open();
  const [a, unread] = [{ id: 'a' }, { id: 'c' }];
  expect([
    await noteGone?.(unread),
    await noteGone?.(unread),
    await noteGone?.(a),
    await noteGone?.(a),
  ]).toEqual([undefined, undefined, false, true]);
  expect(await readdir(place)).not.toContain('c.csv');
});

it.each(['csv', 'ndjson', 'parquet'])('a dataset of %s gets the rows of all codes once', async (format) => {
  const partition = { by: 'day' as const, timezone: 'UTC' };
  const { place, plan, add, open, state } = await useGrowing(false, { partition, all: '--name menu' });
  const sinks = await add({ format });
  expect(sinks.place).toBe(place);
  expect(sinks.contents()).toEqual({ rows: 2, added: 2, watermarkMs: START + 1, files: [place] });
  const [part = ''] = await readdir(join(place, 'dt=2026-01-01'));
  const bytes = await readFile(join(place, 'dt=2026-01-01', part), 'utf8');
  const begins = { csv: 'qr_id;id;ts\na;1;2026', ndjson: '{"qr_id":"a","id":1,', parquet: 'PAR1' }[format];
  expect(bytes.slice(0, begins?.length)).toBe(begins);
  expect(await state('_qrctl.json')).toMatchObject({
    codes: ['a', 'b'],
    all: '--name menu',
    format,
    partition,
  });
  expect(await codesOfLog(plan())).toEqual(new Set(['a', 'b']));
  expect([...(await savedPositions(plan(), CODES))]).toEqual(positions);
  expect((await add({ format })).contents()).toMatchObject({ rows: 2, added: 0 });
  expect((await state('_qrctl.json')).dialect).toEqual({
    ...dialect,
    delimiter: format === 'csv' ? ';' : undefined,
  });
  await expect(open({ format, columns: [{ name: 'id' }], chosen: true })).rejects.toMatchObject({
    hint: expect.stringContaining('--output-dir'),
  });
  const again = await open({ format });
  expect([await again.noteGone?.({ id: 'c' }), await again.noteGone?.({ id: 'a' })]).toEqual([
    undefined,
    false,
  ]);
  await again.discard();
});
