/** A full disk: exit 1, the code `NO_SPACE`, and words that say so, wherever the write fails. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { BIN, bareEnv, useDirectory } from '../support/cli.ts';
import { runByDay } from '../support/run-here.ts';
import { useSandbox } from '../support/sandbox.ts';

const WORDS = /the disk is full \(ENOSPC\)/;

describe.runIf(existsSync('/dev/full'))('a full disk', () => {
  it('behind --output makes the command exit with 1 and the error code NO_SPACE', async () => {
    const sandbox = await useSandbox({ codes: 2 });
    const args = ['qr', 'list', '-f', 'json', '-o', '/dev/full'];
    const { code, stdout, stderr } = await runByDay(args, { env: sandbox.env });
    const { error } = JSON.parse(stderr);
    expect([code, stdout, error.code, error.exit, error.status]).toEqual([1, '', 'NO_SPACE', 1, null]);
    expect(error.message).toMatch(WORDS);
    expect(error.hint).toContain('Free up disk space, then run the same command again');
  });

  it('behind --summary makes the command exit with 1, and behind --output is reported in the summary', async () => {
    const sandbox = await useSandbox({ codes: 2 });
    const cwd = await useDirectory();
    const full = await runByDay(['qr', 'list', '-f', 'json', '--summary', '/dev/full'], { env: sandbox.env });
    const { error } = JSON.parse(full.stderr);
    expect([full.code, error.code]).toEqual([1, 'NO_SPACE']);
    expect(error.message).toMatch(WORDS);
    const listed = await runByDay(['qr', 'list', '-o', '/dev/full', '--summary', 'run.json'], {
      cwd,
      env: sandbox.env,
    });
    expect(listed.code).toBe(1);
    const summary = JSON.parse(await readFile(join(cwd, 'run.json'), 'utf8'));
    expect(summary).toMatchObject({ exit: 1, error: { code: 'NO_SPACE', status: null } });
  });

  const toFull = async (args: string[], cwd?: string) => {
    const sandbox = await useSandbox({ codes: 2 });
    const env = bareEnv(await useDirectory(), sandbox.env);
    const command = ['-c', '"$@" > /dev/full', 'bash', process.execPath, BIN, ...args];
    const shell = spawn('bash', command, { env, cwd });
    const [stderr, [status]] = await Promise.all([text(shell.stderr), once(shell, 'exit')]);
    expect([status, stderr]).toEqual([1, expect.stringMatching(WORDS)]);
    return stderr;
  };

  it.each([
    ['a list', ['qr', 'list', '-f', 'json']],
    ['help', ['--help']],
  ])('behind standard output makes %s exit with 1', async (_, args) => {
    const stderr = await toFull(args);
    if (args[0] === 'qr') expect(JSON.parse(stderr).error).toMatchObject({ code: 'NO_SPACE', exit: 1 });
  });

  it('behind standard output makes a bulk run exit with 1, after it printed the number of created codes', async () => {
    const cwd = await useDirectory();
    await writeFile(join(cwd, 'new.csv'), 'name,destination\nMenu,https://example.com/menu\n');
    const stderr = await toFull(['qr', 'create', '--from', 'new.csv', '--results', 'r.csv'], cwd);
    expect(stderr).toMatch(/^Created 1 code \(2 requests\)$/m);
  });
});
