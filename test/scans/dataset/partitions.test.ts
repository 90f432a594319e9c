/** Which partition a time belongs to, when that ends, and which names are partitions. */
import { describe, expect, it } from 'vitest';
import { createPartitioner, isPartition, partitionEnd } from '#scans/dataset/manifest';

const at = (text: string) => Date.parse(text);

describe('a partition', () => {
  it.each([
    ['day', 'UTC', '2026-10-01T12:34:56.789Z', '2026-10-02T00:00:00.000Z'],
    // Its first instant is in it, and its end is not: that begins the next.
    ['day', 'UTC', '2026-10-01T00:00:00.000Z', '2026-10-02T00:00:00.000Z'],
    ['day', 'UTC', '2026-10-01T23:59:59.999Z', '2026-10-02T00:00:00.000Z'],
    ['day', 'Asia/Kathmandu', '2026-10-01T18:15:00.000Z', '2026-10-02T18:15:00.000Z'],
    // 25 hours.
    ['day', 'Europe/Berlin', '2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z'],
    ['month', 'UTC', '2026-10-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z'],
  ] as const)('by %s in %s that contains %s ends at %s', (by, timezone, time, end) => {
    expect(new Date(partitionEnd(createPartitioner({ by, timezone }), at(time))).toISOString()).toBe(end);
  });

  it('is refused with a hint if no directory can have its name', () => {
    const partitionOf = createPartitioner({ by: 'day', timezone: 'America/New_York' });
    expect(() => partitionOf(at('0000-01-01T00:00:00.000Z'))).toThrow(
      expect.objectContaining({
        name: 'UnprovenError',
        message: expect.stringContaining('a scan dated -000001-12-31 (America/New_York)'),
        hint: expect.stringContaining('--since'),
      }),
    );
  });

  it.each(['dt=2026-10-01', 'dt=2026-10'])('may be a directory named %s', (name) =>
    expect(isPartition(name)).toBe(true),
  );

  it.each(['dt=2026-10-01.bak', 'old-dt=2026-10-01', 'dt=2026-10-01-02', 'dt=2026', 'dt=2026-1', 'dt='])(
    'is not a directory named %s',
    (name) => expect(isPartition(name)).toBe(false),
  );
});
