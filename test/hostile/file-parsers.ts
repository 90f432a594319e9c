/** Parsers of files that users pass and of files that earlier runs left, each with valid samples to damage. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Failure } from '#base/errors';
import { readAt } from '#codes/dated/read-at';
import { openLedgerFile, readMemory } from '#codes/engine/ledger/ledger-file';
import { parseLock } from '#codes/engine/lock/lock-file';
import { checkRows as checkRowsFor } from '#codes/engine/rows/read-rows';
import { readManifest } from '#codes/images/image-files';
import { loadLogo } from '#codes/images/load-logo';
import { parseWithFaults } from '#codes/input/read-input';
import { parseRows } from '#commands/bulk-input';
import { nodeDisk } from '#files/durable/node-disk';
import { DamagedRecordError, UnknownRecordError } from '#files/durable/record-file';
import { type Input, refuseChecked } from '#files/formats/read/input';
import { readRows } from '#scans/append/read-back';
import { UnrecognizedRowError } from '#scans/append/row-parsers';
import { parseState } from '#scans/append/state';
import { parseManifest } from '#scans/dataset/manifest';
import { DIMENSIONS, fieldsOf, groupOf } from '#scans/stats/dimensions';
import { peekInput } from '#scans/stats/input/input-log';
import { readInputs } from '#scans/stats/input/read-scans';
import { createWorkspace } from '#service/workspace';

import { parquet, png, resumPng, seal, sumLines, workbook } from './packing.ts';
import {
  CODES_CSV,
  CODES_JSON,
  CODES_NDJSON,
  ID,
  IDENTITY,
  IMAGE_MANIFEST,
  LEDGER,
  LIST,
  LOCK,
  MANIFEST,
  RELATIONS,
  RESULTS,
  SCANS,
  SCANS_CSV,
  SHEET,
  STATE,
  STYLES,
  SVG,
  WORKSPACE,
} from './samples.ts';

type ErrorClass = abstract new (...words: never[]) => Error;

/** One way into the program for bytes from outside. */
export interface Parser {
  name: string;
  samples: readonly Buffer[];
  /** How many of all inputs it gets, relative to the others. */
  share: number;
  /** Puts right what would have the damage noticed before it is parsed: checksums, compression. Half of the inputs are packed. */
  pack?: (bytes: Buffer) => Buffer;
  parse(bytes: Buffer, directory: string): unknown;
  /** In a thread of its own: slow, and the thread may stay until the process ends. */
  isApart?: true;
  /** Errors that its caller expects, beside those of src/base/errors.ts. */
  throws?: readonly ErrorClass[];
}

const UTM = { source: 'poster', campaign: 'spring' };
const BUFFERS = (texts: readonly string[]) => texts.map((text) => Buffer.from(text));
const lines = (records: readonly object[]) =>
  Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(''));

/** As the commands of bulk runs check what they read. */
async function checkRows(input: Input): Promise<void> {
  const rows = [
    () => checkRowsFor(input, { verb: 'create', utm: UTM }),
    () =>
      checkRowsFor(input, {
        verb: 'update',
        ignoreDates: true,
        slugOfShortUrl: (url: string) => url.split('/').at(-1),
      }),
    () => checkRowsFor(input, { verb: 'apply', keyColumn: 'name' }),
    () => checkRowsFor(input, { verb: 'delete' }),
    () => checkRowsFor(input, { verb: 'update', readAt: (cell) => readAt(cell, 'Europe/Berlin') }),
  ];
  for (const check of rows) await own(async () => refuseChecked(input, await check(), true));
}

/** Whatever is refused, the next is tried. */
async function own(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
  }
}

function fromOf(name: string, samples: readonly Buffer[], share: number, pack?: Parser['pack']): Parser {
  const file = name.replace('--from ', 'codes.');
  const parse = async (bytes: Buffer) => {
    await checkRows(await parseRows(bytes, file, { bareNames: bytes.length % 2 === 0 }, parseWithFaults));
  };
  return { name, samples, share, parse, ...(pack && { pack }) };
}

