/** Backups of codes: what is on disk before a DELETE is sent, and what becomes of a code that is not deleted. */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { NotFoundError, RejectedError, UnavailableError, UnexpectedResponseError } from '#base/errors';
import { type BackupContext, openBackup, requestsOfBackup } from '#scans/backup/back-up';
import { refuseOtherRecords } from '#scans/backup/backup-files';

import type { Service } from '#service/service';
import type { SendDelete } from '#service/service-options';
import type { QrCode } from '#service/shapes';
import { CODE } from '../../service/setup.ts';
import { modelService } from '../../support/model-service/model-service.ts';
import { type ModelScansOptions, modelScans, scanOf } from '../../support/model-service/scans.ts';

const ID = 'aaaaaaaa-1111-4111-8111-111111111111';
const NOW = Date.UTC(2026, 0, 10);
const root = mkdtempSync(join(tmpdir(), 'qrctl-backup-'));
afterAll(() => rmSync(root, { recursive: true }));

interface Situation {
  scans?: number;
  status?: string;
  how?: ModelScansOptions;
  /** Replaces methods of the service. */
  parts?: Partial<Service>;
}

/** A code with scans, and what a backup of it did. */
async function useWorld({ scans = 3, status = 'active', how = {}, parts = {} }: Situation = {}) {
  const directory = mkdtempSync(join(root, 'd'));
  const code: QrCode = { ...CODE, id: ID, slug: 'menu', status };
  const rows = Array.from({ length: scans }, (_, i) => ({ id: i + 1, time: NOW - (scans - i) * 60_000 }));
  const model = modelScans(rows, how);
  const log: string[] = [];
  const notes: string[] = [];
  const warnings: unknown[] = [];
  const waits: number[] = [];
  const time = { ms: 0 };
  const stats = { requests: 0, retries: 0, pauses: 0, pausedMs: 0 };
  const files = () => readdirSync(directory).sort();
  const service = modelService({
    concurrency: 2,
    getCode: async () => ({ ...code }),
    async updateCode(_, changes) {
      log.push(`PATCH ${changes.status}`);
      return Object.assign(code, changes);
    },
    async listScans(_, request) {
      log.push('scans');
      return model.read(request);
    },
    nowMs: () => NOW + time.ms,
    stats: () => ({ ...stats }),
    ...parts,
  });
  const context: BackupContext = {
    console: { note: (line) => notes.push(line), warn: (...line) => warnings.push(line) },
    processes: { pid: process.pid, isRunning: () => true },
    facts: {},
    clock: {
      now: () => NOW + time.ms,
      monotonic: () => time.ms,
      random: () => 0,
      async sleep(ms) {
        waits.push(ms);
        time.ms += ms;
      },
    },
    signal: new AbortController().signal,
    service: async () => service,
  };
  const { backUp, reportEnd } = await openBackup(context, directory);
  const present = { ...code };
  const backup = {
    reportEnd,
    /** As the engine calls it; `found`: the code as it was before a killed run. */
    backUp: (send: SendDelete, found: QrCode = { ...code }) =>
      backUp(found, send, async (status) => {
        if (status === present.status) return;
        present.status = 'unknown';
        Object.assign(present, await service.updateCode(ID, { status }));
      }),
  };
  /** As the service's client sends a DELETE: work that is due before it comes first. */
  const send: SendDelete = async (beforeSend) => {
    for (let work = await beforeSend?.(); work; work = await beforeSend?.()) await work();
    log.push('DELETE');
  };
  const path = (extension: string) => join(directory, `${ID}.${extension}`);
  const read = (extension: string) => readFileSync(path(extension), 'utf8');
  const write = (extension: string, content: unknown) =>
    writeFileSync(path(extension), typeof content === 'string' ? content : JSON.stringify(content));
  const saved = () =>
    read('scans.ndjson')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line).id);
  return {
    backup,
    code,
    context,
    files,
    log,
    model,
    notes,
    path,
    read,
    saved,
    send,
    service,
    stats,
    time,
    waits,
    warnings,
    write,
  };
}

const both = [`${ID}.json`, `${ID}.scans.ndjson`];
const refuse = (error: Error) => async () => {
  throw error;
};
const lost = new UnavailableError('no response');

