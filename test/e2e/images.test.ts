/**
 * `qr image --output-dir` ended in the middle: each file that stands there is whole, and the next run ends as if nothing had been. With
 * QRCTL_SOAK=1: each run draws a few hundred images.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { findFault } from '#codes/images/verify';
import { argv } from '../support/argv.ts';
import { AMBIENT, BIN, runCli, startCli, until, useDirectory } from '../support/cli.ts';
import { SOAK } from '../support/property-runs.ts';
import { useSandbox } from '../support/sandbox.ts';

const COUNT = 150;
const STRACE = 'strace';
const hasStrace = spawnSync(STRACE, ['-V']).status === 0;

async function useImages() {
  const sandbox = await useSandbox({ codes: 0, codeLimit: COUNT });
  for (let at = 0; at < COUNT; at++) sandbox.workspace.put({ name: `Code ${at}`, slug: `c${1000 + at}` });
  const directory = join(await useDirectory(), 'codes');
  const args = argv`
    qr image --all --output-dir ${directory} --short-url https://qr.example --file-names slug
  `;
  const images = () => readdirSync(directory).filter((name) => name.endsWith('.png'));
  const faults = () =>
    images().flatMap((name) => {
      const expected = {
        text: `https://qr.example/${name.replace('.png', '')}`,
        sizeMm: 30,
        quietZone: 4,
        across: 33,
      };
      return findFault(readFileSync(join(directory, name)), 'png', expected) ?? [];
    });
  /** Every image is there, is what the manifest says, and nothing else is. */
  async function expectWhole() {
    const run = await runCli(args, { env: sandbox.env });
    expect(run.code, run.stderr).toBe(0);
    expect(faults()).toEqual([]);
    expect(readdirSync(directory).sort()).toEqual([...images(), 'manifest.csv'].sort());
    expect(parse(readFileSync(join(directory, 'manifest.csv')), { columns: true })).toHaveLength(COUNT);
  }
  return { sandbox, directory, args, images, faults, expectWhole };
}

describe.runIf(SOAK)('qr image of many codes, stopped', () => {
  test.each(['SIGKILL', 'SIGINT', 'SIGTERM'] as const)(
    'by %s leaves only complete images, and the next run continues',
    async (signal) => {
      const { sandbox, args, directory, images, faults, expectWhole } = await useImages();
      for (const share of [0.1, 0.5, 0.9]) {
        const running = await startCli(args, { env: sandbox.env });
        const before = share === 0.1 ? 0 : images().length;
        const isThere = () => {
          try {
            return images().length > Math.max(before, COUNT * share);
          } catch {
            return false;
          }
        };
        let ended = false;
        running.done.then(() => {
          ended = true;
        });
        await until(() => ended || isThere());
        running.child.kill(signal);
        const { code } = await running.done;
        expect([0, 130, 137, 143]).toContain(code);
        expect(images().length, directory).toBeGreaterThan(0);
        expect(faults()).toEqual([]);
      }
      await expectWhole();
    },
  );

  test.runIf(hasStrace).each([
    ['fsync', 'error=ENOSPC'],
    ['pwrite64', 'error=ENOSPC'],
    ['rename', 'signal=SIGKILL'],
  ])(
    'by the kernel, during %s with %s, leaves only complete images, and the next run continues',
    async (call, fault) => {
      const { sandbox, args, directory, faults, expectWhole } = await useImages();
      for (const nth of [5, 60, 140]) {
        const strace = argv`-f -qq -o /dev/null -e trace=${call} -e inject=${call}:${fault}:when=${nth}+`;
        const env = {
          ...AMBIENT,
          UV_THREADPOOL_SIZE: '1',
          HOME: directory,
          QRCTL_CONFIG_DIR: `${directory}-config`,
          ...sandbox.env,
        };
        const child = spawn(STRACE, [...strace, process.execPath, BIN, ...args], {
          env,
          stdio: ['ignore', 'ignore', 'pipe'],
        });
        let stderr = '';
        child.stderr.on('data', (chunk) => {
          stderr += chunk;
        });
        const [code] = await once(child, 'close');
        if (fault.startsWith('error') && code !== 0) expect(stderr).toMatch(/no space left|ENOSPC/i);
        if (nth === 5) expect([null, 1, 2, 137]).toContain(code);
        expect(faults()).toEqual([]);
      }
      await expectWhole();
    },
  );
});
