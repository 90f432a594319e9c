/** An appended file and a dataset belong to one workspace: by base URL and key, and by their codes where the key is another. */
import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import type { OwnWorkspace } from '#scans/append/identity';
import type { MemoryDisk } from '../../support/memory-disk.ts';
import { MANIFEST, runLake } from '../dataset/runs.ts';
import {
  CODE,
  createMemoryDisk,
  HOUR,
  OTHER_CODE,
  ownWorkspace,
  rowsAt,
  run,
  START,
  STATE,
  type TestService,
} from './runs.ts';

const NEW_URL = 'https://new.test/api/v1';

let memory: MemoryDisk;
let service: TestService;
let requested: string[];

beforeEach(() => {
  memory = createMemoryDisk();
  service = { [CODE]: rowsAt(0, HOUR), [OTHER_CODE]: rowsAt(2 * HOUR) };
  requested = [];
});

/** This run's workspace, which has these codes; what it requests is noted. */
function own(codes: readonly string[], changes: Parameters<typeof ownWorkspace>[1] = {}): OwnWorkspace {
  const { getCode, ...rest } = ownWorkspace(codes, changes);
  return {
    ...rest,
    getCode(id) {
      requested.push(id);
      return getCode(id);
    },
  };
}

/** As an earlier qrctl left it. */
function withoutKey(text: string): string {
  const { checksum: _, key: __, profile: ___, ...state } = JSON.parse(text);
  const body = JSON.stringify(state);
  return `${body.slice(0, -1)},"checksum":"${createHash('sha256').update(body).digest('hex')}"}\n`;
}

describe.each([
  ['an appended file', STATE, run],
  ['a dataset', MANIFEST, runLake],
] as const)('%s', (_, place, add) => {
  const both = [CODE, OTHER_CODE];
  const state = () => memory.read(place) ?? '';
  const again = (codes: readonly string[], changes: Parameters<typeof ownWorkspace>[1] = {}) =>
    add(memory, service, { own: own(codes, changes) });

  it('records no part of the key with six or more characters, and costs no request and no write if the key is the same', async () => {
    await again(both, { apiKey: 'svc_live_bcdefghijk', profile: 'work' });
    for (let at = 0; at + 6 <= 'svc_live_bcdefghijk'.length; at++)
      expect(state()).not.toContain('svc_live_bcdefghijk'.slice(at, at + 6));
    const before = state();
    expect(JSON.parse(before)).toMatchObject({ baseUrl: 'https://example.test/api/v1', profile: 'work' });
    await again(both, { apiKey: 'svc_live_bcdefghijk', profile: 'renamed' });
    expect(requested).toEqual([]);
    expect(state()).toBe(before);
  });

  it.each<[string, (text: string) => string, string]>([
    ['written with another key', (text) => text, 'svc_live_bbbb'],
    ['that an earlier qrctl wrote', withoutKey, 'svc_live_aaaa'],
  ])(
    '%s is checked with one request for a code, and needs no further request with the same key',
    async (_, change, apiKey) => {
      await again(both);
      memory.write(place, change(state()));
      await again(both, { apiKey });
      // The code with the newest scan.
      expect(requested).toEqual([OTHER_CODE]);
      await again(both, { apiKey });
      expect(requested).toHaveLength(1);
      await again(both, { apiKey, seen: new Set([CODE]) });
      expect(requested).toHaveLength(1);
    },
  );

  it.each([
    [CODE, 3, 2],
    [OTHER_CODE, 1, 2],
  ])(
    'written with another key is checked by a request for the code with the newest scan: %s',
    async (newest, hours, otherHours) => {
      service = { [CODE]: rowsAt(hours * HOUR), [OTHER_CODE]: rowsAt(otherHours * HOUR) };
      await again(both);
      await again(both, { apiKey: 'svc_live_bbbb' });
      expect(requested).toEqual([newest]);
    },
  );

  it('written with another key needs no request if an earlier response had one of its codes', async () => {
    await again(both);
    await again([], { apiKey: 'svc_live_bbbb', seen: new Set([CODE]) });
    expect(requested).toEqual([]);
    await again([], { apiKey: 'svc_live_bbbb' });
    expect(requested).toEqual([]);
  });

  it('from another workspace is refused and unchanged', async () => {
    await again(both, { profile: 'aaa' });
    const before = memory.names().map((name) => [name, memory.read(name)]);
    const refused = again([], { apiKey: 'svc_live_bbbb', profile: 'bbb', seen: new Set(['c']) });
    await expect(refused).rejects.toThrow(/belongs to another workspace: .* profile aaa .* profile bbb/);
    await expect(refused).rejects.toMatchObject({
      hint: expect.stringMatching(/^Use --profile aaa, or specify a different .*--output/),
    });
    expect(memory.names().map((name) => [name, memory.read(name)])).toEqual(before);
  });

  it('from a service whose base URL changed is accepted with --moved-from, and afterwards without it', async () => {
    await again(both);
    const refused = again(both, { baseUrl: NEW_URL });
    await expect(refused).rejects.toThrow(`belongs to https://example.test/api/v1, not to ${NEW_URL}`);
    await expect(again([], { baseUrl: NEW_URL, movedFrom: 'https://example.test/api/v1' })).rejects.toThrow(
      'another workspace',
    );
    await expect(again(both, { baseUrl: NEW_URL, movedFrom: 'https://third.test/api/v1' })).rejects.toThrow(
      'belongs to https://ex',
    );
    service[CODE]?.push({ id: 9, time: START + 5 * HOUR });
    expect(await again(both, { baseUrl: NEW_URL, movedFrom: 'https://example.test/api/v1' })).toBe(1);
    requested = [];
    expect(await again(both, { baseUrl: NEW_URL })).toBe(0);
    expect(requested).toEqual([]);
  });
});
