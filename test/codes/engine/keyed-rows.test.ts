import { describe, expect, it } from 'vitest';
import { checkKeyed } from '../../../src/codes/engine/keyed-rows.ts';
import { parseInput } from '../../../src/codes/input/read-input.ts';

async function check(text: string, key = 'key', name = 'codes.csv') {
  const { rows, faults } = await checkKeyed(await parseInput(Buffer.from(text), name), { key });
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

  it('say how their keys are alike', async () => {
    const { messages } = await check('key,name\nA,1\nA,2\na,3\n');
    expect(messages).toEqual(['"A" is also the key of line 2', '"a" differs from the key "A" of line 2 only in case or spacing']);
  });

  it('have no key twice if both are empty, and may be none', async () => {
    expect((await check('key,name\n,1\n,2\n')).messages).toEqual(Array(2).fill('is empty: each row needs a key'));
    expect((await check('[]', 'key', 'codes.json')).faults).toEqual([]);
    expect((await check('[{"name":"x"}]', 'key', 'codes.json')).faults).toEqual([[undefined, 'key']]);
    expect((await check('name\n')).faults).toEqual([[1, 'key']]);
  });

  it('may have a type that qrctl doesn’t know, if their code has it', async () => {
    const { rows, faults } = await check('key,type\na, menu-card \nb, URL \nc,\n');
    expect(faults).toEqual([]);
    expect(rows.map(({ type, typeFault }) => [type, typeFault?.line, typeFault?.column])).toEqual([
      ['menu-card', 2, 'type'],
      ['url', undefined, undefined],
      [undefined, undefined, undefined],
    ]);
    expect(rows[0]?.typeFault).toMatchObject({ message: '"menu-card" is not a valid type' });
  });

  it('have doubts about their values, which are certain once their codes are known', async () => {
    const text = 'key,name,destination\na,1,nowhere\nb,2,https://b.example/\n';
    const { rows } = await check(text);
    expect(rows.map(({ doubts }) => doubts.map(({ field, isOdd = false }) => [field, isOdd]))).toEqual([
      [['destination', false]],
      [],
    ]);
    const forced = await checkKeyed(await parseInput(Buffer.from(text), 'codes.csv'), { key: 'key', force: true });
    expect(forced.rows[0]?.doubts.map(({ isOdd }) => isOdd)).toEqual([true]);
    expect(forced.doubts).toEqual([]);
  });

  it('know that a spreadsheet may have saved them', async () => {
    expect((await check('key,name\na,1\n')).rows[0]?.through).toBe('csv');
    expect((await check('[{"key":"a"}]', 'key', 'codes.json')).rows[0]?.through).toBeUndefined();
  });

  it('read null in JSON as no change, and an empty cell as well', async () => {
    const json = await check('[{"key":"a","name":"x","destination":null}]', 'key', 'codes.json');
    expect([json.faults, json.rows[0]?.changes]).toEqual([[], { name: 'x' }]);
  });

  it('may have their keys in another column, also one that says which code it is', async () => {
    expect((await check('SKU,name\na,1\n', 'sku')).rows.map(({ key }) => key)).toEqual(['a']);
    expect((await check('slug,name\na,1\n', 'slug')).rows.map(({ key, slug }) => [key, slug])).toEqual([['a', 'a']]);
  });

  it('may have an id, which is a UUID, and no columns of a results file', async () => {
    expect((await check('key,name,id\na,1,x\n')).faults).toEqual([[2, 'id']]);
    const id = 'ABCDEFAB-0000-4000-8000-00000000000A';
    const { rows, faults } = await check(`key,id,slug\na, ${id} , s1 \n`);
    expect([faults, rows.map((row) => [row.id, row.slug])]).toEqual([[], [[id.toLowerCase(), 's1']]]);
    expect((await check('key,name,outcome\na,1,x\n')).faults).toEqual([[1, 'outcome']]);
  });
});
