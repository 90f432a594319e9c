import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AppendLog } from '../../src/durable/append-log.ts';
import { PlanLimitError, UnavailableError } from '../../src/errors.ts';
import { type CreateJob, createRows } from '../../src/once/create-rows.ts';
import type { JournalRecord, NewRow } from '../../src/once/journal.ts';
import { LANDING_MS } from '../../src/once/landing-delay.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { type Mishap, type ModelCodes, type ModelCodesOptions, modelCodes } from '../support/model-service/codes.ts';
import { runs } from '../support/property-runs.ts';

/** Thrown by a journal whose process is killed. */
class Killed extends Error {}

/** Rows named `row N`; `alike` gives a row the values of an earlier one. */
function rowsOf(count: number, alike: (row: number) => number = (row) => row): NewRow[] {
  return Array.from({ length: count }, (_, index) => {
    const code = { name: `row ${alike(index + 1)}`, destination: 'https://example.com' };
    return { row: index + 1, line: index + 2, values: new Map(), code };
  });
}

/** A journal in memory. Killed: nothing more reaches the disk, and no promise of it is kept. */
function memoryJournal(
  disk: JournalRecord[],
  killAtAppend = Number.POSITIVE_INFINITY,
  writtenThen = false,
): AppendLog<JournalRecord> {
  let appends = 0;
  return {
    found: [...disk],
    async append(records) {
      appends += 1;
      if (appends < killAtAppend || (appends === killAtAppend && writtenThen)) disk.push(...structuredClone(records));
      if (appends >= killAtAppend) throw new Killed();
    },
    close: async () => undefined,
  };
}

interface World {
  time: FakeClock;
  service: ModelCodes;
  disk: JournalRecord[];
}

function worldOf(options: Partial<ModelCodesOptions> = {}): World {
  const time = fakeClock({ wallMs: Date.UTC(2026, 4, 1) });
  return { time, service: modelCodes({ time, ...options }), disk: [] };
}

interface RunOptions extends Partial<Pick<CreateJob, 'failFast' | 'concurrency' | 'onEvent' | 'signal' | 'decisions'>> {
  journal?: AppendLog<JournalRecord>;
}

async function run({ time, service, disk }: World, rows: readonly NewRow[], options: RunOptions = {}) {
  service.forget();
  const { journal = memoryJournal(disk), ...given } = options;
  const job: CreateJob = {
    rows,
    journalPath: 'codes.results.csv.journal',
    openLog: async <R extends { is: string }>() => journal as unknown as AppendLog<R>,
    service: { ...service, baseUrl: 'https://qr.example/api/v1' },
    listCodes: service.listCodes,
    askClock: service.askClock,
    clock: time,
    uptimeMs: () => 5000 + time.monotonic(),
    signal: new AbortController().signal,
    concurrency: 4,
    failFast: false,
    skipExisting: false,
    decisions: { adopt: [], notCreated: [] },
    onEvent: () => undefined,
    ...given,
  };
  const end = await time.run(createRows(job));
  const undecided = end.rows.filter(({ candidates }) => candidates.length > 0);
  return { ...end, undecided, states: end.rows.map(({ state }) => state) };
}

const done = { stop: undefined, undecided: [] };
const namesOf = ({ service }: World) => service.codes.map(({ name }) => name).sort();

describe('when nothing goes wrong', () => {
  it('sends one request a row and reads nothing', async () => {
    const world = worldOf();
    const end = await run(world, rowsOf(20));
    expect(end).toMatchObject(done);
    expect(end.states).toEqual(Array(20).fill('created'));
    expect([world.service.posts(), world.service.lists()]).toEqual([20, 0]);
  });

  it('sends nothing at all when everything was done before', async () => {
    const world = worldOf();
    await run(world, rowsOf(3));
    const end = await run(world, rowsOf(3));
    expect(end).toMatchObject(done);
    expect([world.service.posts(), world.service.lists()]).toEqual([3, 0]);
  });

  it('creates identical rows as often as they occur', async () => {
    const world = worldOf();
    await run(
      world,
      rowsOf(4, () => 1),
    );
    expect(namesOf(world)).toEqual(Array(4).fill('row 1'));
  });
});

