import { describe, expect, test } from 'vitest';
import {
  exitCodeOf,
  InterruptedError,
  NotFoundError,
  UnavailableError,
  UnexpectedResponseError,
  UsageError,
} from '#base/errors';
import { checkService } from '#commands/doctor/service-checks';
import { openApi } from '#sandbox/openapi';
import type { Service } from '#service/service';
import { resolveInputs } from '#settings/resolve';
import { fakeClock } from '../../support/clock.ts';
import { failing, modelService } from '../../support/model-service/model-service.ts';

const settings = {
  ...resolveInputs({ flags: {}, env: {}, name: 'default', profile: {} }),
  baseUrl: 'https://far.example/api/v1',
  apiKey: 'svc_live_canary',
};
const clock = fakeClock({ wallMs: Date.UTC(2026, 0, 1) });
const empty = async () => ({ rows: [], total: 0, serviceTimeMs: undefined });
const described = async () => openApi('/api/v1');
const answering: Partial<Service> = { listCodes: empty, openApi: described, nowMs: () => clock.now() };

async function found(answers: Partial<Service>, apiKey = settings.apiKey) {
  const connect = async () => modelService({ ...answering, ...answers });
  const { signal } = new AbortController();
  return checkService({ connect, clock, signal }, { ...settings, apiKey });
}

describe('checkService', () => {
  test('reports no problem if the service responds', async () => {
    const findings = await found({});
    expect(findings.map(({ check, status }) => `${check} ${status}`)).toEqual([
      'service ok',
      'clock ok',
      'openapi ok',
    ]);
  });

  test("reports only one problem if the service can't be reached (7), and does not suggest running doctor", async () => {
    const [finding, ...rest] = await found({
      listCodes: failing(new UnavailableError('refused', { hint: 'see: qrctl doctor' })),
    });
    expect(rest).toEqual([]);
    expect(finding).toMatchObject({
      check: 'service',
      status: 'fail',
      fix: expect.not.stringContaining('doctor'),
    });
    expect(exitCodeOf(finding?.failure)).toBe(7);
  });

  test('reports a response that did not come from the service (1)', async () => {
    const [finding] = await found({ listCodes: failing(new UnexpectedResponseError('an HTML page')) });
    expect(exitCodeOf(finding?.failure)).toBe(1);
  });

  test('reports a failure if the settings do not allow a connection', async () => {
    const connect = failing(new UsageError('NODE_TLS_REJECT_UNAUTHORIZED=0'));
    const [finding] = await checkService({ connect, clock, signal: new AbortController().signal }, settings);
    expect(finding).toMatchObject({ check: 'service', status: 'fail' });
  });

  test('requests only the OpenAPI description if there is no key', async () => {
    const findings = await found({ listCodes: failing(new Error('not to be asked')) }, '');
    expect(findings.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok']);
  });

  test('warns if the OpenAPI description or the Date header is missing', async () => {
    const findings = await found({
      openApi: failing(new NotFoundError('no such page')),
      nowMs: () => undefined,
    });
    expect(findings.map(({ check, status }) => `${check} ${status}`)).toEqual([
      'service ok',
      'clock warn',
      'openapi warn',
    ]);
  });

  test('reports an OpenAPI description of a different service as a failure (1)', async () => {
    const openApiFinding = (await found({ openApi: async () => ({ paths: {} }) })).at(-1);
    expect(openApiFinding).toMatchObject({
      check: 'openapi',
      status: 'fail',
      message: expect.stringContaining('GET /qr is missing'),
    });
    expect(exitCodeOf(openApiFinding?.failure)).toBe(1);
  });

  test.each([
    [5000, 'ok'],
    [-5000, 'ok'],
    [6000, 'warn'],
    [-86_400_000, 'warn'],
  ])('reports a local clock that is %d ms ahead of the service as `%s`', async (offMs, status) => {
    const findings = await found({ nowMs: () => clock.now() - offMs });
    expect(findings.find(({ check }) => check === 'clock')?.status).toBe(status);
  });

  test('rejects with the interruption if it is interrupted', async () => {
    const interrupt = new AbortController();
    const listCodes = async () => {
      interrupt.abort(new InterruptedError('SIGINT'));
      throw interrupt.signal.reason;
    };
    const connect = async () => modelService({ listCodes });
    await expect(checkService({ connect, clock, signal: interrupt.signal }, settings)).rejects.toThrow(
      InterruptedError,
    );
  });
});
