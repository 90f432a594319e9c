import { describe, expect, it } from 'vitest';
import { createRenameWithRetry } from '#files/durable/node-disk';

const held = (code: string) => Object.assign(new Error(code), { code });

/** A rename that fails so often, and what was waited for. */
function tried(failures: number, code: string) {
  const waits: number[] = [];
  let left = failures;
  const rename = createRenameWithRetry(
    async () => {
      if (left-- > 0) throw held(code);
    },
    async (ms) => waits.push(ms),
  );
  return { waits, work: rename('a', 'b') };
}

describe('a rename over a file that another process keeps open', () => {
  it.each(['EPERM', 'EACCES', 'EBUSY'])(
    'is retried after %s, and succeeds once the file is closed',
    async (code) => {
      const { waits, work } = tried(3, code);
      await work;
      expect(waits).toEqual([10, 20, 50]);
    },
  );

  it('fails with the system error after 2.58 s of waiting if the file stays open', async () => {
    const { waits, work } = tried(100, 'EPERM');
    await expect(work).rejects.toMatchObject({ code: 'EPERM' });
    expect(waits.reduce((sum, ms) => sum + ms)).toBe(2580);
  });

  it('fails immediately after any other error', async () => {
    const { waits, work } = tried(1, 'ENOSPC');
    await expect(work).rejects.toMatchObject({ code: 'ENOSPC' });
    expect(waits).toEqual([]);
  });
});
