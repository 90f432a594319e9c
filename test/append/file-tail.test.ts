import { beforeEach, describe, expect, it } from 'vitest';
import { LocalError } from '../../src/errors.ts';
import type { MemoryDisk } from '../support/memory-disk.ts';
import { CODE, createMemoryDisk, FILE, HOUR, idsIn, openOn, rowsAt, run, START, STATE, type TestService } from './runs.ts';

const NEW = { rows: [{ id: 9, ts: '2026-01-02T00:00:00.000Z' }], times: [START + 24 * HOUR] };

let memory: MemoryDisk;
let service: TestService;

const fileText = () => memory.read(FILE) ?? '';

beforeEach(async () => {
  memory = createMemoryDisk();
  service = { [CODE]: rowsAt(0, HOUR, 2 * HOUR, 3 * HOUR) };
  await run(memory, service);
  memory.revive();
});

describe('somebody else works on the file during a run', () => {
  const changes: [string, () => void][] = [
    [
      'writes to it',
      () => memory.write(FILE, `${fileText()}# a note of mine, which is longer than any row that is added${'!'.repeat(100)}`),
    ],
    ['moves it away', () => memory.remove(FILE)],
    [
      'puts another file there',
      () => {
        const text = fileText();
        memory.remove(FILE);
        memory.write(FILE, text);
      },
    ],
  ];
  it.each(changes)('and %s: nothing more is claimed, and nothing of it is cut off (A15)', async (_, change) => {
    const before = memory.read(STATE);
    const file = await openOn(memory, service);
    change();
    const theirs = memory.read(FILE);
    const adding = file.sinkOf(CODE).write(NEW);
    await expect(adding).rejects.toThrow(LocalError);
    await expect(adding).rejects.toThrow(`${FILE} was moved or changed by somebody else during the run`);
    await expect(file.commit()).rejects.toThrow('was moved or changed');
    await file.discard();
    expect(memory.read(STATE)).toBe(before);
    expect(memory.read(FILE)?.slice(-50)).toBe(theirs?.slice(-50));
  });
});

describe('a step that fails', () => {
  it.each([`write ${FILE}`, `sync ${FILE}`])(
    '%s: nothing more is claimed, though the next would succeed, and what is not claimed is cut off (A5)',
    async (step) => {
      const before = [memory.read(STATE), fileText()];
      const file = await openOn(memory, service);
      memory.fault = (_, operation) => (operation === step ? 'EIO' : undefined);
      await expect(file.sinkOf(CODE).write(NEW)).rejects.toThrow(LocalError);
      memory.fault = () => undefined;
      await expect(file.sinkOf(CODE).write(NEW)).rejects.toThrow('EIO');
      await expect(file.commit()).rejects.toThrow('EIO');
      await file.discard();
      expect([memory.read(STATE), fileText()]).toEqual(before);
    },
  );

  it('leaves rows in the file that a state may claim, where it is not known whether it took its place', async () => {
    const file = await openOn(memory, service);
    memory.fault = (_, operation) => (operation.startsWith('rename') ? 'EIO' : undefined);
    await expect(file.sinkOf(CODE).write(NEW)).rejects.toThrow(LocalError);
    await file.discard();
    expect(idsIn(fileText())).toEqual(['1', '2', '3', '4', '9']);
  });
});

describe('--restart', () => {
  it('keeps the permissions of the file', async () => {
    await (await memory.disk.open(FILE, 'r+')).chmod(0o100640);
    await run(memory, service, { restart: true });
    expect((await memory.disk.stat(FILE)).mode & 0o777).toBe(0o640);
  });

  it('has nothing in the file’s place, or beside it, before all is there', async () => {
    const before = [fileText(), memory.read(STATE)];
    const file = await openOn(memory, service, { restart: true });
    await file.sinkOf(CODE).write(NEW);
    expect([fileText(), memory.read(STATE)]).toEqual(before);
    await file.discard();
    expect(memory.names()).toEqual([FILE, STATE]);
  });

  it('makes a file without rows where there are none', async () => {
    await run(memory, { [CODE]: [] }, { restart: true });
    expect(fileText()).toBe('id,ts,country,city,device,os,browser,referrer\n');
  });
});

it('says so when its own rows cannot be read back', async () => {
  const file = await openOn(memory, service, { formatter: { begin: () => 'id,ts', rows: () => 'torn' }, restart: true });
  const sink = file.sinkOf(CODE);
  await sink.write(NEW);
  await sink.write({ rows: NEW.rows, times: [START] });
  await file.discard();
});