describe('when answers are lost', () => {
  const only =
    (mishap: Mishap, ...posts: number[]) =>
    (n: number): Mishap =>
      posts.includes(n) ? mishap : 'none';

  it('adopts a code that was created after all', async () => {
    const world = worldOf({ mishap: only('applied', 2) });
    const end = await run(world, rowsOf(5));
    expect(end).toMatchObject(done);
    expect(end.rows[2]).toMatchObject({ state: 'adopted', id: world.service.codes.find(({ by }) => by === 3)?.id });
    expect([world.service.posts(), world.service.lists()]).toEqual([5, 1]);
  });

  it('sends a row again that certainly created none', async () => {
    const world = worldOf({ mishap: only('drop', 0, 3) });
    const end = await run(world, rowsOf(5));
    expect(end).toMatchObject(done);
    expect(namesOf(world)).toEqual(['row 1', 'row 2', 'row 3', 'row 4', 'row 5']);
    expect(world.service.posts()).toBe(7);
  });

  it('waits for a write that lands seconds late', async () => {
    const world = worldOf({ mishap: only('late', 4), lateMs: 8000 });
    const end = await run(world, rowsOf(5));
    expect(end).toMatchObject(done);
    expect(world.service.codes).toHaveLength(5);
  });

  it('never adopts an older code with the same values', async () => {
    const world = worldOf({ mishap: only('drop', 0, 1, 2) });
    const [row] = rowsOf(1);
    const old = row && world.service.add(row.code, 0, world.time.now() - 4000);
    const end = await run(world, rowsOf(3));
    expect(end).toMatchObject(done);
    expect(end.rows.map(({ id }) => id)).not.toContain(old?.id);
    expect(world.service.codes).toHaveLength(4);
  });

  it('not even one made a moment before, by a file of one row whose request was lost', async () => {
    const world = worldOf({ mishap: only('drop', 0), skewMs: 777 });
    const [row] = rowsOf(1);
    const old = row && world.service.add(row.code, 0, world.time.now() + 777 - 300);
    const end = await run(world, rowsOf(1));
    // The service's clock and that of its answers might differ: a person decides.
    expect(end.undecided).toMatchObject([{ row: 1, candidates: [{ id: old?.id }] }]);
    expect(end.rows[0]?.state).toBe('unknown');
  });

  it('also where the service shows whole seconds, or tidies what it is sent', async () => {
    for (const options of [{ wholeSeconds: true }, { tidies: true }]) {
      const world = worldOf({ ...options, mishap: only('applied', 0, 2) });
      const end = await run(world, rowsOf(4));
      expect(end).toMatchObject(done);
      expect(world.service.codes).toHaveLength(4);
    }
  });

  it('leaves it to a person when somebody else created the same at the same time', async () => {
    const world = worldOf({ mishap: only('applied', 1) });
    const rows = rowsOf(2);
    world.time.at(45, () => world.service.add({ name: 'row 2', destination: 'https://example.com' }, 0));
    const end = await run(world, rows);
    expect(end.undecided).toMatchObject([{ row: 2, candidates: [{ name: 'row 2' }, { name: 'row 2' }] }]);
    expect(end.rows[1]?.state).toBe('unknown');
    expect(world.service.posts()).toBe(2);
  });

  it('gives a row up after some rounds, and does the others', async () => {
    const world = worldOf({ mishap: (_, { name }) => (name === 'row 2' ? 'drop' : 'none') });
    const end = await run(world, rowsOf(3));
    expect(end.stop).toBeUndefined();
    expect(end.states).toEqual(['created', 'open', 'created']);
  });

  it('stops when every answer is lost, having sent few rows', async () => {
    const world = worldOf({ mishap: () => 'drop' });
    const end = await run(world, rowsOf(100));
    expect(end.stop).toBeInstanceOf(UnavailableError);
    expect(world.service.posts()).toBeLessThan(70);
  });

  it('goes on when every answer is lost but every code created', async () => {
    const world = worldOf({ mishap: () => 'applied' });
    const end = await run(world, rowsOf(35));
    expect(end).toMatchObject(done);
    expect(world.service.codes).toHaveLength(35);
  });

  it('settles rows of a killed run no sooner than if it had just died', async () => {
    const world = worldOf({ mishap: only('late', 0), lateMs: LANDING_MS - 1000, latencyMs: () => 50 });
    const journal = memoryJournal(world.disk, 3);
    await expect(run(world, rowsOf(1), { journal })).rejects.toThrow(Killed);
    const end = await run(world, rowsOf(1));
    expect(end).toMatchObject(done);
    expect(world.service.codes).toHaveLength(1);
  });
});

