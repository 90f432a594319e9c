/** Ranges, rows and faults of the logs that `scans verify` compares. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emptyOverlap } from '#scans/append/overlap';
import type { Bounds } from '#scans/export/range';
import { indexLogs } from '#scans/verify/log-index';
import type { ScanLog } from '#scans/verify/scan-log';
import { useDirectory } from '../../support/cli.ts';

const [A, B, C] = ['a', 'b', 'c'].map((digit) => `00000000-0000-4000-8000-00000000000${digit}`) as [
  string,
  string,
  string,
];

type Line = [code: string, second: number];

/** Returns a CSV file with one scan per line, without code IDs if the first line has none. */
function csv(lines: readonly Line[]): string {
  const isNamed = lines[0]?.[0] !== '';
  const rows = lines.map(([code, second], at) => {
    const ts = new Date(second * 1000).toISOString();
    return isNamed ? `${code},${at},${ts}\n` : `${at},${ts}\n`;
  });
  return `${isNamed ? 'qr_id,' : ''}id,ts\n${rows.join('')}`;
}

const plain: Partial<ScanLog> = {};
/** A log of the codes from second 10 to the end of each. */
const kept = (ends: Record<string, number>): Partial<ScanLog> => {
  const overlaps = Object.entries(ends).map(([code, end]) => [
    code,
    { ...emptyOverlap(), readUntilMs: end * 1000 },
  ]);
  const identity = { codes: Object.keys(ends), all: false };
  const state = { identity, sinceMs: 10_000, rotated: [], overlaps: new Map(overlaps as []) };
  return { state: state as unknown as ScanLog['state'] };
};

type File = [name: string, content: string, log: Partial<ScanLog>];

async function index(
  logs: readonly File[],
  requested: Bounds = {},
  slugs: readonly string[] = ['one', 'two', 'three'],
) {
  const directory = await useDirectory();
  const made: ScanLog[] = [];
  for (const [name, content, log] of logs) {
    const path = join(directory, name);
    await writeFile(path, content);
    made.push({ place: path, paths: [path], known: [], gone: [], isUnfinished: false, ...log });
  }
  const codes = [A, B, C].slice(0, slugs.length).map((id, at) => ({ id, slug: slugs[at] }));
  const reading = { logs: made, codes, signal: new AbortController().signal };
  const { index, rangeOf, faultOf } = await indexLogs(reading, requested);
  const seconds = (ms: number | undefined) => (ms === undefined ? 'start' : String(ms / 1000));
  return codes.map(({ id }) => {
    const range = rangeOf(id);
    const fault = faultOf(id);
    return [
      index.of(id)?.rows ?? 0,
      range ? `${seconds(range.sinceMs)} to ${seconds(range.untilMs)}` : 'none',
      ...(fault === undefined ? [] : [fault]),
    ];
  });
}

describe('a file without a state', () => {
  const file: File = [
    'x.csv',
    csv([
      [A, 20],
      [B, 30],
      [A, 40],
      [A, 41],
    ]),
    plain,
  ];

  it.each<[Bounds, [number, string][]]>([
    [
      {},
      [
        [3, '20 to 41.001'],
        [1, '20 to 41.001'],
      ],
    ],
    [
      { sinceMs: 40_000 },
      [
        [2, '40 to 41.001'],
        [0, '40 to 41.001'],
      ],
    ],
    [
      { untilMs: 40_000 },
      [
        [1, 'start to 40'],
        [1, 'start to 40'],
      ],
    ],
    [
      { sinceMs: 10_000, untilMs: 50_000 },
      [
        [3, '10 to 50'],
        [1, '10 to 50'],
      ],
    ],
    [
      { sinceMs: 41_001 },
      [
        [0, 'none'],
        [0, 'none'],
      ],
    ],
  ])('covers all codes in its part of the requested range %j (V11)', async (requested, expected) => {
    expect((await index([file], requested)).slice(0, 2)).toEqual(expected);
  });

  it('without code IDs has the scans of the code in its name, else of the only code, and is otherwise refused', async () => {
    const rows = csv([
      ['', 20],
      ['', 30],
    ]);
    expect((await index([['two.csv', rows, plain]])).map(([found]) => found)).toEqual([0, 2, 0]);
    expect((await index([['x.csv', rows, plain]], {}, ['one'])).map(([found]) => found)).toEqual([2]);
    await expect(index([['x.csv', rows, plain]])).rejects.toMatchObject({
      message: expect.stringMatching(/^cannot verify .*x\.csv: its rows have no code IDs$/),
      hint: 'Specify the code of the file: `qrctl scans verify CODE --input FILE`.',
    });
  });
});

describe('an appended log', () => {
  const rows = csv([
    [A, 9],
    [A, 10],
    [A, 19],
    [A, 20],
    [B, 20],
    [B, 29],
    [C, 15],
  ]);

  it('covers its codes to the end of their last run, and other codes in its whole range (V11)', async () => {
    const log = kept({ [A]: 20, [B]: 30 });
    expect(await index([['x.csv', rows, log]])).toEqual([
      [2, '10 to 20'],
      [2, '10 to 30'],
      [1, '10 to 30'],
    ]);
    expect(await index([['x.csv', rows, log]], { sinceMs: 12_000, untilMs: 29_000 })).toEqual([
      [1, '12 to 20'],
      [1, '12 to 29'],
      [1, '12 to 29'],
    ]);
    expect(await index([['x.csv', rows, log]], { sinceMs: 20_000 })).toEqual([
      [0, 'none'],
      [2, '20 to 30'],
      [0, '20 to 30'],
    ]);
  });

  it('covers its own codes, and a file without a state covers the other codes', async () => {
    const files: File[] = [
      ['x.csv', csv([[A, 19]]), kept({ [A]: 20 })],
      ['y.csv', csv([[B, 29]]), kept({ [B]: 30 })],
      ['z.csv', csv([[C, 35]]), plain],
    ];
    const ranges = [
      [1, '10 to 20'],
      [1, '10 to 30'],
    ];
    expect(await index(files)).toEqual([...ranges, [1, '19 to 35.001']]);
    expect(await index(files.slice(0, 2))).toEqual([...ranges, [0, '10 to 30']]);
  });

  it('with an incomplete last line has a fault, and other logs do not', async () => {
    const files: File[] = [
      ['x.csv', `${csv([[A, 19]])}${B},`, kept({ [A]: 20 })],
      ['y.csv', csv([[B, 29]]), kept({ [B]: 30 })],
    ];
    expect(await index(files, {}, ['one', 'two'])).toEqual([
      [1, '10 to 20', 'the last line of x.csv is incomplete'],
      [1, '10 to 30'],
    ]);
  });

  it('that is unreadable has the fault that is already known, or is refused', async () => {
    const fault = { reason: 'x.csv was edited', hint: '' };
    const broken = 'not,scans\n';
    expect(await index([['x.csv', broken, { ...kept({ [A]: 20 }), fault }]], {}, ['one'])).toEqual([
      [0, '10 to 20', 'x.csv was edited'],
    ]);
    await expect(index([['x.csv', broken, kept({ [A]: 20 })]])).rejects.toThrow('missing columns');
  });
});
