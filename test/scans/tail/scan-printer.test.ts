import { describe, expect, it } from 'vitest';
import type { RowSink } from '#files/formats/row-sink';
import { type FoundScan, openScanPrinter, type ScanPrinter } from '#scans/tail/scan-printer';
import type { TailRun, TailStateFile } from '#scans/tail/state-file';

const RUN = { sinceMs: 0 } as TailRun;

/** A printer whose output and state note what happens to them. */
async function usePrinter({ fails }: { fails?: 'write' | 'flush' | 'record' } = {}) {
  const steps: string[] = [];
  const step = async (name: 'write' | 'flush' | 'record', what: string | number) => {
    if (fails === name) throw new Error(name);
    steps.push(`${name} ${what}`);
  };
  const sink = {
    write: async (rows: readonly unknown[]) => {
      await step('write', rows.length);
      return rows.length;
    },
    commit: async () => void steps.push('commit'),
    discard: async () => void steps.push('discard'),
  } as unknown as RowSink;
  const file: TailStateFile = {
    begin: async () => ({ sinceMs: 0, positions: new Map(), isContinued: false }),
    record: (positions) => step('record', positions.get('a')?.printed.size ?? 0),
    close: async () => undefined,
  };
  const printer = await openScanPrinter(file, RUN, {
    openSink: async () => sink,
    flush: () => step('flush', ''),
    now: () => ({ serviceMs: 1e6, machineMs: 1e6 }),
  });
  return { printer, steps };
}

const scans = (printer: ScanPrinter, count: number) => {
  const position = printer.positionOf('a');
  return Array.from({ length: count }, (_, i) => {
    return { codeId: 'a', position, id: i, ms: i, row: { id: i }, hasBegun: true };
  });
};

describe('a printer with a state', () => {
  it('records only scans that were printed and flushed (S1)', async () => {
    const { printer, steps } = await usePrinter();
    await printer.print(scans(printer, 3));
    expect(steps).toEqual(['write 3', 'flush ', 'record 3']);
    for (const fails of ['write', 'flush'] as const) {
      const failing = await usePrinter({ fails });
      await expect(failing.printer.print(scans(failing.printer, 3))).rejects.toThrow(fails);
      expect(failing.steps.filter((each) => each.startsWith('record'))).toEqual([]);
    }
  });

  it('records the state after every 500 scans, so that the run after a kill repeats at most 500 scans (S2)', async () => {
    const { printer, steps } = await usePrinter();
    await printer.print(scans(printer, 1001));
    expect(steps.filter((each) => each.startsWith('write'))).toEqual(['write 500', 'write 500', 'write 1']);
    const expected = ['record 500', 'record 1000', 'record 1001'];
    expect(steps.filter((each) => each.startsWith('record'))).toEqual(expected);
  });

  it('does not record a forgotten code, and commits or discards the output', async () => {
    const { printer, steps } = await usePrinter();
    const [first, ...others] = scans(printer, 3);
    await printer.print(others);
    printer.forget('a');
    await printer.print([{ ...first, codeId: 'b' } as FoundScan]);
    await printer.commit();
    await printer.discard();
    expect(steps.filter((step) => !/^(write|flush)/.test(step))).toEqual([
      ...['record 2', 'record 0', 'commit', 'discard'],
    ]);
  });

  it('does not write the state if no scan is new', async () => {
    const { printer, steps } = await usePrinter();
    await printer.print([]);
    expect(steps).toEqual([]);
  });
});
