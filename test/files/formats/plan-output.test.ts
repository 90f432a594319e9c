import { describe, expect, test } from 'vitest';
import { UsageError } from '#base/errors';
import { EXTENSIONS, FORMATS, SCAN_FORMATS } from '#files/formats/formats';
import { formatOfPath, type OutputFlags, type PlanContext, planOutput } from '#files/formats/plan-output';

const surroundings: PlanContext = {
  columns: [{ name: 'id' }, { name: 'name' }, { name: 'created_at' }],
  shape: 'list',
  settings: {},
  isTerminal: false,
};

const plan = (flags: OutputFlags, around: Partial<PlanContext> = {}) =>
  planOutput(flags, { ...surroundings, ...around });

function refusal(flags: OutputFlags, around: Partial<PlanContext> = {}): UsageError {
  try {
    plan(flags, around);
  } catch (error) {
    if (error instanceof UsageError) return error;
  }
  throw new Error('it was accepted');
}

describe('the format', () => {
  const terminal = { isTerminal: true };
  const csv = { format: 'csv' } as const;
  const json = { format: 'json' } as const;

  test.each<[string, OutputFlags, Partial<PlanContext>, string]>([
    ['a table on a terminal', {}, terminal, 'table'],
    ['CSV for a list, if not on a terminal', {}, {}, 'csv'],
    ['JSON for a record, if not on a terminal', {}, { shape: 'record' }, 'json'],
    [
      'the profile takes precedence over both defaults',
      {},
      { ...terminal, settings: { format: 'ndjson' } },
      'ndjson',
    ],
    ['the flag takes precedence over the profile', { format: 'json' }, { settings: csv }, 'json'],
    ['the extension takes precedence over the profile', { output: 'a.json' }, { settings: csv }, 'json'],
    ['the flag decides if the extension has no format', { output: 'a.txt', format: 'json' }, {}, 'json'],
    ['.tsv is CSV', { output: 'a.tsv' }, { settings: json }, 'csv'],
    ['--delimiter selects CSV', { delimiter: ';' }, { ...terminal, settings: json }, 'csv'],
    ['.ndjson is NDJSON', { output: 'a.ndjson' }, {}, 'ndjson'],
    [
      '.parquet is Parquet if the rows are scans',
      { output: 'a.parquet' },
      { formats: SCAN_FORMATS },
      'parquet',
    ],
    ['--format parquet writes scans to a pipe', { format: 'parquet' }, { formats: SCAN_FORMATS }, 'parquet'],
    ['.jsonl.gz is NDJSON', { output: 'a.JSONL.GZ' }, {}, 'ndjson'],
    ['a list in a file with an unknown extension is CSV', { output: 'a.txt' }, terminal, 'csv'],
    [
      'a record in a file without an extension is JSON',
      { output: 'a' },
      { ...terminal, shape: 'record' },
      'json',
    ],
    [
      'the profile writes no table into a file',
      { output: 'a.txt' },
      { settings: { format: 'table' } },
      'csv',
    ],
    ['--format table writes a table into a file', { output: 'a.txt', format: 'table' }, {}, 'table'],
    ['- is standard output', { output: '-' }, terminal, 'table'],
    ['--excel selects CSV', { excel: true }, { ...terminal, settings: json }, 'csv'],
    ['--raw-cells selects CSV', { rawCells: true }, terminal, 'csv'],
    ['a table may have no header', { header: false }, terminal, 'table'],
    ['--ids prints IDs', { ids: true }, terminal, 'ids'],
  ])('follows the rule: %s', (_what, flags, around, format) => {
    expect(plan(flags, around).format).toBe(format);
  });

  test.each(FORMATS.filter((format) => format !== 'table'))(
    'is %s for each extension of that format',
    (format) => {
      for (const extension of EXTENSIONS[format])
        expect(plan({ output: `a.${extension}` }).format).toBe(format);
    },
  );

  test.each([
    ['csv', true],
    ['json', true],
    ['ndjson', true],
    ['markdown', false],
    ['parquet', false],
    ['xlsx', false],
  ] as const)('%s can be compressed with .gz after its extension: %s', (format, isCompressed) => {
    const formats = [...FORMATS, ...SCAN_FORMATS];
    for (const extension of EXTENSIONS[format]) {
      const flags = { output: `a.${extension}.gz` };
      if (isCompressed) expect(plan(flags, { formats })).toMatchObject({ format, gzip: true });
      else expect(refusal(flags, { formats }).message).toContain('compressed');
    }
  });

  test('is combined with gzip if the file name ends in .gz, in upper or lower case, even without another extension', () => {
    for (const output of ['a.csv.gz', 'a.CSV.GZ', 'a.gz']) expect(plan({ output }).gzip).toBe(true);
    for (const output of ['a.csv', '-']) expect(plan({ output }).gzip).toBe(false);
  });
});

