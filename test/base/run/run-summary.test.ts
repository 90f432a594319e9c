import { expect, test } from 'vitest';
import { RateLimitError } from '#base/errors';
import { addFailedCodes } from '#base/run/annotations';
import { countOutcomes } from '#base/run/outcomes';
import { addFile, addRows, formatRunSummary, type RunFacts } from '#base/run/run-summary';

test('the facts of a run count rows and contain each written file once, and countOutcomes counts rows per outcome', () => {
  const facts: RunFacts = {};
  addFile(facts, 'b.csv');
  addFile(facts, 'a.csv');
  addFile(facts, 'b.csv');
  addRows(facts, 3);
  addRows(facts, 4);
  expect(facts).toEqual({ files: ['b.csv', 'a.csv'], rows: 7, added: 7 });
  const rows = ['created', 'failed', 'created'].map((outcome) => ({ outcome }));
  expect([...countOutcomes(rows)]).toEqual([
    ['created', 2],
    ['failed', 1],
  ]);
});

test('failed codes are problems of their rows if they come from an input file, and are not problems otherwise', () => {
  const failed = [
    { id: 'a', message: 'not found' },
    { id: 'b', message: 'down' },
  ];
  const facts: RunFacts = {
    problemsOfCode: (id, message) => [1, 2].map((line) => ({ line, message: `${id}: ${message}` })),
  };
  addFailedCodes(facts, failed);
  expect(facts.problems?.map(({ line, message }) => `${line} ${message}`)).toEqual([
    '1 a: not found',
    '2 a: not found',
    '1 b: down',
    '2 b: down',
  ]);
  const named: RunFacts = {};
  addFailedCodes(named, failed);
  expect(named.problems).toEqual([]);
});

test('the summary of a run has the same keys with and without facts, and contains no API key', () => {
  const run = { command: 'qr list', startedMs: 0, finishedMs: 1500, profile: undefined, stats: undefined };
  const summaryOf = (end: object) =>
    JSON.parse(formatRunSummary({ ...run, error: undefined, facts: {}, ...end }));
  const empty = {
    command: 'qr list',
    started: '1970-01-01T00:00:00.000Z',
    finished: '1970-01-01T00:00:01.500Z',
    exit: 0,
    error: null,
    profile: null,
    codes: null,
    rows: null,
    added: null,
    range: null,
    watermark: null,
    requests: 0,
    retries: 0,
    pauses: 0,
    paused_ms: 0,
    files: [],
    outcomes: null,
  };
  expect(summaryOf({})).toEqual(empty);
  expect(
    summaryOf({
      error: new RateLimitError('too long', { status: 429, code: 'rate_limited' }),
      profile: 'svc_live_canaryCANARYcanary',
      stats: { requests: 3, retries: 1, pauses: 2, pausedMs: 10.6 },
      facts: { rows: 4, range: { sinceMs: undefined, untilMs: 0 }, watermarkMs: 1000, files: ['a.csv'] },
    }),
  ).toEqual({
    ...empty,
    exit: 6,
    error: { message: 'too long', code: 'rate_limited', status: 429, hint: null },
    profile: 'svc_live_cana…',
    rows: 4,
    range: { since: null, until: empty.started },
    watermark: '1970-01-01T00:00:01.000Z',
    requests: 3,
    retries: 1,
    pauses: 2,
    paused_ms: 11,
    files: ['a.csv'],
  });
});
