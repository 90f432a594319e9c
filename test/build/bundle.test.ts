import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { BIN } from '../support/cli.ts';
import { SOAK } from '../support/property-runs.ts';

const ROOT = dirname(dirname(BIN));

// `npm run test:install` has the other releases of Node build it too.
test.runIf(SOAK)(
  'a build from the same sources has the same bytes in another directory at a later time',
  async () => {
    // As deep as dist/, because the maps say how to get from there to the sources.
    const again = await mkdtemp(join(ROOT, 'dist-'));
    onTestFinished(() => rm(again, { recursive: true, force: true }));
    const { status, stderr } = spawnSync(process.execPath, ['src/build/bundle.mjs', again], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const entries = readdirSync(again, { recursive: true, withFileTypes: true });
    const names = entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => relative(again, join(parentPath, name)));
    expect(names).toContain('start.js');
    for (const name of names) {
      expect(readFileSync(join(again, name)).equals(readFileSync(join(ROOT, 'dist', name))), name).toBe(true);
    }
  },
);