describe('the delimiter', () => {
  test.each<[string, OutputFlags, Partial<PlanContext>, string]>([
    ['a comma', {}, {}, ','],
    ['the value in the profile', {}, { settings: { delimiter: ';' } }, ';'],
    [
      'the value of --delimiter, even if the profile has one',
      { delimiter: '\t' },
      { settings: { delimiter: ';' } },
      '\t',
    ],
    ['a tab in .tsv files', { output: 'a.tsv.gz' }, { settings: { delimiter: ';' } }, '\t'],
  ])('is %s', (_what, flags, around, delimiter) => {
    expect(plan(flags, around).delimiter).toBe(delimiter);
  });
});

describe('a file name', () => {
  test.each<[OutputFlags, string]>([
    [{ output: 'a.csv', format: 'json' }, "format json doesn't match the extension of a.csv"],
    [{ output: 'a.json.gz', format: 'csv' }, "format csv doesn't match the extension of a.json.gz"],
    [{ output: 'a.csv', format: 'table' }, "format table doesn't match the extension of a.csv"],
    [{ output: 'a.tsv', delimiter: ';' }, "--delimiter ; can't be used with .tsv, which is tab-separated"],
    [{ output: 'a.xls' }, 'cannot write a.xls: .xls is not supported'],
    [{ output: 'a.ODS', format: 'csv' }, 'cannot write a.ODS: .ods is not supported'],
  ])('is refused if its format differs from the flags or is not supported: %j', (flags, message) => {
    expect(refusal(flags).message).toBe(message);
  });

  test.each(
    'csv.zip csv.zst csv.bz2 tar.gz xz xlsm XLSB html yaml xml pdf sqlite feather json5'
      .split(' ')
      .flatMap((extension) => [
        [{ output: `a.${extension}` }],
        [{ output: `a.${extension}`, format: 'csv' as const }],
        [{ output: `a.${extension}`, ids: true }],
      ]),
  )('is refused with a hint if its extension is not supported: %j', (flags) => {
    const { message, hint } = refusal(flags);
    expect(message).toMatch(/cannot write a\..*is not supported/);
    for (const works of ['.csv', '.ndjson', '.xlsx', '.gz']) expect(hint).toContain(works);
    expect(hint).not.toContain('.parquet');
    expect(hint).toMatch(
      /^Use one of these extensions: \.csv, \..*\. CSV and JSON may have \.gz after it\.$/,
    );
  });

  test('without a known extension gets the default format', () => {
    for (const name of ['a', 'a.txt', 'a.2026', 'a.b.csv', 'report.final', '.hidden', 'a.csv.1'])
      expect(plan({ output: name }).format).toBe('csv');
  });
});

describe('--fields', () => {
  test('chooses and orders the columns', () => {
    expect(plan({ fields: ['name', 'id'] })).toMatchObject({
      chosen: true,
      columns: [{ name: 'name' }, { name: 'id' }],
    });
  });

  test('refuses an unknown name, and suggests the nearest', () => {
    expect(refusal({ fields: ['id', 'created-at'] })).toMatchObject({
      message: 'unknown field "created-at" in --fields',
      hint: 'Did you mean created_at? Valid fields: id,name,created_at',
    });
  });

  test('refuses a repeated name', () => {
    expect(refusal({ fields: ['id', 'id'] })).toMatchObject({
      message: expect.stringContaining('twice'),
      hint: 'Specify each field once.',
    });
  });
});

