import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

function release(...args: string[]): { status: number | null; stderr: string } {
  const { status, stderr } = spawnSync(process.execPath, ['src/build/release.mjs', ...args], { encoding: 'utf8' });
  return { status, stderr };
}

test('a release is refused that is no version, or not after the last', () => {
  expect(release()).toEqual({ status: 2, stderr: "release: '' is no version: npm run release -- X.Y.Z\n" });
  expect(release('0.9')).toEqual({ status: 2, stderr: "release: '0.9' is no version: npm run release -- X.Y.Z\n" });
  expect(release('0.0.1')).toMatchObject({ status: 2, stderr: expect.stringMatching(/^release: 0\.0\.1 is not after \d/) });
  expect(release('0.0.1', '--files-only')).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/^release: what is checked out/),
  });
});
