/** Codes in a file of the user: which rows they match, and what is refused. */
import { describe, expect, it } from 'vitest';
import type { UsageError } from '#base/errors';
import { parseInput } from '#codes/input/read-input';
import type { CodeOfScans } from '#scans/stats/code-of-scans';
import { columnFor, createCodeTable } from '#scans/stats/code-table';

const [ID, OTHER] = ['6f1c2f0e-8a53-4a3e-9d53-0d6a2b9a0c11', '7f1c2f0e-8a53-4a3e-9d53-0d6a2b9a0c12'] as const;

async function tableOf(text: string, columns: readonly string[] = ['region'], name = 'codes.csv') {
  return createCodeTable(await parseInput(Buffer.from(text), name), columns);
}

function code(more: Partial<CodeOfScans>): CodeOfScans {
  return { value: more.slug ?? more.id ?? 'scans', ...more };
}

async function valuesIn(text: string, ...codes: readonly Partial<CodeOfScans>[]) {
  const table = await tableOf(text);
  return codes.map((more) => table.valueOf(code(more), 'region'));
}

async function refusal(
  text: string,
  more: Partial<CodeOfScans> = { slug: 'menu' },
  name = 'codes.csv',
): Promise<string> {
  try {
    return String((await tableOf(text, ['region'], name)).valueOf(code(more), 'region'));
  } catch (error) {
    return (error as Error).message;
  }
}

it('faults are reported only in columns that a code table reads', async () => {
  const input = await parseInput(Buffer.from(`id,region,name\n${ID},North,x\n`), 'codes.csv');
  const withFault = (column: string) => ({
    ...input,
    faults: [{ line: 2, column, message: 'is a formula' }],
  });
  expect(createCodeTable(withFault('name'), ['region']).valueOf(code({ id: ID }), 'region')).toBe('North');
  for (const column of ['region', 'id'])
    expect(() => createCodeTable(withFault(column), ['region'])).toThrow(
      `line 2, column ${column}: is a formula`,
    );
});

describe('a row for a code', () => {
  it('is found by ID in upper or lower case, or by slug (F20)', async () => {
    const text = `id,slug,region\n${ID.toUpperCase()},,North\n,menu,South\n`;
    expect(
      await valuesIn(text, { id: ID }, { slug: 'menu' }, { id: OTHER, slug: 'menu' }, { slug: 'Menu' }),
    ).toEqual([...['North', 'South', 'South', null]]);
  });

  it('is not found by slug if its ID differs, because the slug may have belonged to a deleted code (F20)', async () => {
    const text = `id,slug,region\n${ID},menu,North\n`;
    expect(
      await valuesIn(text, { id: ID, slug: 'renamed' }, { id: OTHER, slug: 'menu' }, { slug: 'menu' }),
    ).toEqual([...['North', null, 'North']]);
  });

  it('has the value of its cell without surrounding spaces, or no value if the cell is blank', async () => {
    expect(await valuesIn('Slug,region\na,  \nb, North West \n', { slug: 'a' }, { slug: 'b' })).toEqual([
      null,
      'North West',
    ]);
  });

  it('has each JSON value as text, and null for null or a missing field', async () => {
    const rows = [
      { slug: 'a', region: 7 },
      { slug: 'b', region: true },
      { slug: 'c', region: ['x'] },
      { slug: 'd', region: null },
      { slug: 'e' },
    ];
    const table = await tableOf(JSON.stringify(rows), ['region'], 'codes.json');
    const values = ['a', 'b', 'c', 'd', 'e'].map((slug) => table.valueOf(code({ slug }), 'region'));
    expect(values).toEqual(['7', 'true', '["x"]', null, null]);
  });

  it('may occur twice with the same values', async () => {
    expect(
      await valuesIn(`id,slug,region\n${ID},menu,North\n${ID},menu,North\n,menu,North\n`, {
        id: ID,
        slug: 'menu',
      }),
    ).toEqual(['North']);
  });
});

describe('two rows for one code', () => {
  const message = (values: string) =>
    `cannot join codes.csv: code menu has two values in column region, ${values}`;

  it.each([
    ['slug,region\nmenu,North\n\nmenu,\n', message('"North" (line 2) and an empty cell (line 4)')],
    [`id,slug,region\n${ID},menu,North\n,menu,South\n`, message('"North" (line 2) and "South" (line 3)')],
    [`id,slug,region\n,menu,North\n${ID},menu,South\n`, message('"North" (line 2) and "South" (line 3)')],
    [
      `id,slug,region\n${ID},menu,North\n${OTHER},menu,South\n`,
      message('"North" (line 2) and "South" (line 3)'),
    ],
  ])('with different values are refused, and the error states both lines (%#)', async (text, refused) => {
    expect(await refusal(text)).toBe(refused);
  });

  it('are refused even if one row has only the ID and the other row only the slug', async () => {
    const byId = message('"North" (line 2) and "South" (line 3)').replace('menu', ID);
    expect(await refusal(`id,region\n${ID},North\n${ID.toUpperCase()},South\n`, { id: ID })).toBe(byId);
    expect(await refusal(`id,slug,region\n${ID},,North\n,menu,South\n`, { id: ID, slug: 'menu' })).toBe(byId);
  });

  it('with the same slug are distinguished by the code ID of the scan (F20)', async () => {
    const text = `id,slug,region\n${ID},menu,North\n${OTHER},menu,South\n`;
    expect(await valuesIn(text, { id: ID, slug: 'menu' }, { id: OTHER, slug: 'menu' })).toEqual([
      'North',
      'South',
    ]);
  });

  it('are refused only if they differ in a column that --by uses', async () => {
    const table = await tableOf('slug,region,printed\nmenu,North,1\nmenu,North,2\n');
    expect(table.valueOf(code({ slug: 'menu' }), 'region')).toBe('North');
  });

  it('in JSON are reported with their item numbers', async () => {
    const rows = [
      { slug: 'menu', region: 'a' },
      { slug: 'menu', region: 'b' },
    ];
    expect(await refusal(JSON.stringify(rows), { slug: 'menu' }, 'codes.json')).toContain(
      '"a" (item 1) and "b" (item 2)',
    );
  });
});

