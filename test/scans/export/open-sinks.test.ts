import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { OutputPlan } from '#files/formats/plan-output';
import type { ExportPlan } from '#scans/export/export-plan';
import { openSinks } from '#scans/export/open-sinks';
import { useDirectory } from '../../support/cli.ts';
import { keepFile } from '../../support/kept-log.ts';

const CODES = [{ id: 'a' }, { id: 'b' }];

/** Sinks for these outputs, whose documents write to nothing; `log` has what happened to them. */
async function open(plan: { path?: string; directory?: string; overwrite?: boolean }) {
  const log: string[] = [];
  let replace: OutputPlan['beforeReplace'];
  const openDocument = async ({ path = '-', beforeReplace }: Partial<OutputPlan>) => {
    replace = beforeReplace;
    return {
      rewinds: true,
      write: async (rows: readonly unknown[]) => rows.length,
      checkpoint: async () => async () => Boolean(log.push(`rewind ${path}`)),
      commit: async () => void log.push(`commit ${path}`),
      discard: async () => void log.push(`discard ${path}`),
    };
  };
  const { path, directory, overwrite = false } = plan;
  const filesOf = () => (code: { id: string }) => join(directory ?? '', `${code.id}.csv`);
  const whole = { output: { path }, directory, filesOf, labeled: false, overwrite };
  const job = { codes: CODES, service: {}, openDocument } as never;
  const sinks = await openSinks({} as never, whole as unknown as ExportPlan, job);
  const write = async (id: string, ...times: number[]) => {
    const sink = await sinks.open({ id });
    await sink.checkpoint();
    await sink.write({ rows: times.map((time) => ({ id: time })) as never, times });
    return sink;
  };
  return { sinks, log, write, beforeReplace: () => replace };
}

const counts = (rows: number, watermarkMs?: number) => ({ rows, added: rows, watermarkMs });

it('the rows of codes in one file count when the file is committed, without the rows of a failed code', async () => {
  const path = join(await useDirectory(), 'all.csv');
  const { sinks, log, write } = await open({ path });
  const a = await write('a', 5, 9, 7);
  expect(a.added()).toBe(3);
  await a.commit();
  await a.discard();
  const b = await write('b', 20);
  await b.discard();
  expect([a.added(), b.added()]).toEqual([3, 0]);
  expect(sinks.contents()).toEqual({ ...counts(0), files: [] });
  await writeFile(path, '');
  await sinks.commit();
  expect(sinks.place).toBe(path);
  expect(sinks.contents()).toEqual({ ...counts(3, 9), files: [path] });
  expect(log).toEqual([`rewind ${path}`, `commit ${path}`]);
});

it('the rows of a code on standard output count as soon as the code is finished', async () => {
  const { sinks, write } = await open({});
  await (await write('a', 5, 9)).commit();
  expect(sinks.contents()).toEqual({ ...counts(2, 9), files: [] });
  await (await write('b', 3)).commit();
  await sinks.commit();
  expect(sinks.contents()).toEqual({ ...counts(3, 9), files: [] });
});

it('the rows of a code in its own file count when the file is committed', async () => {
  const directory = join(await useDirectory(), 'new');
  const { sinks, log, write } = await open({ directory });
  const [a, b] = [join(directory, 'a.csv'), join(directory, 'b.csv')];
  const first = await write('a', 5);
  await writeFile(a, '');
  await first.commit();
  expect(sinks.contents()).toEqual({ ...counts(1, 5), files: [a] });
  const failed = await write('b', 8, 9);
  await failed.discard();
  await sinks.commit();
  expect(failed.added()).toBe(0);
  expect(sinks.contents()).toEqual({ ...counts(1, 5), files: [a] });
  expect(log).toEqual([`commit ${a}`, `discard ${b}`]);
});

it('the rows that were written for a code after a checkpoint do not count once they are rewound', async () => {
  const { sinks } = await open({});
  const sink = await sinks.open({ id: 'a' });
  const write = (...times: number[]) => sink.write({ rows: times.map((id) => ({ id })) as never, times });
  await write(1);
  const rewind = await sink.checkpoint();
  await write(2, 3);
  expect([sink.added(), await rewind(), sink.added()]).toEqual([3, true, 1]);
});

it('the state of a log is removed before --overwrite replaces the log', async () => {
  const path = join(await useDirectory(), 'log.csv');
  await writeFile(path, 'id,ts\n');
  await keepFile(path);
  expect((await open({ path })).beforeReplace()).toBeUndefined();
  expect((await open({ overwrite: true })).beforeReplace()).toBeUndefined();
  await (await open({ path, overwrite: true })).beforeReplace()?.();
  expect(await readdir(join(path, '..'))).toEqual(['log.csv']);
});
