import { expect, test } from 'vitest';
import { AuthError, exitCodeOf, UnavailableError } from '#base/errors';
import { verifyKey } from '#commands/auth/login';
import { resolveInputs } from '#settings/resolve';
import { failing, modelService } from '../../support/model-service/model-service.ts';

const settings = {
  ...resolveInputs({ flags: {}, env: {}, name: 'default', profile: {} }),
  baseUrl: 'https://far.example/api/v1',
  apiKey: 'svc_live_canary',
};

function verified(listCodes: ReturnType<typeof failing>) {
  return verifyKey({ connect: async () => modelService({ listCodes }) }, settings).catch(
    (error: unknown) => error,
  );
}

test('auth login exits with 7 and suggests --no-verify if the service does not respond', async () => {
  const failure = await verified(
    failing(new UnavailableError('connection refused', { hint: 'see: qrctl doctor' })),
  );
  expect(exitCodeOf(failure)).toBe(7);
  expect(failure).toMatchObject({
    message: 'connection refused; nothing was stored',
    hint: expect.stringContaining('--no-verify'),
  });
});

test('auth login fails with the error of the verification request if the service rejects the key', async () => {
  const refused = new AuthError('the service rejected the API key (401)');
  expect(await verified(failing(refused))).toBe(refused);
});
