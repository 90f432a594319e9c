import { describe, expect, test } from 'vitest';
import { ClosedPipeError, LocalError, systemCode, UsageError } from '#base/errors';
import { cannotOpen, cannotWrite, describeSystemError, ifDiskFull } from '#files/durable/path-errors';
import { argv } from '../../support/argv.ts';

const error = (code: string) => Object.assign(new Error(`${code}: in node's words`), { code });

const OF_THE_PATH = argv`
  ENOENT EACCES EPERM EROFS EISDIR EEXIST ENOTDIR ENAMETOOLONG ELOOP EINVAL ENOTSUP ETXTBSY ENXIO
`;
const OF_THE_MACHINE = ['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'EMFILE', 'ENFILE'];

describe('a failure to open a file', () => {
  test.each(OF_THE_PATH)('is a usage error if the path is the cause: %s', (code) => {
    const failure = cannotOpen('write out.csv', error(code));
    expect(failure).toBeInstanceOf(UsageError);
    const message = expect.stringMatching(new RegExp(`^cannot write out\\.csv: [a-z ,/-]+ \\(${code}\\)$`));
    expect(failure).toMatchObject({
      message,
      hint: expect.stringContaining('pecify a different file with --output'),
    });
  });

  test('has a hint to create the directory if it is missing', () => {
    expect(cannotOpen('keep x', error('ENOENT'), 'name another place')).toMatchObject({
      message: 'cannot keep x: its directory does not exist (ENOENT)',
      hint: 'Create the directory first, or name another place.',
    });
    expect(cannotOpen('keep x', error('EACCES'), 'name another place')).toMatchObject({
      hint: 'Name another place.',
    });
  });

  test.each([...OF_THE_MACHINE, 'EWHATEVER'])('is a LocalError for any other system error: %s', (code) => {
    const failure = cannotOpen('write out.csv', error(code));
    expect(failure).toBeInstanceOf(LocalError);
    const what = ['ENOSPC', 'EDQUOT'].includes(code) ? 'Free up disk space' : 'Fix the problem';
    expect(failure).toMatchObject({ hint: `${what}, then run the same command again.`, cause: { code } });
  });

  test('is the original error if that error is not a system error', () => {
    const refusal = new UsageError('no');
    expect(cannotOpen('write out.csv', refusal)).toBe(refusal);
    expect(cannotWrite('write out.csv', refusal, 'it is unchanged')).toBe(refusal);
  });
});

describe('a failure to write', () => {
  test('states whether the file changed, and the next step', () => {
    expect(cannotWrite('write out.csv', error('EIO'), 'the file is unchanged')).toMatchObject({
      message: 'cannot write out.csv: the device reported an input/output error (EIO)',
      hint: 'The file is unchanged. Fix the problem, then run the same command again.',
    });
    for (const code of ['ENOSPC', 'EDQUOT']) {
      const failure = cannotWrite('write out.csv', error(code), 'the file is unchanged');
      expect(failure).toBeInstanceOf(LocalError);
      expect(failure).toMatchObject({
        hint: 'The file is unchanged. Free up disk space, then run the same command again.',
      });
    }
  });

  test('to a closed pipe is a ClosedPipeError', () => {
    const cause = error('EPIPE');
    const failure = cannotWrite('write out.csv', cause, 'as it was');
    expect(failure).toBeInstanceOf(ClosedPipeError);
    expect(failure).toMatchObject({ message: 'the reader closed the pipe', cause });
  });
});

test('a full disk becomes a LocalError, and any other error is returned unchanged', () => {
  const cause = error('ENOSPC');
  const failure = ifDiskFull(cause);
  expect(failure).toBeInstanceOf(LocalError);
  expect(failure).toMatchObject({ cause, hint: expect.stringContaining('disk space') });
  for (const other of [error('EIO'), new LocalError('no', { cause }), 'thrown'])
    expect(ifDiskFull(other)).toBe(other);
});

describe('an error', () => {
  test('has a description and its code if the code is known, or else its own message', () => {
    expect(describeSystemError(error('ENOSPC'))).toBe('the disk is full (ENOSPC)');
    expect(describeSystemError(error('EWHATEVER'))).toBe("EWHATEVER: in node's words");
    expect(describeSystemError(new Error('plain'))).toBe('plain');
    expect(describeSystemError('thrown')).toBe('thrown');
  });

  test('is a system error only if it is an Error with a string as its code', () => {
    expect(systemCode(error('EIO'))).toBe('EIO');
    expect(systemCode(new Error('plain'))).toBeUndefined();
    expect(systemCode({ code: 'EIO' })).toBeUndefined();
    expect(systemCode(Object.assign(new Error('odd'), { code: 7 }))).toBeUndefined();
    expect(systemCode(undefined)).toBeUndefined();
  });
});