describe('a code file', () => {
  it.each([
    ['code,region\nmenu,North\n', { slug: 'menu' }, 'cannot join codes.csv: it has no id or slug column'],
    [
      'slug,Slug,region\nmenu,menu,North\n',
      { slug: 'menu' },
      'cannot join codes.csv: columns "slug" and "Slug" have the same meaning',
    ],
    [
      'slug,region\nmenu,North\n',
      { id: ID },
      'cannot join codes.csv: the scans have code IDs, but no slugs, and the file has only slugs',
    ],
    [
      `id,region\n${ID},North\n`,
      { slug: 'menu' },
      'cannot join codes.csv: the scans have slugs, but no code IDs, and the file has only IDs',
    ],
  ])(
    "is refused if its columns are ambiguous, or if they can't identify the code of a scan: %j",
    async (text, more, refused) => {
      expect(await refusal(text, more)).toBe(refused);
    },
  );

  it('can be joined to scans that have both an ID and a slug', async () => {
    expect(await valuesIn('slug,region\nmenu,North\n', { id: ID, slug: 'menu' })).toEqual(['North']);
    expect(await valuesIn(`id,region\n${ID},North\n`, { id: ID, slug: 'menu' })).toEqual(['North']);
  });
});

describe('a code table', () => {
  it('lists the codes of scans that have no row, and counts rows without scans and rows without a code', async () => {
    const table = await tableOf('slug,region\na,North\nb,\nc,South\n,East\n');
    expect(table.noneIn('region')).toBe('empty');
    for (const slug of ['a', 'b', 'v', 'w', 'x', 'y', 'v']) table.valueOf(code({ slug }), 'region');
    expect(table.unlisted()).toEqual(['v', 'w', 'x', 'y']);
    expect([table.unusedRows(), table.namelessRows]).toEqual([1, 1]);
  });

  it('reports whether codes without a value have an empty cell, are unlisted, or both', async () => {
    const noneAfter = async (...slugs: string[]) => {
      const table = await tableOf('slug,region,city\na,North,Bonn\nb,,Rome\n', ['region', 'city']);
      for (const slug of slugs)
        for (const column of ['region', 'city']) table.valueOf(code({ slug }), column);
      return [table.noneIn('region'), table.noneIn('city'), table.noneIn('utm_source')];
    };
    expect(await noneAfter('a', 'b')).toEqual(['empty', 'empty', 'empty']);
    expect(await noneAfter('a', 'x')).toEqual(['unlisted', 'unlisted', 'both']);
    expect(await noneAfter('b', 'x')).toEqual(['both', 'unlisted', 'both']);
  });
});

describe('a column', () => {
  it('is found by its name in upper or lower case, even with spaces around the name', () => {
    const file = { name: 'a.csv', columns: [' ID ', 'Region'] };
    const expected = [' ID ', 'Region', undefined];
    expect([columnFor(file, 'id'), columnFor(file, 'region'), columnFor(file, 'city')]).toEqual(expected);
  });
});

describe('the refusal of a code file', () => {
  const hintOf = async (text: string, more: Partial<CodeOfScans> = { slug: 'menu' }) => {
    try {
      (await tableOf(text)).valueOf(code(more), 'region');
    } catch (error) {
      return (error as UsageError).hint;
    }
    return undefined;
  };

  it('has a hint for each reason: no code column, two values, two columns, or scans without slugs', async () => {
    const create = 'Run `qrctl qr list -o codes.csv` to create a file to start from.';
    expect(await hintOf('name,region\nx,North\n')).toBe(create);
    expect(await hintOf('slug,region\nmenu,North\nmenu,South\n')).toBe('Keep one row per code in codes.csv.');
    expect(await hintOf('slug,Slug,region\nmenu,x,North\n')).toBe('Rename all but one of them in codes.csv.');
    expect(await hintOf('slug,region\nmenu,North\n', { id: ID })).toBe(
      'Add the column id to codes.csv. `qrctl qr list -o codes.csv` writes IDs and slugs.',
    );
  });

  it('happens before scans are read if a row without an ID contradicts another row', async () => {
    for (const [first, second] of [['', ''] as const, [ID, ''] as const, ['', ID] as const]) {
      const text = `id,slug,region\n${first},menu,North\n${second},menu,South\n`;
      await expect(tableOf(text)).rejects.toThrow('code menu has two values');
    }
    // Two codes may have had one slug: only a scan without an ID can't tell.
    await expect(tableOf(`id,slug,region\n${ID},menu,North\n${OTHER},menu,South\n`)).resolves.toBeDefined();
  });

  it('states the slug, both values and their lines if only the last of three rows differs', async () => {
    const third = '8f1c2f0e-8a53-4a3e-9d53-0d6a2b9a0c13';
    const text = `id,slug,region\n${ID},menu,North\n${OTHER},menu,North\n${third},menu,South\n`;
    expect(await refusal(text)).toBe(
      'cannot join codes.csv: code menu has two values in column region, "North" (line 2) and "South" (line 4)',
    );
  });
});

it('a code table lists at most 10,000 codes of scans that have no row', async () => {
  const table = await tableOf('slug,region\nmenu,North\n');
  for (let n = 0; n <= 10_000; n++) table.valueOf(code({ slug: `code-${n}` }), 'region');
  expect(table.unlisted()).toHaveLength(10_000);
});
