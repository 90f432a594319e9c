import { beforeEach, describe, expect, it } from 'vitest';
import { UsageError } from '#base/errors';
import { formatInstant } from '#base/time/time';
import { createAppendFile } from '#scans/append/add-rows';
import { type CodeOverlap, emptyOverlap } from '#scans/append/overlap';
import { fakeClock } from '../../support/clock.ts';
import type { MemoryDisk } from '../../support/memory-disk.ts';
import {
  CODE,
  createMemoryDisk,
  FILE,
  HOUR,
  idsIn,
  OTHER_CODE,
  openOn,
  rowsAt,
  run,
  START,
  STATE,
  type TestService,
  timedRows,
} from './runs.ts';

let memory: MemoryDisk;
let service: TestService;

const fileText = () => memory.read(FILE) ?? '';
const state = () => JSON.parse(memory.read(STATE) ?? '');
const ids = () => idsIn(fileText());

beforeEach(() => {
  memory = createMemoryDisk();
  service = { [CODE]: rowsAt(0, HOUR, 2 * HOUR, 3 * HOUR) };
});

describe('rows from the service', () => {
  it('are added if they arrive late with the time of the newest row, even with an overlap of zero', async () => {
    await run(memory, service, { overlapMs: 0 });
    service[CODE]?.push({ id: 9, time: START + 3 * HOUR });
    await run(memory, service, { overlapMs: 0 });
    expect(ids()).toEqual(['1', '2', '3', '4', '9']);
  });

  it('are compared with IDs that are read back from the file if the overlap became longer (A11)', async () => {
    await run(memory, service, { overlapMs: 0 });
    service[CODE]?.push({ id: 9, time: START + HOUR / 2 });
    expect(await run(memory, service, { overlapMs: 3 * HOUR })).toBe(1);
    expect(ids()).toEqual(['1', '2', '3', '4', '9']);
  });

  it('are dropped if the file contains them, whatever their age (A10)', async () => {
    service[CODE] = rowsAt(...Array.from({ length: 50 }, (_, i) => i * HOUR));
    await run(memory, service);
    const file = await openOn(memory, service, { overlapMs: 0 });
    const rows = service[CODE].map(({ id }) => ({ id }));
    const times = service[CODE].map(({ time }) => time);
    const sink = file.sinkOf(CODE);
    expect(await sink.write({ rows: rows.slice(40), times: times.slice(40) })).toBe(0);
    expect(await sink.write({ rows, times })).toBe(0);
    await file.commit();
    expect(ids()).toHaveLength(50);
  });

  it('are read again by the next run from the start of the period that the last run could not verify (A9)', async () => {
    await run(memory, service);
    const file = await openOn(memory, service, { overlapMs: 2 * HOUR });
    const sink = file.sinkOf(CODE);
    const rewind = await sink.checkpoint();
    expect(await rewind()).toBe(true);
    const time = START + 9 * HOUR;
    await sink.write({ rows: [{ id: 30, ts: '2026-01-01T09:00:00.000Z' }], times: [time] });
    await file.discard();
    service[CODE]?.push({ id: 30, time }, { id: 31, time: START + 1.5 * HOUR });
    const next = await openOn(memory, service);
    expect(next.sinkOf(CODE).sinceMs).toBe(START + HOUR);
    await next.discard();
    await run(memory, service);
    expect(ids()).toEqual(['1', '2', '3', '4', '30', '31']);
  });

  it('are all read again by the next run if no period was verified (A9)', async () => {
    const file = await openOn(memory, service);
    const sink = file.sinkOf(CODE);
    await (await sink.checkpoint())();
    await sink.write({ rows: [{ id: 4, ts: '2026-01-01T03:00:00.000Z' }], times: [START + 3 * HOUR] });
    await file.discard();
    const next = await openOn(memory, service);
    expect(next.sinkOf(CODE).sinceMs).toBeUndefined();
    expect(state().positions[CODE]).toMatchObject({ watermarkMs: START + 3 * HOUR, rows: 1 });
    await next.discard();
    expect(await run(memory, service)).toBe(3);
    expect(ids()).toEqual(['4', '1', '2', '3']);
  });

  it('are read again by the next run if their period was not verified, even if no row was new (A9)', async () => {
    await run(memory, service);
    await expect(run(memory, service, { overlapMs: 3 * HOUR, unproven: true })).rejects.toThrow(
      'does not add up',
    );
    const next = await openOn(memory, service);
    expect(next.sinkOf(CODE).sinceMs).toBe(START);
    await next.discard();
  });

  it("are committed with the service's time from its first response (A22)", async () => {
    let serviceMs: number | undefined;
    const file = await openOn(memory, service, { serviceNow: () => serviceMs });
    const sink = file.sinkOf(CODE);
    serviceMs = START + 5 * HOUR;
    await sink.write({ rows: [{ id: 4, ts: '2026-01-01T03:00:00.000Z' }], times: [START + 3 * HOUR] });
    await sink.commit();
    await file.commit();
    expect(state().positions[CODE].writtenAt.serviceMs).toBe(serviceMs);
  });

  it('are not committed again by a delayed commit if an earlier commit included them', async () => {
    let nowMs = 0;
    let wake = (): void => undefined;
    // A commit takes 1 ms, so that the next is due 9 ms after it.
    const sleep = () => new Promise<void>((resolve) => (wake = resolve));
    const file = await openOn(memory, service, {
      clock: { ...fakeClock(), monotonic: () => nowMs++, sleep },
    });
    const sink = file.sinkOf(CODE);
    const add = (id: number) =>
      sink.write({ rows: [{ id, ts: '2026-01-01T00:00:00.000Z' }], times: [START] });
    await add(1);
    await add(2);
    nowMs = 100;
    await add(3);
    memory.revive();
    wake();
    await new Promise((resolve) => setImmediate(resolve));
    expect(memory.steps()).toBe(0);
    await file.discard();
    expect(ids()).toEqual(['1', '2', '3']);
  });

  it('are distinguished by their IDs, even by IDs beyond 2^53', async () => {
    service[CODE] = [9007199254740992n, 9007199254740993n].map((id) => ({ id, time: START }));
    await run(memory, service);
    service[CODE].push({ id: 9007199254740994n, time: START });
    expect(await run(memory, service)).toBe(1);
    expect(ids()).toEqual(['9007199254740992', '9007199254740993', '9007199254740994']);
  });

  it('are read again by the next run after a rewind, even if no row was written after the rewind (A9)', async () => {
    const file = await openOn(memory, service);
    const sink = file.sinkOf(CODE);
    const rewind = await sink.checkpoint();
    await sink.write({ rows: [{ id: 4, ts: '2026-01-01T03:00:00.000Z' }], times: [START + 3 * HOUR] });
    await rewind();
    await file.discard();
    const next = await openOn(memory, service);
    expect(next.sinkOf(CODE).sinceMs).toBeUndefined();
    await next.discard();
  });

  it('are not confused with rows of another code when IDs are read back (A11)', async () => {
    service = {
      [CODE]: rowsAt(0, HOUR),
      [OTHER_CODE]: rowsAt(0, HOUR).map((row) => ({ ...row, id: Number(row.id) + 100 })),
    };
    await run(memory, service, { overlapMs: 0 });
    service[CODE]?.push({ id: 101, time: START });
    expect(await run(memory, service, { overlapMs: 9 * HOUR })).toBe(1);
    expect(ids()).toEqual(['1', '2', '101', '102', '101']);
  });

  it('are dropped if the file contains them, even if more than 10,000 IDs must be read back (A11)', async () => {
    service[CODE] = rowsAt(...Array.from({ length: 10_100 }, (_, i) => i));
    await run(memory, service, { overlapMs: 10, pageRows: 5000 });
    const file = await openOn(memory, service, { overlapMs: 10 });
    const sink = file.sinkOf(CODE);
    const page = (from: number, to: number, more: TestService[string] = []) => {
      const rows = [...(service[CODE] ?? []).slice(from, to), ...more];
      return {
        rows: rows.map(({ id }) => ({ id, ts: '2026-01-01T00:00:00.000Z' })),
        times: rows.map(({ time }) => time),
      };
    };
    expect(await sink.write(page(0, 100, [{ id: 99_999, time: START + 50 }]))).toBe(1);
    expect(await sink.write(page(100, 10_100))).toBe(0);
    await file.discard();
  });
});

