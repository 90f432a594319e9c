import { expect, onTestFinished, test, vi } from 'vitest';
import { keepMemoryFlat, restoreFlags } from '#base/run/v8-flags';

const MIB = 2 ** 20;
const space = (space_name: string, space_size: number) => ({ space_name, space_size });

function captureFlags(v8: object = {}): string[] {
  const flags: string[] = [];
  const setFlagsFromString = (flag: string) => void flags.push(flag);
  const spy = vi.spyOn(process, 'getBuiltinModule');
  spy.mockImplementation((name) => (name === 'node:v8' ? { ...v8, setFlagsFromString } : undefined) as never);
  onTestFinished(() => spy.mockRestore());
  return flags;
}

test('restoreFlags() sets the default flags of V8', () => {
  const flags = captureFlags();
  restoreFlags();
  expect(flags).toEqual([
    '--no-liftoff-only',
    '--wasm-tier-up',
    '--wasm-dynamic-tiering',
    '--heap-growing-percent=0',
    '--semi-space-growth-factor=2',
  ]);
});

test.each([
  ['has reached 8 MiB', [7, 8, 16], [0, 1, 1]],
  ['is not listed', [undefined], [1]],
])('keepMemoryFlat() stops the growth of the young generation if its size %s', (_, sizes, stopped) => {
  let size: number | undefined;
  const getHeapSpaceStatistics = () => [
    space('old_space', 64 * MIB),
    ...(size === undefined ? [] : [space('new_space', size * MIB)]),
  ];
  const flags = captureFlags({ getHeapSpaceStatistics });
  const bound = keepMemoryFlat();
  expect(flags.splice(0)).toEqual(['--heap-growing-percent=20']);
  const counts = sizes.map((next) => {
    size = next;
    bound();
    return flags.length;
  });
  expect(counts).toEqual(stopped);
  expect(flags).toEqual(['--semi-space-growth-factor=1']);
});
