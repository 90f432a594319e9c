import { closeSync, type fsync, openSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { flushFile } from '#terminal/stdout-writer';
import { useDirectory } from '../support/cli.ts';

const streamOf = (fd: number | undefined) => Object.assign(new PassThrough(), fd === undefined ? {} : { fd });

test('standard output is flushed only if it is a regular file, and a failed flush is reported', async () => {
  const flushed: number[] = [];
  let failure: NodeJS.ErrnoException | null = null;
  const sync = ((fd: number, done: (error: NodeJS.ErrnoException | null) => void) => {
    flushed.push(fd);
    done(failure);
  }) as typeof fsync;
  const fd = openSync(join(await useDirectory(), 'out'), 'w');
  const device = openSync('/dev/null', 'w');
  for (const each of [fd, device, undefined]) await flushFile(streamOf(each), sync);
  expect(flushed).toEqual([fd]);
  await flushFile(streamOf(fd));
  failure = Object.assign(new Error('EIO'), { code: 'EIO' });
  await expect(flushFile(streamOf(fd), sync)).rejects.toThrow('cannot write to standard output');
  for (const each of [fd, device]) closeSync(each);
});
