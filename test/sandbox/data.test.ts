import { describe, expect, test } from 'vitest';
import { slug } from '../../src/sandbox/chance.ts';
import { CODE_STATUSES, CODE_TYPES, DEVICES } from '../../src/service/shapes.ts';
import { ask } from '../support/api.ts';
import { fakeClock } from '../support/clock.ts';
import { useSandbox, withSandbox } from '../support/sandbox.ts';

describe('made-up data', () => {
  test('is the same for the same seed, and another for another', async () => {
    const dump = (seed: number) =>
      withSandbox({ seed, codes: 5, scans: 20 }, async ({ workspace, scans, codeId }) => [workspace.codes(), scans(codeId())]);
    expect(await dump(1)).toEqual(await dump(1));
    expect(await dump(2)).not.toEqual(await dump(1));
  });

  test('has every type and status, and names that break tables, sheets and terminals', async () => {
    const codes = (await useSandbox({ codes: 100 })).workspace.codes();
    expect(new Set(codes.map(({ type }) => type))).toEqual(new Set(CODE_TYPES));
    expect(new Set(codes.map(({ status }) => status))).toEqual(new Set(CODE_STATUSES));
    const names = codes.map(({ name }) => name);
    for (const awkward of [/^=/, /"/, /,/, /\p{Script=Han}/u, /\p{Script=Arabic}/u, /\p{Emoji_Presentation}/u, /\u001b/, /\n/]) {
      expect(names.some((name) => awkward.test(name))).toBe(true);
    }
    expect(codes.some(({ destination }) => destination === null)).toBe(true);
  });

  test('has scans with every device, with and without places, and with hostile referrers', async () => {
    const sandbox = await useSandbox({ codes: 1, scans: 3000 });
    const scans = sandbox.scans(sandbox.codeId());
    expect(new Set(scans.map(({ device }) => device))).toEqual(new Set(DEVICES));
    expect(scans.some(({ country, city }) => country !== null && city === null)).toBe(true);
    expect(scans.some(({ country }) => country === null)).toBe(true);
    for (const hostile of [/^=/, /^@/, /\u001b/, /\n/, /"/, /\u202e/]) {
      expect(scans.some(({ referrer }) => hostile.test(referrer ?? ''))).toBe(true);
    }
  });

  test('has ids that no two scans of the workspace share', async () => {
    const sandbox = await useSandbox({ codes: 5, scans: 300 });
    const ids = sandbox.workspace.codes().flatMap(({ id }) => sandbox.scans(id).map((scan) => scan.id));
    expect(new Set(ids).size).toBe(1500);
  });

  test('has a slug of its own for every code', () => {
    expect(new Set(Array.from({ length: 100_000 }, (_, index) => slug(1, 1, index))).size).toBe(100_000);
  });

  test('has the codes that the examples of README and help name', async () => {
    const codes = (await useSandbox({ codes: 4, listOrder: 'oldest' })).workspace.codes();
    expect(codes.map((code) => code.slug).slice(0, 3)).toEqual(['spring-menu', 'summer-menu', 'old-poster']);
  });

  test('was created before it was scanned, one code after the other', async () => {
    const sandbox = await useSandbox({ codes: 3, listOrder: 'oldest' });
    const created = sandbox.workspace.codes().map(({ created_at }) => created_at);
    expect(created).toEqual([...new Set(created)].sort());
    expect((sandbox.scans(sandbox.codeId(2))[0]?.ts ?? '') > (created[2] ?? '')).toBe(true);
  });
});

describe('live scans', () => {
  test('come in for ever on made-up codes, and up to a number on created ones', async () => {
    const clock = fakeClock();
    const sandbox = await useSandbox({ codes: 1, scans: 10, live: 2, liveScansOfNewCode: 5, clock });
    const created = await ask(sandbox, 'POST', '/qr', { body: { name: 'new' } });
    const totals = async () =>
      Promise.all(
        [sandbox.codeId(), created.body.id].map(
          async (id) => (await ask(sandbox, 'GET', `/qr/${id}/scans`)).body.pagination.total,
        ),
      );
    expect(await totals()).toEqual([10, 0]);
    await clock.advance(2000);
    expect(await totals()).toEqual([14, 4]);
    await clock.advance(58_000);
    expect(await totals()).toEqual([130, 5]);
  });
});

describe('latency', () => {
  test('holds every answer back, not the work', async () => {
    const clock = fakeClock();
    const sandbox = await useSandbox({ codes: 0, latencyMs: 250, clock });
    const reply = ask(sandbox, 'POST', '/qr', { body: { name: 'slow' } });
    while (sandbox.workspace.codes().length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(sandbox.requests).toEqual([]);
    await clock.advance(250);
    expect((await reply).status).toBe(201);
    expect(sandbox.requests).toMatchObject([{ method: 'POST', status: 201, ms: 250 }]);
  });
});