describe('when there is a reason to stop', () => {
  const fullFrom = (post: number) => (n: number) => (n >= post ? ('full' as const) : ('none' as const));

  it('sends nothing after the plan is full, and the rest once it is not', async () => {
    let full = true;
    const world = worldOf({ mishap: (n) => (full && n >= 10 ? 'full' : 'none') });
    const first = await run(world, rowsOf(30));
    expect(first.stop).toBeInstanceOf(PlanLimitError);
    expect(first.stopRow).toBe(11);
    expect(world.service.posts()).toBeLessThanOrEqual(14);
    full = false;
    const sent = world.service.posts();
    const end = await run(world, rowsOf(30));
    expect(end).toMatchObject(done);
    expect(world.service.posts() - sent).toBe(20);
    expect(world.service.codes).toHaveLength(30);
  });

  it('keeps back rows that wait for the rate limit when the stop comes', async () => {
    const world = worldOf({ mishap: fullFrom(0) });
    const waiting = world.service.createCode;
    world.service.createCode = async (code, beforeSend) => {
      if (code.name !== 'row 1') await world.time.sleep(60_000);
      return waiting(code, beforeSend);
    };
    await run(world, rowsOf(8));
    expect(world.service.posts()).toBe(1);
  });

  it('keeps back also the row that the limiter lets through the moment the stop is answered', async () => {
    const world = worldOf({ mishap: fullFrom(0), latencyMs: () => 0 });
    const create = world.service.createCode;
    let answered = () => {};
    const gate = new Promise<void>((resolve) => {
      answered = resolve;
    });
    world.service.createCode = async (code, beforeSend) => {
      if (code.name === 'row 1') return create(code, beforeSend).finally(answered);
      await gate;
      return create(code, beforeSend);
    };
    const journal = memoryJournal(world.disk);
    const slow = {
      ...journal,
      append: (records: readonly JournalRecord[]) => world.time.sleep(5).then(() => journal.append(records)),
    };
    await run(world, rowsOf(8), { journal: slow });
    expect(world.service.posts()).toBe(1);
  });

  it('fails a rejected row only, unless told to fail fast', async () => {
    const rejected = (_: number, { name }: { name: string }): Mishap => (name === 'row 2' ? 'rejected' : 'none');
    const world = worldOf({ mishap: rejected });
    const all = await run(world, rowsOf(9));
    expect(all).toMatchObject(done);
    expect(all.rows[1]?.state).toBe('rejected');
    expect(world.service.posts()).toBe(9);

    const fast = worldOf({ mishap: rejected });
    await run(fast, rowsOf(9), { failFast: true, concurrency: 1 });
    expect(fast.service.posts()).toBe(2);
  });

  it('takes what is in flight at an interruption for unknown, and finds it in the next run', async () => {
    const world = worldOf();
    const controller = new AbortController();
    const create = world.service.createCode;
    world.service.createCode = (code, beforeSend) =>
      Promise.race([
        create(code, beforeSend),
        new Promise<never>((_, reject) => controller.signal.addEventListener('abort', () => reject(controller.signal.reason))),
      ]);
    world.time.at(25, () => controller.abort(new Error('interrupted')));
    const end = await run(world, rowsOf(12), { signal: controller.signal });
    expect(end.stop).toMatchObject({ message: 'interrupted' });
    world.service.createCode = create;
    expect(await run(world, rowsOf(12))).toMatchObject(done);
    expect(world.service.codes).toHaveLength(12);
  });
});