describe('a backup', () => {
  it('contains the code and all of its scans before the DELETE, and the code is paused first (B1, B4, B5)', async () => {
    const world = await useWorld();
    const { backup, code, context, files, log, notes, path, read, saved, send } = world;
    const before = { ...code };
    backup.reportEnd();
    expect(notes).toEqual([]);
    await backup.backUp((beforeSend) => {
      expect(saved()).toEqual([1, 2, 3]);
      expect(JSON.parse(read('json'))).toEqual(before);
      return send(beforeSend);
    });
    expect(files()).toEqual(both);
    expect(JSON.parse(read('scans.ndjson').split('\n')[0] ?? '')).toEqual(
      scanOf({ id: 1, time: NOW - 180_000 }),
    );
    expect([log[0], log[1], log.at(-1)]).toEqual(['PATCH paused', 'scans', 'DELETE']);
    expect(log.filter((line) => line.startsWith('PATCH'))).toHaveLength(1);
    expect(context.facts.files).toEqual([path('json'), path('scans.ndjson')]);
    backup.reportEnd();
    expect(notes).toEqual([
      expect.stringMatching(/^Backed up every scan of 1 code up to 2026-01-10T00:00:00\.000Z\./),
      expect.stringMatching(
        /^To create the code again, with a new slug: `qrctl qr create --from \S+\.json`$/,
      ),
    ]);
  });

  it('pauses only an active code', async () => {
    for (const status of ['expired', 'paused']) {
      const { backup, files, log, send } = await useWorld({ status });
      await backup.backUp(send);
      expect(log.some((line) => line.startsWith('PATCH'))).toBe(false);
      expect(files()).toEqual(both);
    }
  });

  it('of a code without scans has an empty scan file', async () => {
    const { backup, read, send } = await useWorld({ scans: 0 });
    await backup.backUp(send);
    expect(read('scans.ndjson')).toBe('');
  });

  it.each([
    ['fewer scans', 3, [0, 1, 2, 3], 1],
    ['the same number of scans but without an old scan', 3, [1, 2, 9], 1],
    ['more scans but without two old scans', 35, [1, 90, 91], 2],
  ])('is not replaced by a backup with %s (B6)', async (_, scans, ids, missing) => {
    const { backup, code, files, log, read, send, write } = await useWorld({ scans });
    const kept = ids.map((id) => `{"id":${id}}\n`).join('');
    write('scans.ndjson', kept);
    await expect(backup.backUp(send)).rejects.toMatchObject({
      name: 'UnprovenError',
      message: expect.stringContaining(
        `has ${missing} scan${missing > 1 ? 's' : ''} that the service did not return`,
      ),
      hint: expect.stringContaining('--backup'),
    });
    expect([read('scans.ndjson'), code.status, log.includes('DELETE')]).toEqual([kept, 'active', false]);
    expect(files()).toEqual(both);
  });

  it('replaces an earlier backup if the new backup has every scan of the earlier backup', async () => {
    const { backup, saved, send, write } = await useWorld();
    write('scans.ndjson', '{"id":1}\n{"id":3}');
    await backup.backUp(send);
    expect(saved()).toEqual([1, 2, 3]);
  });

  // A FIFO of its own, and no device of the machine: a defect could remove what a link leads to.
  it.skipIf(process.platform === 'win32').each(['json', 'scans.ndjson'])(
    'is refused if the path of its .%s file is a link to a FIFO (B7)',
    async (extension) => {
      const { backup, code, log, path, send } = await useWorld();
      const fifo = join(mkdtempSync(join(root, 'f')), 'fifo');
      execFileSync('sh', ['-c', 'mkfifo "$0"', fifo]);
      symlinkSync(fifo, path(extension));
      await expect(backup.backUp(send)).rejects.toThrow('not a regular file');
      expect([code.status, log.includes('DELETE'), existsSync(fifo)]).toEqual(['active', false, true]);
    },
  );

  it.each(['json', 'scans.ndjson'])(
    "fails with a hint to specify another directory if its .%s file can't be written",
    async (extension) => {
      const { backup, path, send } = await useWorld();
      mkdirSync(path(extension));
      await expect(backup.backUp(send)).rejects.toMatchObject({ hint: expect.stringContaining('--backup') });
    },
  );

  it('includes all scans even if the service caps the total (B2)', async () => {
    const { backup, saved, send } = await useWorld({ scans: 1203, how: { cap: 777 } });
    await backup.backUp(send);
    expect(saved()).toHaveLength(1203);
  });
});

