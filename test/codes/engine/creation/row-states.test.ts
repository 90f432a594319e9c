import { describe, expect, it } from 'vitest';
import type { JournalRecord, Stamp } from '../../../../src/codes/engine/creation/journal-records.ts';
import { openStates, replay } from '../../../../src/codes/engine/creation/row-states.ts';
import { fakeClock } from '../../../support/clock.ts';

const at = (t: number, s?: number): Stamp => ({ t, w: 100_000 + t, b: 5000 + t, ...(s !== undefined && { s }) });
const session: JournalRecord = { is: 'session', ...at(0) };
const intent = (t: number): JournalRecord => ({ is: 'intent', row: 1, ...at(t) });
const lost = (t: number, s?: number): JournalRecord => ({ is: 'unknown', row: 1, error: 'lost', ...at(t, s) });
const absent = (word: boolean, ...before: string[]): JournalRecord => ({ is: 'absent', row: 1, before, word, ...at(9000) });

const stateAfter = (...records: JournalRecord[]) => replay([session, ...records], 1).of(1);

describe('a row', () => {
  it('is open until it is sent', () => {
    expect(stateAfter()).toEqual({ row: 1, state: 'open', attempts: [], foreign: [] });
  });

  it('is unknown from its intent on, whatever becomes of the process (O4)', () => {
    expect(stateAfter(intent(10))).toMatchObject({ state: 'unknown', attempts: [{ t: 10, w: 100_010, b: 5010, session: 0 }] });
    expect(stateAfter(intent(10), lost(30, 77))).toMatchObject({ error: 'lost', attempts: [{ t: 10, end: { t: 30, s: 77 } }] });
    expect(stateAfter(lost(30))).toMatchObject({ error: 'lost', attempts: [] });
  });

  it('has one attempt more for each run that sent it, and one only where the limiter held it up', () => {
    expect(stateAfter(intent(10), intent(60)).attempts).toMatchObject([{ t: 60 }]);
    expect(stateAfter(intent(10), session, intent(60)).attempts).toMatchObject([
      { t: 10, session: 0 },
      { t: 60, session: 1 },
    ]);
    // Looked for and not found: a write of the first may still land.
    expect(stateAfter(intent(10), lost(20), absent(false), intent(60)).attempts).toMatchObject([{ t: 10 }, { t: 60 }]);
  });

  it('has all requests but the answered one when it is created (O20)', () => {
    const sent = [10, 20, 30].flatMap((t) => [session, intent(t)]);
    const created: JournalRecord = { is: 'created', row: 1, id: 'x', slug: 's', at: 'soon', ...at(40) };
    expect(stateAfter(...sent, created).attempts).toMatchObject([{ t: 10 }, { t: 20 }]);
  });

  it('keeps its code if its values name another, which the journal knows from then on', () => {
    const created: JournalRecord = { is: 'created', row: 1, id: 'x', slug: 's', at: 'soon', ...at(40) };
    const seen: JournalRecord = { is: 'entries', first: 1, seen: [{ all: 'a', name: 'n', id: 'y', slug: 't' }] };
    const states = replay([session, intent(10), created, seen], 1);
    expect(states.of(1)).toMatchObject({ state: 'created', id: 'x' });
    expect([states.knows('x'), states.knows('y'), states.ownerOf('y')]).toEqual([true, true, undefined]);
  });

  it.each(['created', 'adopted', 'exists'] as const)('is done when it is %s', (is) => {
    const end = { row: 1, id: 'x', slug: 's', ...at(50) };
    const record: JournalRecord = is === 'created' ? { is, ...end, at: 'soon' } : { is, ...end };
    const states = replay([session, intent(10), lost(20), record], 2);
    expect(states.of(1)).toMatchObject({ state: is, id: 'x', slug: 's', error: undefined });
    expect([...states.claimedIds()]).toEqual(['x']);
  });

  it('has the code that it was given last: the one before is nobody’s', () => {
    const adopted = (id: string): JournalRecord => ({ is: 'adopted', row: 1, id, slug: 's', ...at(50) });
    const states = replay([session, intent(10), lost(20), adopted('x'), adopted('y')], 1);
    expect([...states.claimedIds()]).toEqual(['y']);
  });

  it('may be sent again after an answer that certainly created nothing; what it was is kept', () => {
    const refused = (is: 'rejected' | 'refused'): JournalRecord => ({ is, row: 1, error: 'no', ...at(20) });
    expect(stateAfter(intent(10), refused('rejected'))).toMatchObject({ state: 'rejected', error: 'no', attempts: [] });
    expect(stateAfter(intent(10), refused('refused'))).toMatchObject({ state: 'open', error: 'no', attempts: [] });
    expect(stateAfter(intent(10), refused('refused'), intent(30))).toMatchObject({ state: 'unknown', error: undefined });
    expect(stateAfter(intent(10), lost(15), session, intent(18), refused('refused')).attempts).toMatchObject([
      { t: 10, session: 0 },
    ]);
  });

  it('may be sent again when it is not in the listing; codes that are not its own are remembered (O11)', () => {
    const twice = stateAfter(intent(10), lost(20), absent(false, 'a'), intent(30), lost(40), absent(false, 'b'));
    expect(twice).toMatchObject({ state: 'open', error: 'lost', foreign: [new Set(['a']), new Set(['b'])] });
    expect(twice.attempts).toHaveLength(2);
  });

  it('may be sent by a person’s word; what is in flight still is not forgotten (O13)', () => {
    expect(stateAfter(intent(10), absent(true, 'a'))).toMatchObject({
      state: 'open',
      attempts: [{ t: 10 }],
      foreign: [new Set(['a'])],
    });
  });

  it('is unknown again in the next run where an answer of it was lost: it may have landed since (O21)', () => {
    expect(stateAfter(intent(10), lost(20), absent(false), session)).toMatchObject({ state: 'unknown', attempts: [{ t: 10 }] });
    const refused: JournalRecord = { is: 'rejected', row: 1, error: 'no', ...at(40) };
    expect(stateAfter(intent(10), lost(20), absent(false), intent(30), refused, session)).toMatchObject({ state: 'unknown' });
    expect(stateAfter(intent(30), refused, session)).toMatchObject({ state: 'rejected' });
  });

  const made: JournalRecord = { is: 'created', row: 1, id: 'x', slug: 's', at: 'soon', ...at(50) };

  it('keeps the requests that may have made a second code of it (O20)', () => {
    expect(stateAfter(intent(10), made)).toMatchObject({ attempts: [], foreign: [] });
    expect(stateAfter(intent(10), lost(20), absent(false), intent(30), made)).toMatchObject({ id: 'x', attempts: [{ t: 10 }] });
    const found: JournalRecord = { is: 'adopted', row: 1, id: 'x', slug: 's', ...at(60) };
    expect(stateAfter(intent(10), lost(20), found)).toMatchObject({ attempts: [], foreign: [] });
    const twice = stateAfter(intent(10), lost(20), absent(false), intent(30), lost(40), found);
    expect(twice.attempts).toMatchObject([{ t: 10 }, { t: 30 }]);
  });

  it('remembers the request that was answered with its code, until the next run (O29)', () => {
    const answeredAfter = (...records: JournalRecord[]) => replay([session, ...records], 2).answeredOf(1);
    expect(answeredAfter(intent(10), made)).toEqual({ ...intent(10), is: undefined, row: undefined, session: 0, end: at(50) });
    expect(answeredAfter(intent(10), made, session)).toBeUndefined();
    expect(answeredAfter(intent(10))).toBeUndefined();
    expect(answeredAfter(made)).toBeUndefined();
    expect(answeredAfter({ ...intent(10), row: 2 } as JournalRecord, { ...made, row: 2 } as JournalRecord)).toBeUndefined();
    const found: JournalRecord = { is: 'adopted', row: 1, id: 'x', slug: 's', ...at(60) };
    expect(answeredAfter(intent(10), lost(20), found)).toBeUndefined();
  });

  it('is one that was sent more than once from the moment a person is asked about a second code of it (O29)', () => {
    const asked: JournalRecord = { is: 'asked', row: 1, candidates: ['y'], ...at(70) };
    expect(stateAfter(intent(10), made, asked, asked).attempts).toMatchObject([{ t: 10, end: { t: 50 } }]);
    expect(stateAfter(intent(10), lost(20), absent(false), intent(30), made, asked).attempts).toMatchObject([{ t: 10 }]);
    expect(stateAfter(intent(10), lost(20), asked).attempts).toHaveLength(1);
    expect(stateAfter(asked).attempts).toEqual([]);
  });

  it('keeps its code where a person says that no other is its own (O13)', () => {
    const again = [intent(10), lost(20), absent(false), intent(30), made];
    expect(stateAfter(...again, absent(true, 'y'))).toMatchObject({
      state: 'created',
      id: 'x',
      foreign: [new Set(), new Set(['y'])],
    });
    const named: JournalRecord = { is: 'adopted', row: 1, id: 'y', slug: 's', before: ['x'], ...at(60) };
    expect(stateAfter(...again, named)).toMatchObject({ state: 'adopted', id: 'y', foreign: [new Set(), new Set(['x'])] });
  });

  it('shares with the rows like it what was not its own, and what a person was shown', () => {
    const both: JournalRecord = { ...absent(false, 'a'), more: [2] } as JournalRecord;
    const shown: JournalRecord = { is: 'asked', row: 1, more: [2], candidates: ['b'], ...at(70) };
    const states = replay([session, both, shown], 3);
    expect(states.of(2).foreign[0]).toBe(states.of(1).foreign[0]);
    expect(states.all().map(({ asked }) => asked)).toEqual([['b'], ['b'], undefined]);
  });

  it('tells how long requests took, and which was the last without an answer', () => {
    const states = replay([session, intent(10), lost(250), session, { ...intent(300), row: 2 } as JournalRecord], 2);
    expect([states.slowestMs(), states.newestLost()?.end?.t]).toEqual([240, 250]);
    // Neither the limiter's pause nor the wait for the listing is the request's.
    expect(replay([session, intent(10), intent(60_010), lost(60_250), absent(false)], 1).slowestMs()).toBe(240);
    states.take({ ...made, row: 2, t: 5300 } as JournalRecord);
    expect(states.slowestMs()).toBe(5000);
    states.take(session);
    expect(states.newestLost()?.t).toBe(10);
    expect(replay([session, intent(10), session], 1).newestLost()).toMatchObject({ t: 10 });
  });

  it('has its last request without an answer among others: who was in flight when the run died is newer than who was told', () => {
    const of = (row: number, record: JournalRecord) => ({ ...record, row }) as JournalRecord;
    const newest = (...records: JournalRecord[]) => replay([session, ...records, session], 2).newestLost();
    expect(newest(intent(10), of(2, intent(20)), of(2, lost(30)), lost(250))).toMatchObject({ t: 10, end: { t: 250 } });
    expect(newest(intent(10), of(2, intent(20)), of(2, lost(30)))).toEqual({ ...at(10), session: 0 });
    expect(newest(of(2, intent(30)), session, intent(20))).toMatchObject({ t: 20, session: 1 });
  });

  it('must be one of the input', () => {
    expect(() => replay([session, { ...intent(1), row: 2 } as JournalRecord], 1)).toThrow('the journal speaks of row 2 of 1');
  });
});

it('stamps what it writes by three clocks of the machine and that of the service', async () => {
  const clock = fakeClock({ wallMs: 100_000 });
  await clock.advance(7000.4);
  const written: JournalRecord[] = [];
  const append = async (records: readonly JournalRecord[]) => {
    written.push(...records);
  };
  const clocks = { clock, serviceNowMs: () => 42, uptimeMs: () => 1234.6 };
  const states = await openStates({ states: replay([session, intent(10)], 1), append, note: append }, clocks);
  await clock.advance(250.3);
  expect(states.elapsedMs()).toBe(250);
  await states.record([{ is: 'clock' }, { is: 'intent', row: 1 }]);
  expect(written).toEqual([
    { is: 'session', t: 0, w: 107_000, b: 1235, s: 42 },
    { is: 'clock', t: 250, w: 107_250, b: 1235, s: 42 },
    { is: 'intent', row: 1, t: 250, w: 107_250, b: 1235, s: 42 },
  ]);
  expect(states.of(1).attempts).toHaveLength(2);
  expect(states.evidence.session()).toBe(1);
});