describe('a file without its state', () => {
  it('gets no new rows if the service does not return the newest row in the file for the code (A13)', async () => {
    await run(memory, service);
    memory.remove(STATE);
    const before = fileText();
    const newer = { [OTHER_CODE]: rowsAt(7 * HOUR, 8 * HOUR, 9 * HOUR) };
    await expect(run(memory, newer)).rejects.toThrow(
      'does not return the newest row in the file for this code',
    );
    await expect(run(memory, { [OTHER_CODE]: [] })).rejects.toThrow(UsageError);
    await expect(run(memory, { [OTHER_CODE]: rowsAt(2 * HOUR, 2.2 * HOUR) })).rejects.toThrow(UsageError);
    expect(fileText()).toBe(before);
    expect(memory.names()).toEqual([FILE]);
  });

  it('gets all missing rows, even rows older than its newest row, once the service has returned that row (A13)', async () => {
    await run(memory, service);
    memory.remove(STATE);
    service[CODE]?.push({ id: 9, time: START + 2.5 * HOUR }, { id: 10, time: START + 4 * HOUR });
    expect(await run(memory, service, { pageRows: 1 })).toBe(2);
    expect(ids()).toEqual(['1', '2', '3', '4', '9', '10']);
  });

  it('is refused if the first row that the service returns is newer than the newest row in the file (A13)', async () => {
    await run(memory, service);
    memory.remove(STATE);
    const file = await openOn(memory, service);
    const newer = { rows: [{ id: 9, ts: '2026-01-02T00:00:00.000Z' }], times: [START + 24 * HOUR] };
    await expect(file.sinkOf(CODE).write(newer)).rejects.toThrow(UsageError);
    await file.discard();
  });

  it('is refused if a newer row arrives before its newest row, but not if a row with the same time does (A13)', async () => {
    await run(memory, service);
    memory.remove(STATE);
    const row = (id: number, time: number) => ({ id, ts: formatInstant(START + time), time: START + time });
    const batch = (...rows: ReturnType<typeof row>[]) => ({ rows, times: rows.map(({ time }) => time) });
    const refused = await openOn(memory, service);
    await expect(refused.sinkOf(CODE).write(batch(row(9, HOUR), row(10, 9 * HOUR)))).rejects.toThrow(
      UsageError,
    );
    await refused.discard();
    const file = await openOn(memory, service);
    const sink = file.sinkOf(CODE);
    expect(await sink.write(batch(row(9, 3 * HOUR)))).toBe(0);
    expect(await sink.write(batch(row(4, 3 * HOUR)))).toBe(1);
    expect(await sink.write(batch(row(10, 9 * HOUR)))).toBe(1);
    await file.commit();
    expect(ids()).toEqual(['1', '2', '3', '4', '9', '10']);
  });

  it('gets no new rows if the service returns a row with the ID of its newest row but another time, or vice versa (A13)', async () => {
    await run(memory, service);
    const before = fileText();
    for (const [id, time] of [
      [5, 3 * HOUR],
      [4, 2.9 * HOUR],
    ] as const) {
      memory.remove(STATE);
      const failing = run(memory, { [CODE]: [{ id, time: START + time }] });
      await expect(failing).rejects.toThrow(
        'its state file is missing or damaged, and the service does not return the newest row in the file for this code',
      );
      expect(fileText()).toBe(before);
    }
  });
});

