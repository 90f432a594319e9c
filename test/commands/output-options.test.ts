import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { UsageError } from '#base/errors';
import { openOutput, outputOptions, printRecords, scanOutputOptions } from '#commands/output-options';
import { EXTENSIONS, FORMATS, type Format, SCAN_FORMATS } from '#files/formats/formats';
import { useDirectory } from '../support/cli.ts';
import { printingContext } from './printing.ts';

const columns = [{ name: 'id' }, { name: 'name' }];
const rows = [
  { id: 'c-1', name: '=Ann', extra: 1 },
  { id: 'c-2', name: null },
];

let directory: string;
beforeEach(async () => {
  directory = await useDirectory();
});

test.each([
  ['lists', outputOptions.output.description, FORMATS],
  ['scans', scanOutputOptions.output.description, SCAN_FORMATS],
] as const)(
  'the help for --output lists every file name extension of each format (%s)',
  (_of, description, formats) => {
    for (const format of formats) {
      for (const extension of format === 'table' ? [] : EXTENSIONS[format])
        expect(description).toContain(`.${extension}`);
    }
  },
);

const setUp = ({ tty = false, format }: { tty?: boolean; format?: Format } = {}) =>
  printingContext(tty ? 80 : undefined, { format });

async function* batches(...parts: (typeof rows)[]) {
  yield* parts;
}

describe('a list', () => {
  test('is CSV if the output is not a terminal, and its formulas are escaped', async () => {
    const { context, printed } = setUp();
    await printRecords(context, rows, columns, {});
    expect(printed()).toBe("id,name\nc-1,'=Ann\nc-2,\n");
  });

  test('is a table on a terminal', async () => {
    const { context, printed } = setUp({ tty: true });
    await printRecords(context, rows, columns, {});
    expect(printed()).toBe('id   name\n───  ────\nc-1  =Ann\nc-2\n');
  });

  test('has the format that the profile specifies, even on a terminal', async () => {
    const { context, printed } = setUp({ tty: true, format: 'ndjson' });
    await printRecords(context, rows, columns, {});
    expect(printed()).toBe('{"id":"c-1","name":"=Ann","extra":1}\n{"id":"c-2","name":null}\n');
  });

  test('is a single JSON array with --format json, even if its rows arrive in batches', async () => {
    const { context, printed } = setUp();
    await printRecords(context, batches(rows, [], rows), columns, { format: 'json', fields: ['name'] });
    expect(printed()).toBe('[\n{"name":"=Ann"},\n{"name":null},\n{"name":"=Ann"},\n{"name":null}\n]\n');
  });

  test('without rows is valid empty output, or a note if the format is table', async () => {
    for (const [format, text] of [
      ['csv', 'id,name\n'],
      ['json', '[]\n'],
      ['ndjson', ''],
      ['table', ''],
    ] as const) {
      const { context, printed, said } = setUp();
      await printRecords(context, [], columns, { format }, { none: 'no codes' });
      expect(printed()).toBe(text);
      expect(said()).toBe(format === 'table' ? 'no codes\n' : '');
    }
  });

  test('has only IDs with --ids', async () => {
    const { context, printed } = setUp({ tty: true });
    await printRecords(context, rows, columns, { ids: true });
    expect(printed()).toBe('c-1\nc-2\n');
  });

  test('that is too wide for the terminal has fewer columns, and a note lists the hidden ones', async () => {
    const { context, printed, said } = setUp({ tty: true });
    await printRecords(
      context,
      [{ id: 'i'.repeat(75), name: 'Ann' }],
      [{ name: 'id', keepWhole: true }, ...columns.slice(1)],
      {},
    );
    expect(printed()).not.toContain('Ann');
    expect(said()).toContain('Hidden columns (terminal too narrow): name');
  });
});

describe('one record', () => {
  test('is JSON if the output is not a terminal, and one line per field on a terminal', async () => {
    const off = setUp();
    await (await openOutput(off.context, {}, columns, 'record')).print([rows[1] ?? {}]);
    expect(off.printed()).toBe('{\n  "id": "c-2",\n  "name": null\n}\n');
    const on = setUp({ tty: true });
    await (await openOutput(on.context, {}, columns, 'record')).print([rows[1] ?? {}]);
    expect(on.printed()).toBe('id    c-2\nname  –\n');
  });
});

describe('an output file', () => {
  test('has all rows, and nothing is printed', async () => {
    const { context, printed } = setUp();
    const output = join(directory, 'codes.ndjson.gz');
    await printRecords(context, batches(rows), columns, { output });
    expect(gunzipSync(readFileSync(output)).toString().split('\n')).toHaveLength(3);
    expect(printed()).toBe('');
  });

  test('is unchanged if an error occurs after some rows', async () => {
    const { context } = setUp();
    const output = join(directory, 'codes.csv');
    writeFileSync(output, 'old');
    async function* failing() {
      yield rows;
      throw new Error('the service went away');
    }
    await expect(printRecords(context, failing(), columns, { output })).rejects.toThrow('went away');
    expect(readFileSync(output, 'utf8')).toBe('old');
    expect(readdirSync(directory)).toEqual(['codes.csv']);
  });

  test("that can't be written is refused before any request, as is an unknown field", async () => {
    const { context } = setUp();
    let asked = false;
    async function* asking() {
      asked = true;
      yield rows;
    }
    const output = join(directory, 'no', 'codes.csv');
    await expect(printRecords(context, asking(), columns, { output })).rejects.toThrow(UsageError);
    await expect(printRecords(context, asking(), columns, { fields: ['nam'] })).rejects.toThrow(UsageError);
    expect(asked).toBe(false);
  });

  test('can be rolled back to a checkpoint', async () => {
    const { context } = setUp();
    const path = join(directory, 'codes.json');
    const output = await (await openOutput(context, { output: path }, columns)).open();
    const rewind = await output.checkpoint();
    await output.write(rows);
    await rewind();
    await output.write(rows.slice(1));
    await output.commit();
    await output.discard();
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(rows.slice(1));
  });
});

test('--fields accepts names separated by commas, and refuses an empty name', () => {
  const { parse } = outputOptions.fields;
  expect(parse('id, name')).toEqual(['id', 'name']);
  for (const raw of ['', 'id,,name', 'id,']) expect(() => parse(raw)).toThrow('names separated by commas');
});
