import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { LocalError, UsageError } from '#base/errors';
import { countOf } from '#base/text/quote';
import type { Disk } from '#files/durable/disk';
import type { MemoryDisk } from '../../support/memory-disk.ts';
import {
  CODE,
  countingDisk,
  createMemoryDisk,
  FILE,
  HOUR,
  idsIn,
  OTHER_CODE,
  type RunOptions,
  rowsAt,
  run,
  START,
  STATE,
  type TestService,
} from './runs.ts';

let memory: MemoryDisk;
let service: TestService;

const fileText = () => memory.read(FILE) ?? '';
const state = () => JSON.parse(memory.read(STATE) ?? '');
const ids = () => idsIn(fileText());
const ROW = '5,2026-01-01T04:00:00.000Z,DE,,mobile,iOS,Safari,\n';

/** A run that was killed when it was about to write its first new row; gives what is committed. */
async function stopped(options: RunOptions = {}): Promise<string> {
  await run(memory, service, options);
  service[CODE]?.push({ id: 5, time: START + 4 * HOUR });
  memory.fault = (_, operation) => (operation === `write ${FILE}` ? 'end-before' : undefined);
  await expect(run(memory, service, options)).rejects.toThrow();
  memory.revive();
  return fileText();
}

const everything = () => memory.names().map((name) => [name, memory.read(name)]);

beforeEach(() => {
  memory = createMemoryDisk();
  service = { [CODE]: rowsAt(0, HOUR, 2 * HOUR, 3 * HOUR) };
});

