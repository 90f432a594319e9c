/** `--rotated` with `copytruncate`: runs between the copy and the truncation, whose rows are in no copy. */
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { MemoryDisk } from '../../support/memory-disk.ts';
import { runs } from '../../support/property-runs.ts';
import {
  CODE,
  createMemoryDisk,
  FILE,
  HOUR,
  idsIn,
  idsOf,
  OTHER_CODE,
  type RunOptions,
  rowsAt,
  run,
  START,
  STATE,
  type TestService,
} from './runs.ts';

const COPY = `${FILE}.1`;

let memory: MemoryDisk;
let service: TestService;

const rotated = (options: RunOptions = {}) => run(memory, service, { rotated: true, ...options });
const copies = () => memory.names().filter((name) => /\.\d+$/.test(name));
const allIds = () => [...copies(), FILE].flatMap((name) => idsIn(memory.read(name) ?? '')).sort();

function add(code: string, ...hours: number[]): void {
  const next = () => 1 + Object.values(service).flat().length;
  for (const hour of hours) service[code]?.push({ id: next(), time: START + hour * HOUR });
}

/** As logrotate does: the newest copy has the lowest number. */
async function copy(isTorn = false): Promise<void> {
  for (const name of copies().sort().reverse()) {
    const number = Number(name.slice(FILE.length + 1));
    await memory.disk.rename(name, `${FILE}.${number + 1}`);
  }
  const text = memory.read(FILE) ?? '';
  // The header is written at once, and a row may be copied in part.
  memory.write(COPY, isTorn && idsIn(text).length > 0 ? text.slice(0, -9) : text);
}

async function empty(): Promise<void> {
  const file = await memory.disk.open(FILE, 'r+');
  await file.truncate(0);
  await file.close();
}

beforeEach(() => {
  memory = createMemoryDisk();
  service = { [CODE]: rowsAt(0, HOUR, 2 * HOUR), [OTHER_CODE]: [] };
  add(OTHER_CODE, 0.5, 1.5);
});

describe('a run between the copy and the truncation', () => {
  it.each([false, true])(
    'loses no scan: the next reads those that the copy lacks (torn copy: %s) (A36)',
    async (isTorn) => {
      await rotated();
      await copy(isTorn);
      add(CODE, 3, 1.5, 4);
      add(OTHER_CODE, 3.5);
      await rotated();
      await empty();
      add(CODE, 5);
      const said: string[] = [];
      await rotated({ warn: (line) => said.push(line) });
      const warning = expect.stringMatching(
        /scans\.out\.1 was copied before the last run ended and lacks [45] scans\..*`qrctl scans verify`/,
      );
      expect(said).toEqual([
        ...(isTorn ? [expect.stringContaining('removed an incomplete row')] : []),
        warning,
      ]);
      expect(allIds()).toEqual(idsOf(service));
      expect(await rotated()).toBe(0);
    },
  );

  it('may have been the second, or have added the first scans of a code, in the second file or later (A36)', async () => {
    service[OTHER_CODE] = [];
    await rotated();
    for (const hour of [10, 20, 30]) {
      await copy();
      await empty();
      add(CODE, hour);
      await rotated();
      await copy();
      add(CODE, hour + 1);
      await rotated();
      if (hour === 20) add(OTHER_CODE, hour + 1);
      add(CODE, hour + 2);
      await rotated();
      await empty();
      await rotated();
      expect(allIds(), `${hour}`).toEqual(idsOf(service));
    }
  });

  it('leaves the last run unverified as it was: the next one reads all of it again (A9, A36)', async () => {
    await rotated();
    await copy();
    add(CODE, 30, 50, 51);
    await expect(rotated({ unproven: true })).rejects.toThrow('does not add up');
    await empty();
    add(CODE, 52);
    await rotated();
    expect(allIds()).toEqual(idsOf(service));
  });

  it('that was killed, too (A36)', async () => {
    await rotated();
    add(CODE, 3);
    await rotated();
    await copy();
    add(CODE, 4, 5, 6);
    memory.fault = (_, operation) => (operation === `sync ${FILE}` ? 'end-before' : undefined);
    await expect(rotated({ pageRows: 1 })).rejects.toThrow();
    memory.revive();
    await empty();
    await rotated();
    expect(allIds()).toEqual(idsOf(service));
  });

  it('is refused if there is no copy, and continues without it once the empty file is deleted (A36)', async () => {
    await rotated();
    await empty();
    const before = memory.read(STATE);
    const refused = rotated();
    await expect(refused).rejects.toThrow('was emptied: no copy in the same directory has all of its rows');
    await expect(refused).rejects.toMatchObject({
      hint: expect.stringContaining('delete scans.out to continue'),
    });
    expect(memory.read(STATE)).toBe(before);
    memory.remove(FILE);
    add(CODE, 3);
    expect(await rotated()).toBe(1);
  });

  it('is refused with a copy of an earlier rotation, without scans, or that was edited (A36)', async () => {
    await rotated();
    const earlier = memory.read(FILE) ?? '';
    await copy();
    await empty();
    add(CODE, 10);
    await rotated();
    const whole = memory.read(FILE) ?? '';
    add(CODE, 11);
    await rotated();
    await empty();
    const header = earlier.slice(0, earlier.indexOf('\n') + 1);
    for (const text of [
      earlier,
      header,
      whole.replace('DE', 'FR,'),
      whole.replace(/^(.*),\d+,/m, '$1,99,'),
      'something else\n',
    ]) {
      memory.write(COPY, text);
      await expect(rotated(), text).rejects.toThrow('was emptied');
      expect(memory.read(COPY)).toBe(text);
    }
    memory.write(`${FILE}.2`, earlier);
    memory.write(COPY, whole);
    await rotated();
    expect(allIds()).toEqual(idsOf(service));
  });

  it('a compressed copy is decompressed to compare it, and one that lacks rows is asked for (A36)', async () => {
    await rotated();
    const part = memory.read(FILE) ?? '';
    add(CODE, 3);
    await rotated();
    const whole = memory.read(FILE) ?? '';
    await empty();
    for (const packed of [gzipSync(part), gzipSync(whole).subarray(0, 40), Buffer.from('no gzip')]) {
      memory.write(`${COPY}.gz`, packed);
      await expect(rotated()).rejects.toMatchObject({
        hint: expect.stringContaining('Decompress scans.out.1.gz'),
      });
    }
    memory.remove(`${COPY}.gz`);
    memory.write(`${COPY}.zst`, whole);
    await expect(rotated()).rejects.toMatchObject({
      hint: expect.stringContaining('Decompress scans.out.1.zst'),
    });
    memory.remove(`${COPY}.zst`);
    memory.write(`${COPY}.gz`, gzipSync(whole));
    add(CODE, 4);
    expect(await rotated()).toBe(1);
  });
});