describe('scans that arrive during the backup (B3)', () => {
  const late = (id: number, time = NOW) => ({ id, time });

  it('are saved after a wait of one second, but a third arrival makes the backup fail', async () => {
    for (const rounds of [1, 2, 3]) {
      const { backup, code, log, model, saved, send, time, waits } = await useWorld();
      let newer = 0;
      const before = model.read;
      model.read = async (request) => {
        // The check for newer scans is the only request of one scan.
        if (request.limit === 1 && newer < rounds) {
          newer += 1;
          model.state.rows = [...model.state.rows, late(100 + newer, NOW + time.ms)];
        }
        return before(request);
      };
      const end = backup.backUp(send);
      if (rounds < 3) await end;
      else
        await expect(end).rejects.toMatchObject({
          name: 'UnprovenError',
          hint: expect.stringContaining('less often'),
        });
      expect(waits).toEqual(Array(Math.min(rounds, 2)).fill(1000));
      expect([code.status, log.includes('DELETE')]).toEqual(
        rounds < 3 ? ['paused', true] : ['active', false],
      );
      if (rounds < 3) expect(saved()).toHaveLength(3 + rounds);
    }
  });

  it('are requested again if the DELETE waited for more than a second or for the rate limit', async () => {
    for (const [ms, pausedMs, looks] of [
      [1000, 0, 1],
      [1001, 0, 2],
      [0, 1, 2],
    ] as const) {
      const { backup, log, send, stats, time } = await useWorld();
      const before = log.length;
      await backup.backUp((beforeSend) => {
        time.ms += ms;
        stats.pausedMs += pausedMs;
        log.push('due');
        return send(beforeSend);
      });
      const after = log.slice(log.indexOf('due') + 1);
      expect([before, after], `${ms} ${pausedMs}`).toEqual([
        0,
        [...Array(looks - 1).fill('scans'), 'DELETE'],
      ]);
    }
  });

  it('are requested before each repeated DELETE, and are then saved', async () => {
    const { backup, log, model, saved, send } = await useWorld();
    await backup.backUp(async (beforeSend) => {
      expect(await beforeSend?.()).toBeUndefined();
      model.state.rows = [...model.state.rows, late(9)];
      log.push('again');
      await send(beforeSend);
    });
    expect(saved()).toEqual([1, 2, 3, 9]);
    expect(log.slice(log.indexOf('again'))).toContain('scans');
  });

  it('are requested again after each of ten waits for the rate limit, but an eleventh wait makes the backup fail', async () => {
    for (const delays of [10, 11]) {
      const { backup, code, send, stats } = await useWorld();
      const end = backup.backUp(async (beforeSend) => {
        let left = delays;
        await send(async () => {
          if (left-- > 0) stats.pausedMs += 1;
          return beforeSend?.();
        });
      });
      if (delays === 10) await end;
      else await expect(end).rejects.toMatchObject({ name: 'UnprovenError' });
      expect(code.status).toBe(delays === 10 ? 'paused' : 'active');
    }
  });

  it.each([3, 50])('are found by their time if the total is the same: %i scans', async (scans) => {
    for (const [time, isNewer] of [
      [NOW, true],
      [NOW - 1, false],
    ] as const) {
      const { backup, model, send, waits } = await useWorld({ scans });
      const end = backup.backUp(async (beforeSend) => {
        await beforeSend?.();
        model.state.rows = [...model.state.rows.slice(1), late(999, time)].sort((a, b) => b.time - a.time);
        await send(beforeSend);
      });
      // The saved scan that is missing now shows that the response is not complete.
      if (isNewer) await expect(end).rejects.toThrow('the existing backup has 1 scan that');
      else await end;
      expect(waits.length > 0, `${time - NOW}`).toBe(isNewer);
    }
  });
});

describe('a check for newer scans (B3)', () => {
  it.each([
    ['the total is capped', 50, { cap: 50 }, 0],
    ['the service counts fewer scans', 3, {}, 2],
  ])('finds newer scans by their time if %s', async (_, scans, how, gone) => {
    const { backup, model, saved, send, waits } = await useWorld({
      scans,
      how: { order: 'ascending', ...how },
    });
    const end = backup.backUp(async (beforeSend) => {
      await beforeSend?.();
      model.state.rows = [...model.state.rows.slice(gone), { id: 999, time: NOW }];
      await send(beforeSend);
    });
    if (gone > 0) await expect(end).rejects.toThrow('the existing backup has 2 scans that');
    else await end.then(() => expect(saved()).toContain(999));
    expect(new Set(waits)).toEqual(new Set([1000]));
  });

  it('finds newer scans that the service counts but does not return', async () => {
    const { backup, log, send, service, waits } = await useWorld();
    const list = service.listScans;
    await backup.backUp(async (beforeSend) => {
      await beforeSend?.();
      let left = 2;
      service.listScans = async (id, request) => {
        if (left === 0) return list(id, request);
        left -= 1;
        // First no scan at all, so that their times decide; then one on another page.
        return { ...(await list(id, request)), rows: [], times: [], total: left === 1 ? 0 : 1 };
      };
      await send(beforeSend);
    });
    expect([waits, log.at(-1)]).toEqual([[1000], 'DELETE']);
  });
});

