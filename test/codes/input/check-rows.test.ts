import { expect, it } from 'vitest';
import { checkChosen, refuseDates } from '#codes/input/check-rows';
import { parseInput, parseWithFaults } from '#codes/input/read-input';

const ID = 'C0DE0000-0000-4000-8000-000000000001';
const OTHER = 'c0de0000-0000-4000-8000-000000000002';
const parseShortUrl = (url: string) => /^https:\/\/qr\.example\/(.+)$/.exec(url)?.[1];

async function choose(text: string, { name = 'a.csv', knowsShortUrls = true } = {}) {
  const input = await parseWithFaults(Buffer.from(text), name);
  const { rows, faults, unread } = await checkChosen(input, knowsShortUrls ? parseShortUrl : undefined);
  return {
    codes: rows.map(({ line, id, slug }) => [line, id, slug]),
    faults: faults.map(({ line, message }) => [line, message]),
    unread,
  };
}

it.each<[string, string, unknown[]]>([
  ['an ID', `ID\n ${ID} \n`, [2, ID.toLowerCase(), undefined]],
  ['a slug', 'slug\n a \n', [2, undefined, 'a']],
  ['both', `slug,id\na,${ID}\n`, [2, ID.toLowerCase(), 'a']],
  ['a short URL in the slug column', 'slug\nhttps://qr.example/a\n', [2, undefined, 'a']],
  ['a short URL with an ID', `slug\nhttps://qr.example/${ID}\n`, [2, ID.toLowerCase(), undefined]],
  ['an ID in the slug column', `slug\n${OTHER}\n`, [2, undefined, OTHER]],
  ['a short URL', 'name,short_url\nx,https://qr.example/a\n', [2, undefined, 'a']],
  ['a slug and another short URL', 'slug,short_url\na,https://qr.example/b\n', [2, undefined, 'a']],
  ['an ID and a short URL', `id,short_url\n${ID},https://qr.example/b\n`, [2, ID.toLowerCase(), undefined]],
  [
    'an ID and a short URL with another ID in the slug column',
    `id,slug\n${ID},https://qr.example/${OTHER}\n`,
    [2, ID.toLowerCase(), OTHER],
  ],
])('a row can identify its code by %s', async (_, text, code) => {
  const { codes, faults } = await choose(text);
  expect(codes).toEqual([code]);
  expect(faults).toEqual([]);
});

it('a short URL is taken as a slug, and no column of short URLs is read, if they cannot be parsed', async () => {
  const { codes, faults } = await choose(
    'slug,short_url\na,\nhttps://qr.example/b,\n,https://qr.example/c\n',
    {
      knowsShortUrls: false,
    },
  );
  expect(codes).toEqual([
    [2, undefined, 'a'],
    [3, undefined, 'https://qr.example/b'],
    [4, undefined, undefined],
  ]);
  expect(faults).toEqual([[4, 'has neither an ID nor a slug']]);
});

it('a row without a valid ID, slug or short URL is refused with its line', async () => {
  expect(await choose(`id,slug,note\n${ID},,\n,,x\n7,a,\n`)).toEqual({
    codes: [
      [2, ID.toLowerCase(), undefined],
      [3, undefined, undefined],
      [4, '7', 'a'],
    ],
    faults: [
      [3, 'has neither an ID nor a slug'],
      [4, '"7" is not a valid ID (expected a UUID)'],
    ],
    unread: ['note'],
  });
  const { faults } = await choose('short_url\nhttps://x.example/a\n');
  expect(faults).toEqual([[2, 'has neither an ID nor a slug']]);
});

it('a file must identify its codes, unless it is empty', async () => {
  const message = 'no column identifies the codes: add an id or slug column';
  expect((await choose('short_url,note\na,b\n', { knowsShortUrls: false })).faults).toEqual([
    [1, `${message} (the file has "note")`],
  ]);
  expect((await choose('name\n')).faults).toEqual([[1, message]]);
  expect((await choose('[{"name":"a"},{}]', { name: 'a.json' })).faults).toEqual([[undefined, message]]);
  expect((await choose('[]', { name: 'a.json' })).faults).toEqual([]);
});

it('an ID or slug with a lone surrogate is refused', async () => {
  const { faults } = await choose('[{"slug":"a\\ud800"}]', { name: 'a.json' });
  expect(faults).toEqual([[1, '"a\\u{d800}" contains an incomplete character (a lone surrogate)']]);
});

it('rows with dates are refused without --due, but not rows with an empty or blank date', async () => {
  const refuse = async (text: string) => refuseDates(await parseInput(Buffer.from(text), 'a.csv'));
  await expect(refuse('id,At\n1,\n2,"  "\n')).resolves.toBeUndefined();
  await expect(refuse('id,At\n1,2026-01-01\n2,\n3,soon\n')).rejects.toMatchObject({
    message: 'a.csv has dates in column At (2 rows), but without --due all rows would be applied now',
    hint: 'Add --due to apply only rows that are due, or --ignore-dates to apply all rows.',
  });
});
