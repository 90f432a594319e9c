import { expect, test } from 'vitest';
import { addFailedCodes } from '#base/run/annotations';
import { countOutcomes } from '#base/run/outcomes';
import { addFile, addRows, type RunFacts } from '#base/run/run-summary';

test('the facts of a run count rows, and contain each written file once', () => {
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

test('failed codes are problems of their rows in the input file, if they come from one', () => {
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
