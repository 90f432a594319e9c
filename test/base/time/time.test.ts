import { expect, it } from 'vitest';
import { processorMs } from '#base/time/time';

it('processorMs returns the user and system time that the process has used, in milliseconds', () => {
  const usedMs = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  };
  const before = usedMs();
  const between = processorMs();
  expect(between).toBeGreaterThanOrEqual(before);
  expect(between).toBeLessThanOrEqual(usedMs());
});
