/** Codes in memory, with everything that can go wrong between a POST and its answer, and other people at work on it. */
import { NotFoundError, PlanLimitError, RejectedError, UnavailableError } from '../../../src/base/errors.ts';
import { createServiceClock } from '../../../src/service/rate-limit/service-clock.ts';
import type { CodeChanges, NewCode, QrCode } from '../../../src/service/shapes.ts';
import type { FakeClock } from '../clock.ts';

export type Mishap =
  | 'none'
  /** The connection breaks before anything happens. */
  | 'drop'
  /** Applied, and the answer lost. */
  | 'applied'
  /** The answer is lost, and it is applied seconds later. */
  | 'late'
  /** 400. */
  | 'rejected'
  /** 403. */
  | 'full'
  /** The connection never opens. */
  | 'refused'
  /** 429: let through again by the client, which asks its hook once more. */
  | 'limited'
  /** A gateway sends it twice: applied both times, and answered once. */
  | 'repeated';

export interface ModelCode extends QrCode {
  /** The input row whose POST made it; 0: somebody else. */
  by: number;
  /** What the POST said. */
  sent: NewCode | QrCode;
}

export interface ModelCodesOptions {
  time: FakeClock;
  /** What the service's clock is ahead of the machine's wall clock, ms. */
  skewMs?: number;
  /** What happens to the n-th POST, from 0. */
  mishap?: (n: number, code: NewCode) => Mishap;
  latencyMs?: (n: number) => number;
  /** After how long the n-th POST takes effect where that is late. */
  lateMs?: (n: number) => number;
  /** What the clock of `created_at` is ahead of that of Date when the n-th code is made, ms. */
  createdSkewMs?: (n: number) => number;
  /** `created_at` without a fraction. */
  wholeSeconds?: boolean;
  /** Trims names and completes addresses, as services may. */
  tidies?: boolean;
  /** What the service makes of the values, beyond that. */
  alters?: (code: NewCode) => NewCode;
  /** The n-th listing comes from a replica that is so far behind. */
  listLagMs?: (n: number) => number;
  /** What `by` of a code is to be; by default the number in its name. */
  byOf?: (code: NewCode) => number;
}

