import { describe, expect, test } from 'vitest';
import { chooseColumns, colorBy, numberColumn, wholeColumn } from '#files/formats/columns';
import { createFormatter } from '#files/formats/create-formatter';
import { createDocumentSink, stdoutBytes } from '#files/formats/document-sink';

describe('columns', () => {
  test('have colors by value', () => {
    const color = colorBy({ green: ['created', 'updated'], red: ['failed'] }, 'dim');
    expect(['created', 'updated', 'failed', 'other', undefined].map(color)).toEqual([
      'green',
      'green',
      'red',
      'dim',
      'dim',
    ]);
    expect(colorBy({ green: ['a'] })('b')).toBe(undefined);
  });

  test('are kept whole by wholeColumn(), and right-aligned by numberColumn()', () => {
    expect(wholeColumn('id')).toEqual({ name: 'id', importance: 0, keepWhole: true });
    expect(numberColumn('scans', 3)).toEqual({ name: 'scans', importance: 3, align: 'right' });
  });

  test('are suggested if --fields contains their names in a different letter case', () => {
    expect(() => chooseColumns(['NAME'], [wholeColumn('id'), wholeColumn('name')])).toThrow(
      expect.objectContaining({ hint: 'Did you mean name? Valid fields: id,name' }),
    );
  });
});

describe('standard output', () => {
  async function print(format: 'ids' | 'json' | 'csv', guard?: (text: string) => string) {
    const printed: unknown[] = [];
    const console = { write: async (data: string | Uint8Array) => void printed.push(data) };
    const formatter = createFormatter(format, {
      columns: [wholeColumn('id'), wholeColumn('x')],
      shape: 'record',
    });
    const sink = createDocumentSink(stdoutBytes(console, guard), formatter);
    const rewind = await sink.checkpoint();
    await sink.write([{ id: 'a' }]);
    const isRolledBack = await rewind();
    await sink.commit();
    return [printed, sink.rewinds, isRolledBack];
  }

  test('has each piece once and no empty piece, and cannot be rolled back', async () => {
    expect(await print('ids')).toEqual([['a\n'], false, false]);
    expect(await print('csv')).toEqual([['id,x\na,\n'], false, false]);
    expect(await print('json')).toEqual([['{\n  "id": "a",\n  "x": null\n}\n'], false, false]);
  });

  test('receives the text that a guard returns, and copies of bytes', async () => {
    expect((await print('ids', (text) => `<${text}>`))[0]).toEqual(['<a\n>']);
    const printed: unknown[] = [];
    const { write } = stdoutBytes({ write: async (data) => void printed.push(data) });
    const bytes = new Uint8Array([97, 98]);
    await write(bytes);
    bytes[0] = 0;
    expect(printed).toEqual([Buffer.from('ab')]);
    await stdoutBytes({ write: async (data) => void printed.push(data) }, (text) => `<${text}>`).write(
      Buffer.from('xabx').subarray(1, 3),
    );
    expect(printed[1]).toBe('<ab>');
  });
});
