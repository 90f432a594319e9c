import { expect, test } from 'vitest';
import {
  AuthError,
  errorOf,
  exitCodeOf,
  InterruptedError,
  ifNotFound,
  isOfOneCode,
  LocalError,
  messageOf,
  NotFoundError,
  orUndefined,
  RejectedError,
  RequestFailure,
  systemCode,
  UnexpectedResponseError,
  UsageError,
} from '#base/errors';

const system = (code: unknown) => Object.assign(new Error('text'), { code });

test('a failed write has the code NO_SPACE only if the disk or the quota is full', () => {
  const codes = ['ENOSPC', 'EDQUOT', 'EIO', 'ENOSPCX', 'XEDQUOT', 28, undefined];
  expect(codes.map((code) => new LocalError('no', { cause: system(code) }).code)).toEqual([
    'NO_SPACE',
    'NO_SPACE',
    ...Array(5).fill(undefined),
  ]);
  expect([undefined, null, 'text', { code: 'EIO' }].map(systemCode)).toEqual(Array(4).fill(undefined));
});

test('an error has the cause that was passed and no rows by default, and a request failure has an unknown outcome by default', () => {
  const cause = new RangeError('why');
  expect(new UsageError('no', { cause }).cause).toBe(cause);
  expect(new UsageError('no')).not.toHaveProperty('cause');
  expect(new UsageError('no').rows).toEqual([]);
  expect(new RequestFailure('no').outcome).toBe('unknown');
  expect(new RequestFailure('no', { outcome: 'not-applied' }).outcome).toBe('not-applied');
  expect([cause, 'text'].map(messageOf)).toEqual(['why', 'text']);
});

test('an interruption has the exit code and message of its signal, and an unknown error has the exit code 1', () => {
  const errors = [new InterruptedError('SIGINT'), new InterruptedError('SIGTERM'), new Error('x'), 'x'];
  expect(errors.map(exitCodeOf)).toEqual([130, 143, 1, 1]);
  expect(errors.slice(0, 2).map(messageOf)).toEqual(['interrupted', 'terminated']);
});

test('missing codes, rejected values and unexpected responses are failures of one code, unlike rejected keys and local errors', () => {
  const classes = [NotFoundError, RejectedError, UnexpectedResponseError, AuthError, LocalError];
  expect(classes.map((Kind) => isOfOneCode(new Kind('no')))).toEqual([true, true, true, false, false]);
});

test('ifNotFound, orUndefined and errorOf return a value for an error of the expected class, and rethrow other errors', async () => {
  const other = new UsageError('other');
  expect(ifNotFound(7)(new NotFoundError('gone'))).toBe(7);
  expect(() => ifNotFound(7)(other)).toThrow(other);
  const fail = () => {
    throw other;
  };
  expect([orUndefined(fail), orUndefined(fail, UsageError), orUndefined(() => 3)]).toEqual([
    undefined,
    undefined,
    3,
  ]);
  expect(() => orUndefined(fail, AuthError)).toThrow(other);
  expect(await errorOf(Promise.reject(other), UsageError)).toBe(other);
  expect(await errorOf(Promise.resolve(1), UsageError)).toBeUndefined();
  await expect(errorOf(Promise.reject(other), AuthError)).rejects.toBe(other);
});