export function modelCodes({
  time,
  skewMs = 0,
  mishap = () => 'none',
  latencyMs = () => 20,
  lateMs = () => 5000,
  createdSkewMs = () => 0,
  wholeSeconds = false,
  tidies = false,
  alters = (code) => code,
  listLagMs = () => 0,
  byOf = ({ name }) => Number(/\d+/.exec(name)?.[0] ?? -1),
}: ModelCodesOptions) {
  const codes: ModelCode[] = [];
  /** When codes became visible in listings and ceased to be, on the monotonic clock. */
  const born = new Map<ModelCode, number>();
  const gone = new Map<ModelCode, number>();
  const started = time.now() - time.monotonic();
  const serviceMs = () => started + skewMs + time.monotonic();
  let posts = 0;
  let lists = 0;
  let foreign = 0;
  let serviceClock = createServiceClock(time);

  /** The answer to a request sent at `sentAt`, half the way back. */
  function seeDate(sentAt: number) {
    const dateMs = Math.floor((serviceMs() - (time.monotonic() - sentAt) / 2) / 1000) * 1000;
    serviceClock.observe(dateMs, sentAt, time.monotonic());
  }
  function add(sent: NewCode | QrCode, by: number, atMs = serviceMs()): ModelCode {
    const { name, type = 'url', destination = null } = alters(sent as NewCode);
    const iso = new Date(atMs + createdSkewMs(born.size)).toISOString();
    const at = wholeSeconds ? iso.replace(/\.\d+/, '') : iso;
    const id = `00000000-0000-4000-8000-${String(born.size + 1).padStart(12, '0')}`;
    const tidy = tidies && destination && URL.canParse(destination) ? new URL(destination).href : destination;
    const code = { id, slug: `s${born.size + 1}`, name: tidies ? name.trim() : name, type, destination: tidy };
    const whole = { ...code, status: 'active', created_at: at, updated_at: at, by, sent };
    codes.push(whole);
    born.set(whole, time.monotonic());
    return whole;
  }
  /** Somebody deletes a code. */
  function remove(code: ModelCode): void {
    codes.splice(codes.indexOf(code), 1);
    gone.set(code, time.monotonic());
  }
  function listedAt(ms: number): ModelCode[] {
    return [...born.keys()].filter((code) => (born.get(code) ?? 0) <= ms && (gone.get(code) ?? Number.POSITIVE_INFINITY) > ms);
  }

  return {
    codes,
    add,
    remove,
    posts: () => posts,
    lists: () => lists,
    /** The row whose values a POST carries is known by its name: `row 7`. */
    async createCode(code: NewCode, beforeSend: () => Promise<void> = async () => undefined): Promise<QrCode> {
      await beforeSend();
      const n = posts++;
      const fate = mishap(n, code);
      if (fate === 'limited') {
        const sentAt = time.monotonic();
        await time.sleep(latencyMs(n));
        seeDate(sentAt);
        await beforeSend();
      }
      const sentAt = time.monotonic();
      const by = byOf(code);
      const trip = latencyMs(n) / 2;
      if (fate === 'late') time.at(time.monotonic() + lateMs(n), () => add(code, by));
      if (fate === 'repeated') {
        foreign += 1;
        add(code, by);
      }
      const applied = ['none', 'applied', 'limited', 'repeated'].includes(fate);
      const made: { code?: ModelCode } = {};
      if (applied) {
        time.at(time.monotonic() + trip, () => {
          made.code = add(code, by);
        });
      }
      await time.sleep(trip * 2);
      if (fate === 'rejected') throw new RejectedError('bad values', { status: 400, outcome: 'not-applied' });
      if (fate === 'full') throw new PlanLimitError('the plan is full', { status: 403, outcome: 'not-applied' });
      if (fate === 'refused') throw new UnavailableError('connection refused', { outcome: 'not-applied' });
      if (!made.code || fate === 'applied') throw new UnavailableError('the connection broke', { outcome: 'unknown' });
      seeDate(sentAt);
      return made.code;
    },
    /** `fate`: drop or applied lose the answer. */
    async updateCode(id: string, changes: CodeChanges, fate: Mishap = 'none'): Promise<QrCode> {
      const sentAt = time.monotonic();
      await time.sleep(latencyMs(0));
      const code = codes.find((other) => other.id === id);
      if (!code) throw new NotFoundError(`no code has the ID ${id}`);
      if (fate !== 'drop') Object.assign(code, changes);
      if (fate !== 'none') throw new UnavailableError('the connection broke', { outcome: 'unknown' });
      seeDate(sentAt);
      return { ...code };
    },
    async getCode(id: string): Promise<QrCode> {
      const code = codes.find((other) => other.id === id);
      if (!code) throw new NotFoundError(`no code has the ID ${id}`);
      return code;
    },
    async listCodes(): Promise<QrCode[]> {
      const lagMs = listLagMs(lists);
      lists += 1;
      const sentAt = time.monotonic();
      await time.sleep(latencyMs(0));
      seeDate(sentAt);
      return lagMs === 0 ? [...codes] : listedAt(time.monotonic() - lagMs);
    },
    async askClock(): Promise<void> {
      const sentAt = time.monotonic();
      await time.sleep(latencyMs(0));
      seeDate(sentAt);
    },
    externalRequests: () => foreign,
    /** Somebody else's requests are counted. */
    addForeign: (requests: number) => {
      foreign += requests;
    },
    msToClockSample: () => serviceClock.msToBestSample(),
    nowMs() {
      const now = serviceClock.nowMs();
      return now === undefined ? undefined : Math.floor(now);
    },
    /** A process started anew has seen no Date yet. */
    forget() {
      serviceClock = createServiceClock(time);
      foreign = 0;
    },
  };
}

export type ModelCodes = ReturnType<typeof modelCodes>;