function inputOf(
  extension: string,
  samples: readonly Buffer[],
  share: number,
  pack?: Parser['pack'],
): Parser {
  return {
    name: `--input ${extension}`,
    samples,
    share,
    ...(pack && { pack }),
    async parse(bytes, directory) {
      const path = join(directory, `scans.${extension}`);
      await writeFile(path, bytes);
      await peekInput(path);
      const job = {
        paths: [path],
        fields: fieldsOf(DIMENSIONS.map(groupOf)),
        start: () => () => undefined,
        note: () => undefined,
        pause: async () => undefined,
      };
      await readInputs(job);
    },
  };
}

const OWN = {
  workspace: createWorkspace({ ...WORKSPACE, apiKey: 'svc_live_a' }),
  getCode: async () => undefined,
};
const STATES = [DamagedRecordError, UnknownRecordError];

export const FILE_PARSERS: readonly Parser[] = [
  fromOf('--from csv', BUFFERS([...CODES_CSV, ...RESULTS]), 12),
  fromOf('--from json', BUFFERS(CODES_JSON), 6),
  fromOf('--from ndjson', BUFFERS(CODES_NDJSON), 5),
  fromOf(
    '--from xlsx',
    BUFFERS([SHEET, STYLES, RELATIONS, '<sst><si><t>shared</t></si></sst>']).flatMap((part) => [
      part,
      workbook(part),
    ]),
    8,
    workbook,
  ),
  fromOf(
    '--from csv.gz',
    BUFFERS(CODES_CSV).flatMap((text) => [text, gzipSync(text)]),
    2,
    gzipSync,
  ),
  fromOf('--from txt', BUFFERS(LIST), 2),
  inputOf('csv', BUFFERS(SCANS_CSV), 6),
  inputOf('json', [Buffer.from(JSON.stringify(SCANS, null, 1))], 4),
  inputOf('ndjson', [lines(SCANS)], 4),
  inputOf(
    'csv.gz',
    BUFFERS(SCANS_CSV).flatMap((text) => [text, gzipSync(text)]),
    1,
    gzipSync,
  ),
  { ...inputOf('parquet', [parquet()], 4), isApart: true },
  {
    name: 'ledger',
    samples: [lines(LEDGER)],
    share: 6,
    pack: sumLines,
    async parse(bytes, directory) {
      const path = join(directory, 'ledger-1.jsonl');
      await writeFile(path, bytes);
      await own(() => readMemory(path, nodeDisk));
      const { log } = await openLedgerFile(path, OWN, nodeDisk);
      await log.close();
    },
  },
  {
    name: 'lock file',
    samples: BUFFERS([LOCK]),
    share: 3,
    parse: (bytes) => parseLock(bytes.toString(), 'codes.lock.json'),
  },
  {
    name: 'state',
    samples: [Buffer.from(JSON.stringify(STATE))],
    share: 3,
    pack: seal,
    parse: parseState,
    throws: STATES,
  },
  {
    name: 'state of a dataset',
    samples: [Buffer.from(JSON.stringify(MANIFEST))],
    share: 2,
    pack: seal,
    parse: parseManifest,
    throws: STATES,
  },
  {
    name: 'appended file',
    samples: [Buffer.from(`7,2026-10-01T01:02:03.004Z,${ID}\n"8",2026-10-01T01:02:04Z,${ID}\n`)],
    share: 3,
    throws: [UnrecognizedRowError],
    async parse(bytes, directory) {
      const path = join(directory, 'appended.csv');
      await writeFile(path, bytes);
      const file = await nodeDisk.open(path, 'r+');
      try {
        await readRows(
          file,
          { start: 0, end: bytes.length, strict: bytes.length % 2 === 0 },
          IDENTITY,
          () => undefined,
        );
      } finally {
        await file.close();
      }
    },
  },
  {
    name: 'manifest of images',
    samples: BUFFERS([IMAGE_MANIFEST]),
    share: 1,
    async parse(bytes, directory) {
      await writeFile(join(directory, 'manifest.csv'), bytes);
      await readManifest(directory, true);
    },
  },
  {
    name: 'PNG',
    samples: [png()],
    share: 2,
    isApart: true,
    pack: resumPng,
    parse: (bytes) => loadLogo(bytes),
  },
  { name: 'SVG', samples: BUFFERS(SVG), share: 4, isApart: true, parse: (bytes) => loadLogo(bytes) },
];