describe('an append', () => {
  it('removes the rows that a killed run did not commit, and prints a warning (A4)', async () => {
    const committed = await stopped();
    memory.write(FILE, `${committed}${ROW}6,2026-01-01T05:00:00.000Z,DE,,mob`);
    const warnings: string[] = [];
    await run(memory, service, { warn: (line) => warnings.push(line) });
    expect(fileText()).toBe(`${committed}${ROW}`);
    expect(warnings).toEqual([
      `scans.out: removed ${ROW.length + 34} bytes that a stopped run left after the last commit (1 complete row)`,
    ]);
  });

  it('removes uncommitted rows in which a power cut left a block of zeros (A21)', async () => {
    for (const lost of [0, 1, 2]) {
      memory = createMemoryDisk();
      service = { [CODE]: rowsAt(0, HOUR, 2 * HOUR, 3 * HOUR) };
      const committed = await stopped();
      const rows = Buffer.from(`${committed}${ROW.repeat(25)}`);
      memory.write(
        FILE,
        rows.fill(0, Math.max(committed.length, lost * 512), Math.min(rows.length, (lost + 1) * 512)),
      );
      await run(memory, service);
      expect(fileText()).toBe(`${committed}${ROW}`);
    }
  });

  it.each<[string, (row: string) => string | Buffer]>([
    ['a note with a quote', () => '# it is 5" wide\n'],
    ['an ID that continues with letters', () => '6th of May'],
    ['a row with one zero in it', (row) => row.replace('Z', '\0')],
    ['a note in UTF-16, as PowerShell appends it', () => Buffer.from('a note\r\n', 'utf16le')],
  ])('refuses %s after rows that a stopped run left (A21)', async (_, more) => {
    const committed = await stopped();
    memory.write(FILE, Buffer.concat([Buffer.from(`${committed}${ROW}`), Buffer.from(more(ROW))]));
    const before = fileText();
    await expect(run(memory, service)).rejects.toThrow('was not written by this export');
    expect(fileText()).toBe(before);
  });

  it.each(['6', '6,2026-01', '-', ROW.slice(0, -1), `${ROW.slice(0, -2)},"a quote, and a`, '6,20\0\0\0'])(
    'removes %j after uncommitted rows of a killed run, because it may be the beginning of a row (A21)',
    async (torn) => {
      const committed = await stopped();
      memory.write(FILE, `${committed}${ROW}${torn}`);
      await run(memory, service);
      expect(fileText()).toBe(`${committed}${ROW}`);
    },
  );

  it.each([
    ['{"id":6,"ts', true],
    ['{', true],
    ['a note', false],
    ['{ a note', false],
  ])(
    'removes uncommitted text after NDJSON rows only if it begins like a row: %j, removed: %s (A21)',
    async (torn, cut) => {
      const options = { identity: { format: 'ndjson' as const } };
      const committed = await stopped(options);
      memory.write(FILE, `${committed}${torn}`);
      const again = run(memory, service, options);
      if (cut) expect(await again).toBe(1);
      else await expect(again).rejects.toThrow('was not written by this export');
    },
  );

  it.each(['5,yesterday,DE,,mobile,iOS,Safari,\n'])(
    'refuses %j, which has an invalid time, after rows that a stopped run left (A21)',
    async (line) => {
      const committed = await stopped();
      memory.write(FILE, `${committed}${ROW}${line}`);
      await expect(run(memory, service)).rejects.toThrow(
        `data after the last commit (${ROW.length + line.length} bytes from byte ${committed.length}) was not written by this export`,
      );
      expect(fileText()).toBe(`${committed}${ROW}${line}`);
    },
  );

  it('refuses an uncommitted row of a code that is not exported, unless the export has --all (A21)', async () => {
    for (const all of [false, true]) {
      memory = createMemoryDisk();
      service = { [CODE]: rowsAt(0, HOUR), [OTHER_CODE]: [] };
      await stopped({ identity: { all } });
      memory.write(FILE, `${fileText()}33333333-3333-4333-8333-333333333333,${ROW}`);
      const again = run(memory, service, { identity: { all } });
      if (all) expect(await again).toBe(1);
      else await expect(again).rejects.toThrow('was not written by this export');
    }
  });

  it.each(['# a note of mine\n', '99,2026-01-01T04:00:00.000Z,DE,,mobile,iOS,Safari,\n', 'x'])(
    'refuses %j after a complete run, even if it looks like a row (A20)',
    async (line) => {
      await run(memory, service);
      const before = fileText();
      memory.write(FILE, `${before}${line}`);
      const again = run(memory, service);
      await expect(again).rejects.toThrow(UsageError);
      await expect(again).rejects.toThrow(
        `data after the last commit (${countOf(line.length, 'byte')} from byte ${before.length}) was not written by this export`,
      );
      expect(fileText()).toBe(`${before}${line}`);
    },
  );

  it.each([
    ['id,t', true],
    ['id,ts,country,city,device,os,browser,referrer\n1,2026', true],
    ['id,\0\0', true],
    ['\0\0\0\0', true],
    ['name', false],
    ['id,ts,device', false],
    ['{"id":1,"ts', true, 'ndjson' as const],
    ['precious', false, 'ndjson' as const],
  ])(
    'discards the text of a file without committed rows only if a first run may have written it: %j, discarded: %s (A17)',
    async (text, cut, format?: 'ndjson') => {
      const options = format ? { identity: { format } } : {};
      memory.fault = (_, operation) => (operation === `create ${FILE}` ? 'end-before' : undefined);
      await expect(run(memory, service, options)).rejects.toThrow();
      memory.revive();
      memory.write(FILE, text);
      if (cut) expect(await run(memory, service, options)).toBe(4);
      else
        await expect(run(memory, service, options)).rejects.toThrow(
          'the file was not written by this export',
        );
      if (!cut) expect(fileText()).toBe(text);
    },
  );
});

describe('a --restart that replaced the file', () => {
  it.each(['', 'x'])(
    'is not undone by a temporary file of the same length plus the text %j, which a later --restart left (A8)',
    async (more) => {
      await run(memory, service, { restart: true });
      const before = fileText();
      memory.write('/data/.scans.out.restart', before.replace('mobile', 'tablet').concat(more));
      expect(await run(memory, service)).toBe(0);
      expect(fileText()).toBe(before);
      expect(memory.names()).toEqual([FILE, STATE]);
    },
  );
});