describe('any history of copies, truncations and runs', () => {
  const steps = fc.array(
    fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({ is: fc.constant('add' as const), code: fc.nat(1), late: fc.boolean() }),
      },
      { weight: 4, arbitrary: fc.record({ is: fc.constant('run' as const) }) },
      { weight: 2, arbitrary: fc.record({ is: fc.constant('copy' as const), isTorn: fc.boolean() }) },
      { weight: 2, arbitrary: fc.record({ is: fc.constant('empty' as const) }) },
      { weight: 1, arbitrary: fc.record({ is: fc.constant('move' as const) }) },
    ),
    { minLength: 4, maxLength: 30 },
  );

  it('has each scan once, or says that it cannot (A36)', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (history) => {
        memory = createMemoryDisk();
        service = { [CODE]: rowsAt(0, HOUR), [OTHER_CODE]: [] };
        await rotated();
        let hour = 2;
        /** The file was copied, and is emptied next. */
        let isCopied = false;
        for (const step of [...history, { is: 'run' as const }]) {
          if (step.is === 'add') {
            hour += 2;
            // A late scan is within the overlap of the newest one of its code.
            const code = step.code === 0 ? CODE : OTHER_CODE;
            const newest = service[code]?.at(-1)?.time;
            if (step.late && newest !== undefined)
              service[code]?.splice(-1, 0, { id: 1000 + hour, time: newest - HOUR / 2 });
            else add(code, hour);
          } else if (step.is === 'copy' && !isCopied && memory.read(FILE)) {
            await copy(step.isTorn);
            isCopied = true;
          } else if (step.is === 'empty' && isCopied) {
            await empty();
            isCopied = false;
          } else if (step.is === 'move' && !isCopied && memory.read(FILE)) {
            await copy();
            memory.remove(FILE);
          } else if (step.is === 'run') {
            const refusal = await rotated().then(
              () => undefined,
              (error) => error,
            );
            // Only where the copy has no scan that no earlier file has.
            if (refusal) {
              expect(refusal).toMatchObject({
                name: 'UsageError',
                message: expect.stringContaining('was emptied'),
              });
              return;
            }
            if (!isCopied) expect(allIds()).toEqual(idsOf(service));
          }
        }
      }),
      runs(100),
    );
  });
});
