import { describe, expect, test } from 'vitest';
import {
  AuthError,
  exitCodeOf,
  InterruptedError,
  NotFoundError,
  RateLimitError,
  UnavailableError,
  UnexpectedResponseError,
  UsageError,
} from '#base/errors';
import { checkService } from '#commands/doctor/service-checks';
import { openApi } from '#sandbox/openapi';
import { NetworkError } from '#service/network-error';
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

  test("reports only one problem, with exit code 7, if the service can't be reached, and does not suggest running doctor", async () => {
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

  test.each([
    ['a general hint', new Error('refused'), expect.stringMatching(/^Check the base URL, network/)],
    [
      'a general hint',
      new NetworkError('reset', { sent: true }),
      expect.stringMatching(/^Check the base URL/),
    ],
    ['the hint', new NetworkError('refused', { sent: false, hint: 'Check the proxy.' }), 'Try later.'],
    ['the hint', new NetworkError('not trusted', { sent: false, fault: 'certificate' }), 'Try later.'],
  ])(
    'without a key, reports only that the service cannot be reached, with %s for %s',
    async (_, cause, fix) => {
      const openApi = failing(new UnavailableError('no response', { cause, hint: 'Try later.' }));
      const finding = { check: 'service', status: 'fail', message: 'no response', fix };
      expect(await found({ openApi }, '')).toEqual([expect.objectContaining(finding)]);
    },
  );

  test.each([
    ['and accepts the key', {}, settings.apiKey, 'responds and accepts the key'],
    ['without a key', {}, '', 'responds'],
    ['and rejects the key', { listCodes: failing(new AuthError('rejected')) }, settings.apiKey, 'responds'],
    ['and limits requests', { listCodes: failing(new RateLimitError('later')) }, settings.apiKey, 'responds'],
  ])('says that the service responds %s', async (_, answers, apiKey, said) => {
    const message = (await found(answers, apiKey)).find(({ check }) => check === 'service')?.message;
    expect(message).toBe(`${settings.baseUrl} ${said}`);
  });

  test('closes the connection even after an unexpected error in qrctl, and rethrows this error', async () => {
    let closed = 0;
    const close = async () => {
      closed += 1;
    };
    await found({ close });
    await expect(found({ close, openApi: failing(new TypeError('a fault')) })).rejects.toThrow('a fault');
    expect(closed).toBe(2);
  });

  test('reports a response that did not come from the service as a failure with exit code 1', async () => {
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
    expect(findings.slice(1).map(({ message, fix }) => `${message}. ${fix}`)).toEqual([
      'the service sends no Date header. No action is needed. qrctl estimates pauses from Retry-After.',
      '/openapi.json cannot be read: no such page. No action is needed. qrctl works without this file.',
    ]);
  });

  test('warns if the OpenAPI description has changed, and suggests a newer version', async () => {
    const { info, ...rest } = openApi('/api/v1');
    const newer = async () => ({ ...rest, info: { ...Object(info), version: '1.1.0' } });
    expect((await found({ openApi: newer })).at(-1)).toEqual({
      check: 'openapi',
      status: 'warn',
      message: '/openapi.json has changed: its version is 1.1.0, not 1.0.0',
      fix: 'Check for a newer version of qrctl.',
    });
  });

  test('reports an OpenAPI description of a different service as a failure with exit code 1', async () => {
    const openApiFinding = (await found({ openApi: async () => ({ paths: {} }) })).at(-1);
    expect(openApiFinding).toMatchObject({
      check: 'openapi',
      status: 'fail',
      message: expect.stringContaining('GET /qr is missing'),
    });
    expect(exitCodeOf(openApiFinding?.failure)).toBe(1);
  });

  test.each([
    [5000, 'ok', 'matches the clock'],
    [-5000, 'ok', 'matches the clock'],
    [6000, 'warn', 'is 6 s ahead of the service'],
    [-86_400_000, 'warn', 'is 24 h behind the service'],
  ])('reports a local clock that is %d ms ahead of the service as `%s`: %s', async (offMs, status, said) => {
    const findings = await found({ nowMs: () => clock.now() - offMs });
    const message = expect.stringContaining(said);
    expect(findings.find(({ check }) => check === 'clock')).toMatchObject({ status, message });
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
