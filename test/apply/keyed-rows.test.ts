import { describe, expect, it } from 'vitest';
import { checkKeyed } from '../../src/apply/keyed-rows.ts';
import { parseInput } from '../../src/bulk/read-input.ts';

async function check(text: string, key = 'key', name = 'codes.csv') {
  const { rows, faults } = checkKeyed(await parseInput(Buffer.from(text), name), { key });
  return { rows, faults: faults.map(({ line, column }) => [line, column]), messages: faults.map(({ message }) => message) };
}

describe('rows with keys', () => {
  it('have the values that their cells set, and leave the others', async () => {
    const { rows, faults } = await check(
      'Key,name,type,destination,status,team\n 1 ,Menu,URL,https://a.example/,Paused,x\n2,,,,,\n',
    );
    expect(faults).toEqual([]);
    expect(rows.map(({ key, changes, type }) => ({ key, changes, type }))).toEqual([
      { key: '1', changes: { name: 'Menu', destination: 'https://a.example/', status: 'paused' }, type: 'url' },
      { key: '2', changes: {}, type: undefined },
    ]);
  });

  it('are refused with the lines of keys that are missing or can’t be told apart (Y1)', async () => {
    const { faults } = await check('key,name\na,1\n,2\n A,3\nb c,4\nB  C,5\na,6\n1.23E+11,7\n');
    expect(faults).toEqual([
      [3, 'key'],
      [8, 'key'],
      [4, 'key'],
      [6, 'key'],
      [7, 'key'],
    ]);
    expect((await check('name\nx\n')).faults).toEqual([[1, 'key']]);
    expect((await check('[{"name":"x","key":7}]', 'key', 'codes.json')).faults).toEqual([[1, 'key']]);
  });

  it('may have their keys in another column, also one that says which code it is', async () => {
    expect((await check('SKU,name\na,1\n', 'sku')).rows.map(({ key }) => key)).toEqual(['a']);
    expect((await check('slug,name\na,1\n', 'slug')).rows.map(({ key, slug }) => [key, slug])).toEqual([['a', 'a']]);
  });

  it('may have an id, which is a UUID, and no columns of a results file', async () => {
    expect((await check('key,name,id\na,1,x\n')).faults).toEqual([[2, 'id']]);
    expect((await check('key,name,outcome\na,1,x\n')).faults).toEqual([[1, 'outcome']]);
  });
});