describe('a --restart that was stopped before it replaced the file', () => {
  it.each(['and was stopped at once', 'and wrote as many bytes'])(
    'is not completed again after a later --restart completed it %s (A8)',
    async (how) => {
      service[CODE]?.push({ id: 7, time: START + 9 * HOUR });
      for (const stop of ['rename', 'write']) {
        memory.fault = (_, operation) =>
          operation === `${stop} /data/.scans.out.restart` ? 'end-before' : undefined;
        await expect(run(memory, service, { restart: true })).rejects.toThrow();
        memory.revive();
      }
      const { disk, stillOpen } = countingDisk(memory);
      // The later one had put the first in its place before it began; the state still says that it may have to be done.
      const whole = fileText();
      if (how === 'and wrote as many bytes')
        memory.write('/data/.scans.out.restart', whole.replace('mobile', 'tablet'));
      expect(await run(memory, service, { disk })).toBe(0);
      expect(fileText()).toBe(whole);
      expect(ids()).toHaveLength(service[CODE]?.length ?? 0);
      expect(stillOpen()).toBe(0);
    },
  );
});

it('a run whose state was lost prints no warning if every row in the file is complete', async () => {
  await run(memory, service);
  memory.remove(STATE);
  const warnings: string[] = [];
  await run(memory, service, { warn: (line) => warnings.push(line) });
  expect(warnings).toEqual([]);
});

it('a refused append closes the file', async () => {
  const { disk, stillOpen } = countingDisk(memory);
  await run(memory, service, { restart: true });
  memory.write('/data/.scans.out.restart', 'other');
  memory.write(FILE, 'edited');
  await expect(run(memory, service, { disk })).rejects.toThrow(UsageError);
  memory.remove(STATE);
  await expect(run(memory, service, { disk })).rejects.toThrow(UsageError);
  expect(stillOpen()).toBe(0);
});

describe('an older copy', () => {
  const at = { file: FILE, 'state file': STATE };

  it.each(['file', 'state file'] as const)(
    'of the %s is refused with a hint to delete the state, after which a run completes the file (A6, A14)',
    async (which) => {
      await run(memory, service);
      const older = memory.read(at[which]) ?? '';
      service[CODE]?.push({ id: 5, time: START + 4 * HOUR }, { id: 6, time: START + 5 * HOUR });
      expect(await run(memory, service)).toBe(2);
      memory.write(at[which], older);
      await expect(run(memory, service)).rejects.toMatchObject({
        name: 'UsageError',
        hint: expect.stringContaining(`If the ${which} is an older copy, delete scans.out.state.json. `),
      });
      memory.remove(STATE);
      expect(await run(memory, service)).toBe(which === 'file' ? 2 : 0);
      expect(ids()).toEqual(['1', '2', '3', '4', '5', '6']);
    },
  );

  it('of a log with rotated files is refused with a hint to restore the file or pass --restart (A28)', async () => {
    await run(memory, service, { rotated: true });
    await memory.disk.rename(FILE, `${FILE}.1`);
    service[CODE]?.push({ id: 5, time: START + 4 * HOUR });
    await run(memory, service, { rotated: true });
    memory.write(FILE, fileText().slice(0, -10));
    await expect(run(memory, service, { rotated: true })).rejects.toMatchObject({
      hint: expect.stringMatching(/^No changes were made\. Restore the file from a backup, or add --restart/),
    });
  });
});