describe('output flags', () => {
  const needsCsv = (flag: string, format: string) => [
    `${flag} requires CSV, but the format is ${format}`,
    `Add --format csv, or omit ${flag}.`,
  ];
  test.each<[OutputFlags, Partial<PlanContext>, string[]]>([
    [{ excel: true, format: 'json' }, {}, needsCsv('--excel', 'json')],
    [{ excel: true, output: 'a.json' }, {}, needsCsv('--excel', 'json')],
    [{ delimiter: ';', output: 'a.json' }, {}, needsCsv('--delimiter', 'json')],
    [{ delimiter: ';', format: 'ndjson' }, {}, needsCsv('--delimiter', 'ndjson')],
    [{ rawCells: true, format: 'table' }, {}, needsCsv('--raw-cells', 'table')],
    [{ header: false, format: 'ndjson' }, {}, needsCsv('--no-header', 'ndjson')],
    [{ header: false }, { shape: 'record' }, needsCsv('--no-header', 'json')],
    [
      { format: 'table', output: 'a.gz' },
      {},
      ['tables cannot be compressed', 'Use --format csv, or omit .gz from the file name.'],
    ],
    [{ output: 'a.xlsx.gz' }, {}, ['.xlsx files are already compressed', 'Omit .gz from the file name.']],
    [
      { output: 'a.tsv', delimiter: ',' },
      {},
      [
        "--delimiter , can't be used with .tsv, which is tab-separated",
        'Omit --delimiter, or use the extension .csv.',
      ],
    ],
    [
      { ids: true, output: 'a.json' },
      {},
      [
        "--ids prints only IDs, one per line, and can't be used with json output",
        'Omit --ids, or use the extension .csv or .txt with --output.',
      ],
    ],
    [{ ids: true }, { columns: [{ name: 'profile' }] }, ['--ids requires records with an ID', 'Omit --ids.']],
  ])('are refused if they contradict each other: %j', (flags, around, [message, hint]) => {
    expect(refusal(flags, around)).toMatchObject({ message, hint });
  });

  test('are accepted if they agree with the extension', () => {
    expect(plan({ output: 'a.tsv', delimiter: '\t' })).toMatchObject({ format: 'csv', delimiter: '\t' });
    expect(plan({ output: 'a.csv', ids: true })).toMatchObject({ format: 'ids', delimiter: ',' });
  });
});

describe('Parquet', () => {
  const scans = { formats: SCAN_FORMATS };

  test.each<[OutputFlags, Partial<PlanContext>, string, string]>([
    [
      { output: 'a.parquet' },
      {},
      'cannot write a.parquet: only scans can be written as Parquet',
      'Use the extension .csv.',
    ],
    [
      { output: 'a.parquet.gz' },
      scans,
      'Parquet files are already compressed',
      'Omit .gz from the file name.',
    ],
    [
      { format: 'parquet' },
      { ...scans, isTerminal: true },
      'cannot print Parquet to a terminal: it is a binary format',
      'Add -o scans.parquet to write it to a file.',
    ],
    [
      { output: 'a.parquet', format: 'csv' },
      scans,
      "format csv doesn't match the extension of a.parquet",
      'Omit --format',
    ],
    [
      { output: 'a.parquet', excel: true },
      scans,
      '--excel requires CSV, but the format is parquet',
      'Add --format csv',
    ],
    [{ output: 'a.parquet', ids: true }, scans, '--ids prints only IDs', 'Omit --ids'],
  ])('is refused with %j', (flags, around, message, hint) => {
    const error = refusal(flags, around);
    expect(error.message).toContain(message);
    expect(error.hint).toContain(hint);
  });
});

describe('a plan', () => {
  const results = [{ name: 'id' }, { name: 'outcome' }, { name: 'error' }];

  test('has a header and escapes formulas by default, and has all columns without --fields', () => {
    const same = { header: true, rawCells: false, excel: false, gzip: false };
    expect(plan({})).toMatchObject({
      ...same,
      chosen: false,
      columns: surroundings.columns,
      path: undefined,
    });
    expect(plan({ fields: ['name'] })).toMatchObject({ ...same, chosen: true, columns: [{ name: 'name' }] });
    expect(plan({ output: 'a.gz.csv' }).gzip).toBe(false);
  });

  test('replaces ordinary files, and files that the same command wrote with all or the chosen columns', () => {
    const ordinary = ['none', 'other', 'summary'];
    expect(plan({ fields: ['id'] }, { columns: results }).replaces).toEqual([
      ...ordinary,
      'results',
      'other',
    ]);
    expect(plan({}).replaces).toEqual([...ordinary, 'other', 'other']);
  });

  test.each<[OutputFlags, PlanContext['settings'], string]>([
    [{ output: 'a.txt' }, { format: 'ndjson' }, 'ndjson'],
    [{}, { format: 'table' }, 'table'],
  ])('for %j and the profile %j has the format %s', (flags, settings, format) => {
    expect(plan(flags, { settings }).format).toBe(format);
  });

  test('for scans on a terminal is accepted for Parquet in a file, and refused for Markdown', () => {
    const around = { isTerminal: true, formats: SCAN_FORMATS };
    expect(plan({ format: 'parquet', output: 'a.parquet' }, around).format).toBe('parquet');
    expect(refusal({ output: 'a.md' }, around).message).toBe(
      "cannot write a.md: scans can't be written as Markdown",
    );
  });
});

test.each([
  ['a.csv', 'csv'],
  ['a.TSV.gz', 'csv'],
  ['a.jsonl', 'ndjson'],
  ['a.json', 'json'],
  ['a.xlsx', 'xlsx'],
  ['a.md', undefined],
  ['a.parquet', undefined],
  ['a', undefined],
])('a list in %s has the format %s', (path, format) => {
  expect(formatOfPath(path)).toBe(format);
});
