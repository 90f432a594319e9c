import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { version } from '../../package.json';
import { SOAK } from '../support/property-runs.ts';

function release(...args: string[]): { status: number | null; stderr: string } {
  const { status, stderr } = spawnSync(process.execPath, ['src/build/release.mjs', ...args], {
    encoding: 'utf8',
  });
  return { status, stderr };
}

test.runIf(SOAK)(
  'npm run release exits with 2 for an invalid or outdated version, and for --files-only with a version that is not checked out',
  () => {
    expect(release()).toEqual({ status: 2, stderr: "release: '' is no version: npm run release -- X.Y.Z\n" });
    expect(release('0.9')).toEqual({
      status: 2,
      stderr: "release: '0.9' is no version: npm run release -- X.Y.Z\n",
    });
    expect(release('0.0.1')).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^release: 0\.0\.1 is not after \d/),
    });
    expect(release('0.0.1', '--files-only')).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^release: what is checked out/),
    });
  },
);

test.each(['README.md', 'docs/ci.md'])('%s mentions the package only with the current version', (name) => {
  const named = readFileSync(name, 'utf8').match(/qrctl-\d+\.\d+\.\d+\.tgz/g);
  expect(new Set(named)).toEqual(new Set([`qrctl-${version}.tgz`]));
});
