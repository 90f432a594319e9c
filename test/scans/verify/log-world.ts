/** A log in a directory, the service that it is exported from, in memory, and what happens to both: the commands are the real ones. */
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { NotFoundError } from '#base/errors';
import { createUsedFiles } from '#base/run/used-files';
import { systemClock } from '#base/time/time';
import { command as exportCommand } from '#commands/scans/export';
import { command as verifyCommand } from '#commands/scans/verify';
import type { Context } from '#context';
import type { Service } from '#service/service';
import { createWorkspace } from '#service/workspace';
import { type ModelRow, type ModelScans, modelScans } from '../../support/model-service/scans.ts';
import { START_MS } from './verify-logs.ts';

export const HOUR = 3_600_000;
const CODES = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];

type Options<C extends { run: (...args: never[]) => unknown }> = Parameters<C['run']>[1] extends {
  options: infer O;
}
  ? O
  : never;

/** One row of a file. */
interface LoggedRow {
  code: string;
  id: number;
  time: number;
}

export async function createLogWorld(root: string) {
  const [log, archive] = [join(root, 'log'), join(root, 'archive')];
  const file = join(log, 'log.csv');
  await mkdir(log);
  await mkdir(archive);
  const models = new Map<string, ModelScans>(CODES.map((code) => [code, modelScans([])]));
  let nowMs = START_MS;
  let nextId = 1;
  let moved = 0;
  /** End of the last complete export, and copies of file and state since the last rotation. */
  let endMs: number | undefined;
  let copies: { end: number; bytes: Buffer; state: Buffer }[] = [];

  const codeOf = (id: string) => ({
    id,
    slug: id.slice(0, 4),
    name: id,
    type: 'url' as const,
    destination: null,
    status: 'active' as const,
    created_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-01-01T00:00:00Z',
  });
  const service = {
    concurrency: 1,
    workspace: createWorkspace({ baseUrl: 'https://example.test/api/v1', apiKey: 'svc_live_a' }),
    listCodes: async () => ({
      rows: CODES.map(codeOf),
      total: CODES.length,
      serviceTimeMs: nowMs,
      limit: 100,
    }),
    async getCode(id: string) {
      if (!CODES.includes(id)) throw new NotFoundError('no such code');
      return codeOf(id);
    },
    listScans: (id: string, request: Parameters<ModelScans['read']>[0]) =>
      (models.get(id) as ModelScans).read(request),
    nowMs: () => nowMs,
    stats: () => ({ requests: 0, retries: 0, pauses: 0, pausedMs: 0 }),
    rateLimit: () => ({}),
  } as unknown as Service;
  const nothing = () => undefined;
  const context = {
    clock: { ...systemClock, now: () => nowMs },
    signal: new AbortController().signal,
    env: {},
    flags: { quiet: true },
    facts: {},
    files: createUsedFiles(),
    console: {
      isTerminal: false,
      note: nothing,
      warn: nothing,
      verbose: nothing,
      flush: async () => undefined,
      progress: () => ({ update: nothing, stop: nothing }),
      write: async () => undefined,
    },
    settings: async () => ({ timezone: 'UTC' }),
    connected: async () => ({ profile: 'default', apiKey: 'svc_live_a' }),
    service: async () => service,
  } as unknown as Context;

  const read = (path: string) => readFile(path).catch(() => undefined);
  const state = `${file}.state.json`;
  async function rowsIn(directory: string): Promise<LoggedRow[]> {
    const names = (await readdir(directory)).filter(
      (name) => name.startsWith('log.csv') && !name.endsWith('.json'),
    );
    const texts = await Promise.all(
      names.map(async (name) => plain(await readFile(join(directory, name))).toString()),
    );
    return texts.flatMap((text) => text.split('\n').slice(1, -1).map(parseRow));
  }
  const rotatedFiles = async () => (await readdir(log)).filter((name) => /^log\.csv\.\d+(\.gz)?$/.test(name));
  const numberOf = (name: string) => Number(/\.(\d+)/.exec(name)?.[1]);

  return {
    /** A scan that the service gets now. */
    scan(at: number, agoMs: number) {
      const code = CODES[at % CODES.length] ?? '';
      const row: ModelRow = { id: nextId++, time: Math.max(START_MS, nowMs - agoMs) };
      models.set(code, modelScans([...(models.get(code)?.state.rows ?? []), row]));
    },
    pass(ms: number) {
      nowMs += ms;
    },
    async append() {
      const options = { all: true, output: file, append: true, rotated: true } as const;
      await exportCommand.run(context, { args: [], options: options as Options<typeof exportCommand> });
      endMs = nowMs;
      copies.push({ end: nowMs, bytes: await readFile(file), state: await readFile(state) });
    },
    verify: (flags: { repair?: true }, input: string[] = [file]) =>
      verifyCommand.run(context, {
        args: [],
        options: { all: true, input, ...flags } as Options<typeof verifyCommand>,
      }),
    /** As logrotate does, with `compress` and `delaycompress`. */
    async rotate() {
      if (!(await read(file))) return;
      for (const name of (await rotatedFiles()).sort((a, b) => numberOf(b) - numberOf(a))) {
        const target = join(log, `log.csv.${numberOf(name) + 1}.gz`);
        const bytes = await readFile(join(log, name));
        await rm(join(log, name));
        await writeFile(target, name.endsWith('.gz') ? bytes : gzipSync(bytes));
      }
      await rename(file, join(log, 'log.csv.1'));
      copies = [];
    },
    /** Archives (or deletes, which a test looks at in the same way) the n-th of the rotated files, the newest first, or with -1 the log itself. */
    async remove(n: number) {
      const name = n < 0 ? 'log.csv' : (await rotatedFiles()).sort((a, b) => numberOf(a) - numberOf(b))[n];
      if (name === undefined || !(await read(join(log, name)))) return;
      if (n < 0) copies = [];
      await rename(join(log, name), join(archive, `log.csv-${++moved}`));
    },
    /** Puts older copies of the file, the state or both in place. Resolves to how to put back what was there; undefined if there is none. */
    async restore(what: 'file' | 'state' | 'both', n: number) {
      const copy = copies[n % Math.max(1, copies.length)];
      const [bytes, was] = [await read(file), await read(state)];
      if (!copy || !bytes || !was || bytes.equals(copy.bytes)) return undefined;
      if (what !== 'state') await writeFile(file, copy.bytes);
      if (what !== 'file') await writeFile(state, copy.state);
      if (what === 'both') {
        endMs = copy.end;
        copies = copies.slice(0, copies.indexOf(copy) + 1);
      }
      return async () => {
        await writeFile(file, bytes);
        await writeFile(state, was);
      };
    },
    /** The paths of archived files. */
    async archived(): Promise<string[]> {
      return (await readdir(archive)).map((name) => join(archive, name));
    },
    file,
    present: () => rowsIn(log),
    absent: () => rowsIn(archive),
    scans: () =>
      CODES.flatMap((code) =>
        ((models.get(code) as ModelScans).state.rows ?? []).map((row) => ({ code, ...row })),
      ),
    /** End of the range of each code that the state records; a run without new rows may record none, and the next one reads on from the newest row. */
    async endsMs(): Promise<ReadonlyMap<string, number>> {
      const { positions } = JSON.parse((await read(state))?.toString() ?? '{"positions":{}}');
      const ends = CODES.map((code): [string, number] => [code, positions[code]?.readUntilMs ?? 0]);
      for (const [, end] of ends)
        if (end > (endMs ?? 0)) throw new Error('the state records a range that was not read');
      return new Map(ends);
    },
  };
}

function plain(bytes: Buffer): Buffer {
  return bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes;
}

function parseRow(line: string): LoggedRow {
  const [code = '', , , id, ts = ''] = line.split(',');
  return { code, id: Number(id), time: Date.parse(ts) };
}
