import { describe, expect, test } from 'vitest';
import { isFromService, parseErrorBody, responseError } from '#service/response-error';

const NO_LIMIT = {
  plan: undefined,
  limit: undefined,
  remaining: undefined,
  resetMs: undefined,
  retryAfterMs: undefined,
  dateMs: undefined,
};
const BODY = '{"error":"no\\nluck","code":"its_code"}';
const redact = (text: string) => text.replace('secret', '[key]');

interface Rest {
  remaining?: number;
  headers?: Record<string, string>;
  keyHint?: string;
}

async function errorOf(method: 'GET' | 'POST', status: number, text: string, rest: Rest = {}) {
  const { remaining, headers = {}, ...subject } = rest;
  const body = await parseErrorBody(text);
  return responseError({ method, redact, ...subject }, { status, text, headers }, body, {
    ...NO_LIMIT,
    remaining,
  });
}

describe('the error for a response', () => {
  const foreign = 'UnexpectedResponseError (unknown): unexpected response that is not from the service';
  test.each([
    ['GET', 401, BODY, 'AuthError (not-applied): the service rejected the API key (401): no luck'],
    ['POST', 403, BODY, "PlanLimitError (not-applied): the plan's code limit is reached (403): no luck"],
    ['POST', 403, '', "PlanLimitError (unknown): the plan's code limit is reached (403)"],
    ['POST', 403, '<p>no', `${foreign} (403): no`],
    ['GET', 403, BODY, 'UnexpectedResponseError (not-applied): unexpected response (403): no luck'],
    ['GET', 404, BODY, 'NotFoundError (unknown): not found (404): no luck'],
    ['GET', 404, 'secret', `${foreign} (404): [key]`],
    ['POST', 400, BODY, 'RejectedError (not-applied): the service rejected the values (400): no luck'],
    ['POST', 422, BODY, 'RejectedError (unknown): the service rejected the values (422): no luck'],
    ['POST', 400, '', `${foreign} (400)`],
    ['GET', 400, '{"error":3}', `${foreign} (400): {"error":3}`],
    ['GET', 503, '', 'UnavailableError (unknown): the service failed (503)'],
    ['GET', 501, BODY, 'UnexpectedResponseError (unknown): unexpected response (501): no luck'],
  ] as const)('to %s with status %i and body %j is %s', async (method, status, text, expected) => {
    const error = await errorOf(method, status, text);
    expect(`${error.constructor.name} (${error.outcome}): ${error.message}`).toBe(expected);
    expect(error).toMatchObject({ status, code: text === BODY ? 'its_code' : undefined });
  });

  test.each([
    [300, 'Run `qrctl doctor` to check the base URL.'],
    [399, 'Run `qrctl doctor` to check the base URL.'],
    [400, undefined],
    [401, 'Use a valid API key.'],
    [403, 'Delete codes that you no longer need (`qrctl qr delete`), or change the plan.'],
    [404, 'Run `qrctl qr list` to see all codes.'],
    [418, 'Run `qrctl doctor` to check the base URL.'],
    [503, 'Try again later, or run `qrctl doctor` to find the cause.'],
  ])('with status %i has the hint %j', async (status, hint) => {
    expect((await errorOf('POST', status, BODY)).hint).toBe(hint);
  });

  test('has no error code if the code in the body is not text', async () => {
    expect((await errorOf('GET', 404, '{"error":"x","code":3}')).code).toBeUndefined();
  });

  test('names the redirect target with the key redacted, and has the given hint for a rejected key', async () => {
    expect((await errorOf('GET', 302, '', { headers: { location: 'http://a.test/secret' } })).message).toBe(
      'redirected to "http://a.test/[key]" (302), but qrctl does not follow redirects',
    );
    expect((await errorOf('GET', 401, '', { keyHint: 'Ask.' })).hint).toBe('Ask.');
  });

  test.each([408, 500, 502, 503, 504])('with status %i reports that the service failed', async (status) => {
    expect((await errorOf('GET', status, '')).message).toBe(`the service failed (${status})`);
  });

  test('counts as from the service if the response has rate limit headers or the body of an error', async () => {
    expect((await errorOf('GET', 404, '', { remaining: 0 })).message).toBe('not found (404)');
    const of = (text: string, remaining?: number) =>
      isFromService({ status: 404, headers: {}, text }, { ...NO_LIMIT, remaining });
    expect(await Promise.all([of('', 0), of(BODY), of('{}'), of('')])).toEqual([true, true, false, false]);
  });
});
