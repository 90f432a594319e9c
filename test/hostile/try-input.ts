/** One damaged input, and what its parser makes of it. */
import { crc32 } from 'node:zlib';
import { Failure } from '#base/errors';
import { FILE_PARSERS, type Parser } from './file-parsers.ts';
import { HTTP_PARSERS } from './http-parsers.ts';
import { createRandom, mutate } from './mutate.ts';
import { TEXT_PARSERS } from './text-parsers.ts';

export const PARSERS: readonly Parser[] = [...FILE_PARSERS, ...HTTP_PARSERS, ...TEXT_PARSERS];
const SHARES = PARSERS.reduce((sum, { share }) => sum + share, 0);

/** How many of all inputs are for this parser. */
export function countOf({ share }: Parser, total: number): number {
  return Math.ceil((total * share) / SHARES);
}

/** By number alone, so that each input can be made again. */
export function inputOf({ name, samples, pack }: Parser, seed: number, number: number): Buffer {
  const random = createRandom(seed ^ crc32(`${name} ${number}`));
  if (!pack || random() < 0.4) return mutate(samples, random);
  return pack(mutate(samples, random));
}

/** As a finding has it. */
export function shown(input: Buffer): string {
  return input.subarray(0, 3000).toString('base64');
}

/** Undefined where the input was read, or refused with an error that its caller expects. */
export async function failureOf(
  parser: Parser,
  input: Buffer,
  directory: string,
): Promise<string | undefined> {
  try {
    await parser.parse(input, directory);
    return undefined;
  } catch (error) {
    if (error instanceof Failure || parser.throws?.some((expected) => error instanceof expected))
      return undefined;
    return error instanceof Error ? `${error.stack}` : `threw ${String(error)}`;
  }
}
