import { describe, expect, test } from 'vitest';
import { exportCodes } from '../../src/complete/export-codes.ts';
import { NotFoundError, RejectedError, UnavailableError } from '../../src/errors.ts';
import { fetchInOrder } from '../../src/service/pages.ts';
import { modelScans } from '../support/model-service/scans.ts';

const UNTIL = 1_760_000_000_000;
const down = () => new UnavailableError('the service failed (500)', { status: 500 });

/** Exports codes `a` to `e`, three scans each, from a service that fails on some; returns what was finished and what failed. */
async function exported(failures: Record<string, () => Error>) {
  const { read } = modelScans([1, 2, 3].map((id) => ({ id, time: UNTIL - 10_000 + id })));
  const finished: string[] = [];
  const {
    codes,
    scans,
    failures: failed,
  } = await exportCodes({
    service: {
      async listScans(id, request) {
        const failure = failures[id];
        if (failure) throw failure();
        return read(request);
      },
      getCode: () => Promise.reject(new Error('not asked for')),
      nowMs: () => UNTIL,
    },
    codes: ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id })),
    untilMs: UNTIL,
    now: () => UNTIL,
    fetchInOrder,
    width: 2,
    async openSink({ id }) {
      let added = 0;
      return {
        sinceMs: undefined,
        added: () => added,
        async write(batch) {
          added += batch.rows.length;
          return batch.rows.length;
        },
        checkpoint: async () => async () => true,
        async commit() {
          finished.push(id);
        },
        discard: async () => undefined,
      };
    },
    note: () => undefined,
    progress: () => undefined,
  });
  return { finished, codes, scans, failed: failed.map(({ code }) => code.id) };
}

describe('a code that fails alone', () => {
  test.each<[string, () => Error]>([
    ['is gone', () => new NotFoundError('not found (404)', { status: 404 })],
    ['has a range refused that was taken for another code', () => new RejectedError('rejected (400)', { status: 400 })],
    ['is one the service fails on, and it answers for the others', down],
  ])('%s: the others are exported', async (_, failure) => {
    expect(await exported({ c: failure })).toEqual({
      finished: ['a', 'b', 'd', 'e'],
      codes: 4,
      scans: 12,
      failed: ['c'],
    });
  });

  test('and others like it, with good ones between them', async () => {
    expect((await exported({ a: down, c: down, e: down })).failed).toEqual(['a', 'c', 'e']);
  });
});

describe('a failure that is not of one code ends the export', () => {
  test.each<[string, Record<string, () => Error>, RegExp]>([
    ['the service fails on two codes in a row', { b: down, c: down }, /failed/],
    ['no answer comes', { b: () => new UnavailableError('connection refused') }, /connection refused/],
    ['the first range is refused', { a: () => new RejectedError('rejected (400)', { status: 400 }) }, /rejected/],
  ])('%s', async (_, failures, message) => {
    await expect(exported(failures)).rejects.toThrow(message);
  });
});
