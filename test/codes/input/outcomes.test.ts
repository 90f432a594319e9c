import { expect, it } from 'vitest';
import { omitUnfinished } from '#codes/input/outcomes';
import { parseInput } from '#codes/input/read-input';

const CODE = 'c0de0000-0000-4000-8000-000000000001';

async function omit(text: string) {
  const { kept, omitted } = omitUnfinished(await parseInput(Buffer.from(text), 'r.csv'));
  return { kept: kept.map(({ line }) => line), omitted: omitted.map(({ message }) => message) };
}

it('rows of a results file that were not carried out are omitted with a warning', async () => {
  const rows = ['created', 'failed', 'gone', 'undecided', 'not-attempted', 'edited', 'failed', 'deleted'];
  const text = `ID,Outcome\n${rows.map((outcome) => `,${outcome}\n`).join('')}${CODE},edited\n`;
  expect(await omit(text)).toEqual({
    kept: [2, 9, 10],
    omitted: ['omitted 6 of 9 rows of r.csv (2 failed, 1 gone, 1 undecided, 1 not-attempted, 1 edited)'],
  });
});

it.each([
  ['all its rows have a code', `id,outcome\n${CODE},created\n${CODE},edited\n`],
  ['its outcomes include other words', `id,outcome\n${CODE},failed\n${CODE},printed\n`],
  ['it has no outcomes', `id\n${CODE}\nfailed\n`],
])('a file keeps all its rows if %s', async (_, text) => {
  expect(await omit(text)).toEqual({ kept: [2, 3], omitted: [] });
});