describe('whatever happens', () => {
  const mishaps = fc.array(
    fc.oneof(
      { weight: 6, arbitrary: fc.constant<Mishap>('none') },
      { weight: 4, arbitrary: fc.constantFrom<Mishap>('drop', 'applied', 'late', 'limited', 'refused') },
    ),
    { minLength: 30, maxLength: 30 },
  );
  const kills = fc.array(fc.record({ at: fc.integer({ min: 1, max: 30 }), written: fc.boolean() }), { maxLength: 6 });

  /** Runs until nothing is left to send, with `kills` on the way; what was given up is tried again. */
  async function runToTheEnd(world: World, rows: readonly NewRow[], kills: readonly { at: number; written: boolean }[]) {
    for (const { at, written } of kills) {
      await run(world, rows, { journal: memoryJournal(world.disk, at, written) }).catch((error) => {
        if (!(error instanceof Killed)) throw error;
      });
      await world.time.run(world.time.sleep(300));
    }
    for (let again = 0; ; again++) {
      const last = await run(world, rows);
      const givenUp = last.states.includes('open');
      if ((last.stop === undefined && !givenUp) || again > 40) return last;
    }
  }

  interface Story {
    count: number;
    /** Rows share values with the rows this far apart. */
    variety: number;
    mishaps: readonly Mishap[];
    kills: readonly { at: number; written: boolean }[];
    skewMs: number;
    latencyMs: readonly number[];
    wholeSeconds: boolean;
    tidies: boolean;
    /** Codes with the values of a row that were there before. */
    old: readonly { of: number; ageMs: number }[];
    /** Codes with the values of a row that somebody else creates meanwhile. */
    others: readonly { of: number; atMs: number }[];
    /** Settings of the machine's wall clock meanwhile. */
    jumps: readonly { atMs: number; byMs: number }[];
  }

  const values = fc.integer({ min: 1, max: 6 });
  const calm = {
    count: fc.integer({ min: 1, max: 12 }),
    variety: values,
    mishaps,
    kills,
    skewMs: fc.constantFrom(0, 86_400_000, -86_400_000, 333),
    latencyMs: fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 7, maxLength: 7 }),
    wholeSeconds: fc.boolean(),
    tidies: fc.boolean(),
    old: fc.array(fc.record({ of: values, ageMs: fc.integer({ min: 5000, max: 10 ** 9 }) }), { maxLength: 4 }),
    others: fc.constant([]),
    jumps: fc.array(fc.record({ atMs: fc.integer({ min: 0, max: 3000 }), byMs: fc.constantFrom(-7_200_000, -1500, 3_600_000) }), {
      maxLength: 2,
    }),
  };

  /** Plays a story to its end; where the engine asks, a person who knows answers. */
  async function play(story: Story) {
    const { count, skewMs, mishaps, latencyMs, old, others, jumps, ...service } = story;
    const world = worldOf({
      ...service,
      skewMs,
      mishap: (n) => mishaps[n % 30] ?? 'none',
      latencyMs: (n) => latencyMs[n % 7] ?? 1,
    });
    const rows = rowsOf(count, (row) => ((row - 1) % story.variety) + 1);
    const like = (of: number) => ({ name: `row ${of}`, destination: 'https://example.com' });
    const before = new Set(old.map(({ of, ageMs }) => world.service.add(like(of), 0, world.time.now() + skewMs - ageMs).id));
    for (const { of, atMs } of others) world.time.at(atMs, () => world.service.add(like(of), 0));
    for (const { atMs, byMs } of jumps) world.time.at(atMs, () => world.time.jump(byMs));

    let end = await runToTheEnd(world, rows, story.kills);
    for (let turn = 0; end.undecided.length > 0 && turn < 30; turn++) {
      const claimed = new Set(end.rows.map(({ id }) => id));
      const own = new Set(world.service.codes.filter(({ by, id }) => by > 0 && !claimed.has(id)).map(({ id }) => id));
      const adopt: { row: number; id: string }[] = [];
      const notCreated: number[] = [];
      for (const { row, candidates } of end.undecided) {
        const mine = candidates.find(({ id }) => own.delete(id));
        if (mine) adopt.push({ row, id: mine.id });
        else notCreated.push(row);
      }
      await run(world, rows, { decisions: { adopt, notCreated } });
      end = await runToTheEnd(world, rows, []);
    }
    const ids = end.rows.map(({ id }) => id);
    expect(ids).not.toContain(undefined);
    expect(new Set(ids).size).toBe(count);
    expect(ids.filter((id) => before.has(id ?? ''))).toEqual([]);
    return { world, ids, before };
  }

  const MANY = runs(1000);

  it('holds each row exactly once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.record(calm), async (story) => {
        const { world, before } = await play(story);
        expect(world.service.codes).toHaveLength(story.count + before.size);
      }),
      MANY,
    );
  }, 300_000);

  it('has a row for each code it created, whoever else creates the same meanwhile', async () => {
    const others = fc.array(fc.record({ of: values, atMs: fc.integer({ min: 0, max: 30_000 }) }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.record({ ...calm, others }), async (story) => {
        const { world, ids } = await play(story);
        expect(world.service.codes.filter(({ id, by }) => by > 0 && !ids.includes(id))).toEqual([]);
      }),
      MANY,
    );
  }, 300_000);
});