describe('an append is refused and changes no file if', () => {
  const cases: [string, () => void, RegExp, string, Parameters<typeof run>[2]?][] = [
    [
      'the file is shorter than committed (A6)',
      () => memory.write(FILE, fileText().slice(0, -10)),
      /the file was truncated/,
      'If not, restore the file from a backup, or add --restart',
    ],
    [
      'the file was edited (A6)',
      () => memory.write(FILE, fileText().replace('Safari', 'Firefox')),
      /was edited or replaced/,
      'qrctl keeps it as scans.out.old',
    ],
    ['the file was moved away (A6)', () => memory.remove(FILE), /the file no longer exists/, 'add --rotated'],
    [
      'the run exports another code (A6)',
      () => {},
      /contains the scans of code 1111/,
      `Pass the same codes (${CODE})`,
      { identity: { codes: [OTHER_CODE] } },
    ],
    [
      'a later version of qrctl wrote the state (A16)',
      () => memory.write(STATE, later(memory.read(STATE) ?? '')),
      /version 3, which this version of qrctl does not support/,
      'Update qrctl',
    ],
    [
      'the state is missing and the file was edited (A14)',
      () => {
        memory.remove(STATE);
        memory.write(FILE, fileText().replace('2026-01-01T01', 'yesterday'));
      },
      /a row that is not a scan/,
      'Restore scans.out.state.json from a backup',
    ],
    [
      'the state is damaged and the file is missing',
      () => {
        memory.write(STATE, '{');
        memory.remove(FILE);
      },
      /cannot be read \(truncated or changed\), and the file is missing/,
      'or add --restart',
    ],
  ];

  it.each(cases)('%s', async (_, change, message, wayOn, options) => {
    await run(memory, service);
    change();
    const before = everything();
    const again = run(memory, service, options);
    await expect(again).rejects.toThrow(UsageError);
    await expect(again).rejects.toThrow(message);
    await expect(again).rejects.toMatchObject({ hint: expect.stringContaining(wayOn) });
    expect(everything()).toEqual(before);
  });

  it('another program wrote the file', async () => {
    memory.write(FILE, 'name,amount\nTea,3\n');
    await expect(run(memory, service)).rejects.toThrow(UsageError);
    expect(fileText()).toBe('name,amount\nTea,3\n');
  });
});

it('a disk error during the rebuild of a lost state ends the append with a LocalError', async () => {
  await run(memory, service);
  memory.remove(STATE);
  const open: Disk['open'] = async (...where) => {
    const file = await memory.disk.open(...where);
    return { ...file, read: () => Promise.reject(Object.assign(new Error('EIO'), { code: 'EIO' })) };
  };
  await expect(run(memory, service, { disk: { ...memory.disk, open } })).rejects.toThrow(LocalError);
});

it('a disk error while uncommitted rows are read ends the append with a LocalError', async () => {
  const committed = await stopped();
  memory.write(FILE, `${committed}${ROW}`);
  const open: Disk['open'] = async (...where) => {
    const file = await memory.disk.open(...where);
    const fail = () => Promise.reject(Object.assign(new Error('EIO'), { code: 'EIO' }));
    return { ...file, read: (...given) => (given[3] >= committed.length ? fail() : file.read(...given)) };
  };
  await expect(run(memory, service, { disk: { ...memory.disk, open } })).rejects.toThrow(LocalError);
});

it('a run whose state was lost warns about the incomplete last row that it will remove (A4)', async () => {
  await run(memory, service);
  memory.remove(STATE);
  memory.write(FILE, `${fileText()}5,2026-01`);
  const warnings: string[] = [];
  await run(memory, service, { warn: (line) => warnings.push(line) });
  expect(warnings).toEqual(['scans.out: the incomplete last row (9 bytes) will be removed']);
  expect(ids()).toEqual(['1', '2', '3', '4']);
});