it('noteGone records a code of the file as deleted until a run reads the code, and returns whether it was recorded before', async () => {
  await run(memory, service);
  const gone = async (...codes: string[]) => {
    const file = await openOn(memory, service);
    const known = codes.map((code) => file.noteGone(code));
    await file.commit();
    return [known, state().positions[CODE].isGone];
  };
  expect(await gone(OTHER_CODE)).toEqual([[undefined], undefined]);
  expect(await gone(CODE, CODE)).toEqual([[false, true], true]);
  expect(await gone(CODE)).toEqual([[true], true]);
  await run(memory, service);
  expect(await gone()).toEqual([[], undefined]);
});

describe("a writer of one code's rows", () => {
  const row = { id: 9, ts: '2026-01-02T00:00:00.000Z' };
  const batch = { rows: [row], times: [START + 24 * HOUR] };

  it('counts only the rows that the file does not contain', async () => {
    await run(memory, service);
    const file = await openOn(memory, service);
    const sink = file.sinkOf(CODE);
    const again = {
      rows: [{ id: 4 }, row, row],
      times: [START + 3 * HOUR, START + 24 * HOUR, START + 24 * HOUR],
    };
    expect(await sink.write(again)).toBe(1);
    expect(await sink.write(again)).toBe(0);
    expect(sink.added()).toBe(1);
    await file.commit();
    expect(file.path).toBe(FILE);
  });

  it('releases the lock on commit or discard if no other code follows', async () => {
    let released = 0;
    const lock = async () => ({ release: async () => void released++ });
    const own = (await openOn(memory, service, { lock })).sinkOf(CODE, true);
    await own.write(batch);
    await own.commit();
    expect(released).toBe(1);
    await own.discard();
    expect(released).toBe(1);
    const failed = (await openOn(memory, service, { lock })).sinkOf(CODE, true);
    await failed.write({ rows: [{ ...row, id: 10 }], times: batch.times });
    await failed.discard();
    expect(released).toBe(2);
    expect(ids()).toEqual(['9', '10']);
  });

  it('keeps the lock and accepts more rows if other codes follow', async () => {
    let released = 0;
    const file = await openOn(memory, service, {
      lock: async () => ({ release: async () => void released++ }),
    });
    const sink = file.sinkOf(CODE);
    await sink.write(batch);
    await sink.commit();
    await sink.discard();
    expect(released).toBe(0);
    expect(await file.sinkOf(CODE).write({ rows: [{ ...row, id: 10 }], times: batch.times })).toBe(1);
    await file.discard();
    expect(ids()).toEqual(['9', '10']);
  });
});

