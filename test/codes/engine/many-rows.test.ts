import { expect, it } from 'vitest';
import { checkCreate } from '../../../src/codes/engine/check-create.ts';
import { entriesRecords, seenOf } from '../../../src/codes/engine/creation/entries.ts';
import { openJournal } from '../../../src/codes/engine/creation/journal.ts';
import type { JournalRecord } from '../../../src/codes/engine/creation/journal-records.ts';
import { createResults, tabulate } from '../../../src/codes/engine/results.ts';
import { parseInput } from '../../../src/codes/input/read-input.ts';
import { createMemoryDisk } from '../../support/memory-disk.ts';
import { SOAK } from '../../support/property-runs.ts';
import { done, JOURNAL, run, WORKSPACE, worldOf } from './creation/world.ts';

/** With QRCTL_SOAK more than a call takes arguments. */
const MANY = SOAK ? 140_000 : 6_000;
const LOST = MANY / 2;

const lines = Array.from({ length: MANY }, (_, n) => `Code ${n},https://example.com/${n}`);
const input = await parseInput(Buffer.from(`name,destination\n${lines.join('\n')}\n`), 'codes.csv');
const { rows } = await checkCreate(input);

// A workspace that has a code of each row.
const world = worldOf();
for (const { code } of rows) world.service.add(code, 0);
const { service } = world;

it(`${MANY} rows are read, checked, found, recorded and told like 140`, async () => {
  const lists = service.lists();
  const end = await run(world, rows, { skipExisting: true });
  expect(end).toMatchObject(done);
  const ended = createResults();
  for (const row of end.rows) ended.take(row);
  const { results } = ended;
  expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set(['exists']));
  expect(ended.failure(end, rows, 'codes.results.csv')).toBeUndefined();
  expect(tabulate(input).row(MANY - 1, results[MANY - 1])).toMatchObject({ name: `Code ${MANY - 1}`, outcome: 'exists' });
  expect([service.posts(), service.lists() - lists]).toEqual([0, 1]);
});

it(`a journal of ${MANY} created rows with one lost answer is finished by the rerun`, async () => {
  const { codes } = service;
  const memory = createMemoryDisk();
  const lists = service.lists();
  const journal = await openJournal({
    ...{ disk: memory.disk, path: JOURNAL, workspace: WORKSPACE, getCode: service.getCode },
    check: async () => undefined,
  });
  const stamp = { t: 0, w: world.time.now(), b: 5000 };
  const sent = rows.flatMap(({ row }): JournalRecord[] => {
    const { id = '', slug = '', created_at: at = '' } = codes[row - 1] ?? {};
    const intent = { is: 'intent' as const, row, ...stamp };
    return row === LOST ? [intent] : [intent, { is: 'created', row, id, slug, at, ...stamp }];
  });
  const entries = entriesRecords(rows.map((row) => [row.row, seenOf(row)] as const));
  await journal.append([...entries, { is: 'session', ...stamp }, ...sent]);
  await journal.close();

  const end = await run({ ...world, memory }, rows);
  expect(end).toMatchObject(done);
  expect(end.rows.filter(({ state }) => state !== 'created')).toMatchObject([
    { row: LOST, state: 'adopted', id: codes[LOST - 1]?.id },
  ]);
  expect([service.posts(), service.lists() - lists]).toEqual([0, 1]);
});
