import { expect, it } from 'vitest';
import { processorMs } from '#base/time/time';

it('processorMs is the sum of user and system time', () => {
  const usedMs = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  };
  const before = usedMs();
  const between = processorMs();
  expect(between).toBeGreaterThanOrEqual(before);
  expect(between).toBeLessThanOrEqual(usedMs());
});
