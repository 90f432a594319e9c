import { expect, onTestFinished, test, vi } from 'vitest';
import { keepMemoryFlat } from '#base/run/v8-flags';

const MIB = 2 ** 20;
const space = (space_name: string, space_size: number) => ({ space_name, space_size });

test.each([
  ['has reached 8 MiB', [7, 8, 16], [0, 1, 1]],
  ['is not listed', [undefined], [1]],
])('keepMemoryFlat() stops the growth of the young generation once it %s', (_, sizes, stopped) => {
  const flags: string[] = [];
  let size: number | undefined;
  const getHeapSpaceStatistics = () => [
    space('old_space', 64 * MIB),
    ...(size === undefined ? [] : [space('new_space', size * MIB)]),
  ];
  const v8 = { setFlagsFromString: (flag: string) => void flags.push(flag), getHeapSpaceStatistics };
  const spy = vi.spyOn(process, 'getBuiltinModule').mockReturnValue(v8 as never);
  onTestFinished(() => spy.mockRestore());
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