describe('a code that is backed up', () => {
  it('gets its status back if the DELETE fails, and the error of the DELETE is reported (B4)', async () => {
    const { backup, code, files, log } = await useWorld();
    await expect(backup.backUp(refuse(lost))).rejects.toBe(lost);
    expect([code.status, files(), log.at(-1)]).toEqual(['active', both, 'PATCH active']);
  });

  it('is reported, even under --quiet, if it may still be paused after a failed DELETE', async () => {
    const world = await useWorld();
    const { backup, service, warnings } = world;
    await expect(
      backup.backUp(async () => {
        service.updateCode = refuse(lost);
        throw lost;
      }),
    ).rejects.toBe(lost);
    expect(warnings).toEqual([[expect.stringContaining('`qrctl qr update menu --status active`'), true]]);
  });

  it('is not reported as paused after a failed DELETE if it no longer exists', async () => {
    const gone = new NotFoundError('no such code');
    for (const [error, patches] of [
      [gone, 0],
      [lost, 1],
    ] as const) {
      const { backup, files, service, warnings } = await useWorld();
      let sent = 0;
      const end = backup.backUp(async () => {
        service.updateCode = async () => {
          sent += 1;
          throw gone;
        };
        throw error;
      });
      await expect(end).rejects.toBe(error);
      expect([files(), warnings, sent]).toEqual([both, [], patches]);
    }
  });

  it.each<[Error, boolean]>([
    [new RejectedError('no', { outcome: 'not-applied' }), true],
    ...[399, 400, 404, 499, 500].map((status): [Error, boolean] => [
      new UnexpectedResponseError(`${status}`, { status }),
      status >= 400 && status < 500,
    ]),
    [new UnexpectedResponseError('cut off'), false],
    [Object.assign(new Error('of a gateway'), { status: 404 }), false],
    [lost, false],
  ])('is treated as not paused only if the service refused the PATCH: %s', async (error, isRefused) => {
    const { backup, code, files, notes, send, service } = await useWorld();
    const update = service.updateCode;
    service.updateCode = async (...args) => {
      service.updateCode = update;
      throw args[1].status === 'paused' ? error : new Error('not a pause');
    };
    const end = backup.backUp(send);
    if (isRefused) await end;
    else await expect(end).rejects.toBe(error);
    expect([notes.length, code.status, files()]).toEqual([
      isRefused ? 1 : 0,
      'active',
      isRefused ? both : [`${ID}.json`],
    ]);
  });

  it('keeps its status after a failed DELETE if it was never paused', async () => {
    const refused = await useWorld();
    const { updateCode } = refused.service;
    refused.service.updateCode = async () => {
      refused.service.updateCode = updateCode;
      throw new RejectedError('no', { outcome: 'not-applied' });
    };
    for (const { backup, code, log } of [refused, await useWorld({ status: 'expired' })]) {
      const { status } = code;
      await expect(backup.backUp(refuse(lost))).rejects.toBe(lost);
      expect([code.status, log.filter((line) => line.startsWith('PATCH'))]).toEqual([status, []]);
    }
  });
});

describe('a code that a killed run paused (B5)', () => {
  it('is backed up with its earlier status, and gets that status back without another pause if the DELETE fails', async () => {
    const { backup, code, files, log, read } = await useWorld({ status: 'paused' });
    await expect(backup.backUp(refuse(lost), { ...code, status: 'active' })).rejects.toBe(lost);
    expect(JSON.parse(read('json'))).toEqual({ ...code, status: 'active' });
    expect([code.status, files(), log.filter((line) => line.startsWith('PATCH'))]).toEqual([
      'active',
      both,
      ['PATCH active'],
    ]);
  });
});

it.each([
  ['active', 0, 3],
  ['paused', 0, 2],
  ['active', 1, 4],
  ['paused', 500, 3],
  ['paused', 501, 4],
])('a backup of a code that is %s and has %i scans takes %i requests', (status, scans, requests) => {
  expect(requestsOfBackup({ ...CODE, status }, scans)).toBe(requests);
});

it.each([
  [undefined, true],
  ['', true],
  [`{"id":"${ID.toUpperCase()}","slug":"old"}`, true],
  [`{"id":"${ID}`, false],
  ['[]', false],
  ['{"id":"bbbbbbbb-1111-4111-8111-111111111111"}', false],
])('a record of a code with the content %j may be replaced: %s', async (content, isAllowed) => {
  const directory = mkdtempSync(join(root, 'd'));
  if (content !== undefined) writeFileSync(join(directory, `${ID}.json`), content);
  const checked = refuseOtherRecords(directory, [{ ...CODE, id: ID.toUpperCase() }]).then(
    () => undefined,
    ({ message, hint }) => ({ message, hint }),
  );
  const refused = {
    message: `cannot write ${join(directory, `${ID}.json`)}: it is not a record of this code`,
    hint: 'Specify a different directory with --backup, or move the file.',
  };
  expect(await checked).toEqual(isAllowed ? undefined : refused);
});