describe('the contents of the file', () => {
  it('are reported as of the last commit, with row count, newest time, and number of rows that this run added', async () => {
    service = { [CODE]: rowsAt(0, HOUR), [OTHER_CODE]: rowsAt(0, 3 * HOUR, 2 * HOUR) };
    const first = await openOn(memory, service, { restart: true });
    const empty = { rows: 0, watermarkMs: undefined };
    expect(first.contents()).toEqual({ ...empty, added: 0 });
    for (const [code, rows] of Object.entries(service)) {
      const sink = first.sinkOf(code);
      await sink.write(timedRows(rows, code));
      await sink.commit();
    }
    expect(first.contents()).toEqual({ ...empty, added: 0 });
    await first.commit();
    const all = { rows: 5, watermarkMs: START + 3 * HOUR };
    expect(first.contents()).toEqual({ ...all, added: 5 });
    const next = await openOn(memory, service);
    expect(next.contents()).toEqual({ ...all, added: 0 });
    await next.discard();
  });
});

/** What has no single end, as a dataset: rows are known by their code, and what it was asked. */
function startParts({ restart = true, overlap }: { restart?: boolean; overlap?: CodeOverlap } = {}) {
  const asked: unknown[] = [];
  const overlaps = new Map(overlap ? [[CODE, overlap]] : []);
  const file = createAppendFile({
    path: '/data/lake',
    overlapMs: HOUR,
    restart,
    clock: fakeClock({ wallMs: START }),
    committed: { overlaps, sinceMs: undefined, isSaved: !restart, proof: undefined },
    lock: { release: async () => {} },
    tail: {
      write: async (code, { times }) => asked.push(['write', code, times]) < 0,
      commit: async (last) => void asked.push(['commit', last]),
      replace: async () => void asked.push(['replace']),
      drop: async (code) => void asked.push(['drop', code]),
      readBack: async (_, fromMs) => void asked.push(['read', fromMs]),
      keepsState: () => true,
      isStamped: () => true,
      close: async () => {},
    },
  });
  return { asked, overlaps, sink: file.sinkOf(CODE), file };
}

describe('rows in storage that can drop all rows for one code', () => {
  const rows = timedRows(rowsAt(0, HOUR));
  const written = ['write', CODE, rows.times];

  it('are dropped by a rewind during a --restart, and can then be written again', async () => {
    const { asked, overlaps, sink, file } = startParts();
    const rewind = await sink.checkpoint();
    await sink.write(rows);
    expect(await rewind()).toBe(true);
    expect(sink.added()).toBe(0);
    expect([...overlaps]).toEqual([]);
    expect(await sink.write(rows)).toBe(2);
    await sink.commit();
    await sink.discard();
    await file.commit();
    expect(asked).toEqual([written, ['drop', CODE], written, ['replace']]);
    expect(await rewind()).toBe(true);
    expect(asked).toHaveLength(4);
  });

  it('are dropped during a --restart if the code was not read to the end', async () => {
    const { asked, sink } = startParts();
    await sink.write(rows);
    await sink.discard();
    expect(asked).toEqual([written, ['drop', CODE]]);
  });

  it('are kept by a rewind during an append, and the next run reads them again (A9)', async () => {
    const { asked, overlaps, sink } = startParts({ restart: false });
    const rewind = await sink.checkpoint();
    await sink.write(rows);
    expect(await rewind()).toBe(true);
    await sink.discard();
    expect(asked).toEqual([written]);
    expect(overlaps.get(CODE)?.rereadFromMs).toBe(Number.NEGATIVE_INFINITY);
  });
});

it('IDs are read back from the start of the overlap if a row is older than all rows whose IDs are known (A11)', async () => {
  const overlap = {
    ...emptyOverlap(),
    watermarkMs: START + 9 * HOUR,
    rows: 1,
    idsFromMs: START + 8.5 * HOUR,
  };
  const { asked, sink } = startParts({ restart: false, overlap });
  await sink.write(timedRows(rowsAt(8.5 * HOUR)));
  expect(asked).toEqual([['write', CODE, [START + 8.5 * HOUR]]]);
  await sink.write(timedRows([{ id: 2, time: START + 8.4 * HOUR }]));
  expect(asked[1]).toEqual(['read', START + 8 * HOUR]);
});
