import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { AuthError } from '#base/errors';
import { systemClock } from '#base/time/time';
import { loadKey, readKeyFile } from '#settings/load-key';
import { resolveSettings } from '#settings/resolve';
import { temporaryDirectory } from './temporary.ts';

const MKFIFO = 'mkfifo';
const KEY = 'svc_live_canaryCANARYcanary';

function keyFile(content: string | Buffer, mode = 0o600): string {
  const path = join(temporaryDirectory(), 'key');
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
}

/** What QRCTL_API_KEY_FILE comes to, and the notes it leaves. */
async function load(path: string, variables: Record<string, string> = { QRCTL_API_KEY_FILE: path }) {
  const notes: string[] = [];
  const env = { ...variables, QRCTL_BASE_URL: 'https://qr.example/api/v1' };
  const settings = resolveSettings({}, env, { current: undefined, profiles: new Map() });
  const note = (line: string) => notes.push(line);
  const { signal } = new AbortController();
  const { apiKey } = await loadKey(settings, {
    env,
    clock: systemClock,
    signal,
    canAsk: false,
    note,
  });
  return { apiKey, notes };
}

describe('a key file', () => {
  test.each([
    ['without a line end', KEY],
    ['with a line end', `${KEY}\n`],
    ['with a Windows line end', `${KEY}\r\n`],
    ['with a byte order mark, as PowerShell writes it', `\ufeff${KEY}\r\n`],
    ['with spaces around it', ` ${KEY}\t\n`],
  ])('%s provides only the key, and causes no note', async (_, content) => {
    expect(await load(keyFile(content))).toEqual({ apiKey: KEY, notes: [] });
  });

  test('may be a link to a link, as in the secrets that Kubernetes mounts', async () => {
    const directory = temporaryDirectory();
    mkdirSync(join(directory, '..2026_11_24'));
    writeFileSync(join(directory, '..2026_11_24', 'key'), `${KEY}\n`, { mode: 0o400 });
    symlinkSync('..2026_11_24', join(directory, '..data'));
    symlinkSync('..data/key', join(directory, 'key'));
    expect((await load(join(directory, 'key'))).apiKey).toBe(KEY);
  });

  test('that other users can read is used, and a note reports the permissions', async () => {
    const { apiKey, notes } = await load(keyFile(KEY, 0o444));
    expect(apiKey).toBe(KEY);
    expect(notes).toEqual([
      expect.stringMatching(/^Other users can read the key file .* \(permissions 0444\)$/),
    ]);
  });

  test('in CREDENTIALS_DIRECTORY with the permissions that systemd sets (0440) causes no note', async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'qrctl-api-key'), KEY, { mode: 0o440 });
    expect(await load('', { CREDENTIALS_DIRECTORY: directory })).toEqual({ apiKey: KEY, notes: [] });
  });

  test.each([0o620, 0o602, 0o666])('that other users can change (%o) is refused', async (mode) => {
    const path = keyFile(KEY, mode);
    const error = await load(path).catch((refusal: unknown) => refusal);
    expect(error).toBeInstanceOf(AuthError);
    expect(error).toMatchObject({
      message: `cannot use the key file ${path}: other users can change it (permissions 0${mode.toString(8)})`,
      hint: `Check the key, then run \`chmod 600 ${path}\` as the owner of the file.`,
    });
  });

  test.each<[string, string | Buffer, RegExp]>([
    ['that is empty', '', /is empty$/],
    ['with only an empty line', '\n', /is empty$/],
    ['with two lines', `${KEY}\n${KEY}\n`, /contains more than one line$/],
    ['with a space', 'a b', /contains an invalid character/],
    ['with bytes that are not text', Buffer.from([0xff, 0xfe]), /contains an invalid character/],
    ['with a key of 513 characters', 'x'.repeat(513), /is longer than 512 characters/],
    ['with a megabyte of data', 'x'.repeat(1e6), /is larger than 4096 bytes/],
  ])('%s is refused for this reason, and the message does not contain the key', async (_, content, words) => {
    const refusal = await load(keyFile(content)).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(AuthError);
    expect(String(refusal)).toMatch(words);
    expect(String(refusal)).not.toContain(KEY);
  });

  test.runIf(process.getuid?.() === 0)(
    'that another user may have created is refused with a hint',
    async () => {
      const path = keyFile(KEY);
      chownSync(path, 65534, 65534);
      chmodSync(dirname(path), 0o1777);
      await expect(load(path)).rejects.toMatchObject({
        message: `cannot use the key file ${path}: user 65534 may have created it`,
        hint: 'Move the file to a directory that only you can change.',
      });
    },
  );

  test('is refused with a hint if it has more than 4096 bytes, or not exactly one line with the key', async () => {
    expect((await load(keyFile(KEY.padEnd(4096, '\n')))).apiKey).toBe(KEY);
    await expect(load(keyFile(KEY.padEnd(4097, '\n')))).rejects.toMatchObject({
      message: expect.stringContaining('it is larger than 4096 bytes'),
      hint: 'Specify a file that contains only the key.',
    });
    for (const content of ['', 'a\nb', 'a b'])
      await expect(load(keyFile(content))).rejects.toMatchObject({
        hint: 'Write only the key to the file, on one line.',
      });
  });

  test('that is missing or not a regular file is refused', async () => {
    const directory = temporaryDirectory();
    spawnSync(MKFIFO, [join(directory, 'pipe')]);
    await expect(readKeyFile(join(directory, 'none'))).rejects.toThrow('no such file');
    for (const path of [directory, '/dev/zero', join(directory, 'pipe')])
      await expect(readKeyFile(path)).rejects.toThrow('it is not a regular file');
  });
});