describe('a lost state', () => {
  it.each(['csv', 'ndjson'] as const)('is rebuilt from a %s file', async (format) => {
    const options = { identity: { format } };
    await run(memory, service, options);
    service[CODE]?.push({ id: 20, time: START + 4 * HOUR }, { id: 21, time: START + 2.5 * HOUR });
    memory.remove(STATE);
    expect(await run(memory, service, options)).toBe(2);
    expect(idsIn(fileText(), format)).toEqual(['1', '2', '3', '4', '21', '20']);
    expect(state().positions[CODE].watermarkMs).toBe(START + 4 * HOUR);
  });

  it('is rebuilt even if the last row of the file is incomplete (A4)', async () => {
    await run(memory, service);
    memory.write(FILE, fileText().slice(0, -3));
    memory.remove(STATE);
    expect(await run(memory, service)).toBe(1);
    expect(ids()).toEqual(['1', '2', '3', '4']);
  });

  it('is rebuilt even if the last row has more than a thousand characters and an unclosed quote', async () => {
    await run(memory, service);
    const before = fileText();
    memory.write(FILE, `${before}5,2026-01-01T05:00:00.000Z,DE,"${'x'.repeat(1000)}\n`);
    memory.remove(STATE);
    expect(await run(memory, service)).toBe(0);
    expect(fileText()).toBe(before);
  });

  it('is rebuilt even if cells contain line breaks, quotes and commas', async () => {
    service[CODE]?.push(
      { id: 7, time: START + 4 * HOUR, referrer: 'a "b",\nc' },
      { id: 8, time: START + 4 * HOUR, referrer: '\n' },
    );
    await run(memory, service);
    const before = fileText();
    memory.remove(STATE);
    memory.write(FILE, before.slice(0, -1));
    await run(memory, service);
    expect(fileText()).toBe(before);
  });

  it('is rebuilt from a file with a byte order mark and CRLF line ends', async () => {
    const options = { identity: { dialect: { header: true, excel: true, rawCells: false } } };
    await run(memory, service, options);
    memory.remove(STATE);
    expect(await run(memory, service, options)).toBe(0);
    await expect(run(memory, service)).rejects.toThrow('was written with --excel');
  });

  it.each([
    [START - HOUR, START - HOUR],
    [START + 2 * HOUR, START],
    [undefined, START],
  ])(
    "is rebuilt with the oldest time in the file as its lower bound, or this run's --since if that is earlier: %s (A44)",
    async (sinceMs, saved) => {
      await run(memory, service);
      memory.remove(STATE);
      service[CODE]?.push({ id: 20, time: START + 4 * HOUR });
      await run(memory, service, { sinceMs, overlapMs: 9 * HOUR });
      expect(state().sinceMs).toBe(saved);
    },
  );

  it("is rebuilt with this run's --since as its lower bound if the file has no rows", async () => {
    memory.write(FILE, 'id,ts,country,city,device,os,browser,referrer\n');
    const notes: string[] = [];
    expect(await run(memory, service, { sinceMs: START + HOUR, note: (line) => notes.push(line) })).toBe(3);
    expect(notes).toEqual([
      'scans.out: its state file (scans.out.state.json) is missing. Rebuilt the state from the file',
    ]);
    expect(state().sinceMs).toBe(START + HOUR);
  });

  it('is rebuilt for several codes from the qr_id of each row, unless a row is of another code', async () => {
    service = { [CODE]: rowsAt(0, HOUR), [OTHER_CODE]: rowsAt(0, HOUR) };
    await run(memory, service);
    service[OTHER_CODE]?.push({ id: 5, time: START + 2 * HOUR });
    memory.remove(STATE);
    expect(await run(memory, service)).toBe(1);
    memory.remove(STATE);
    await expect(run(memory, { [CODE]: [], '33333333-3333-4333-8333-333333333333': [] })).rejects.toThrow(
      'a row of another code',
    );
  });
});

/** The state as a later version might write it. */
function later(text: string): string {
  const body = text.slice(0, text.lastIndexOf(',"checksum"')).replace('"version":2', '"version":3');
  const checksum = createHash('sha256').update(`${body}}`).digest('hex');
  return `${body},"checksum":"${checksum}"}\n`;
}
