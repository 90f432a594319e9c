/**
 * Formats and parses a state as JSON with its version at the beginning and a checksum of everything before it at the end. A state that was truncated
 * or changed anywhere counts as unreadable, never as another state.
 */
import { createHash } from 'node:crypto';
import { parseBounded } from '../../base/text/bounded-json.ts';
import { isObject } from '../../service/json.ts';

/** State that cannot be read; its message completes a sentence that begins with "its state file". */
export class StateProblem extends Error {
  override name = 'StateProblem';
}

/** Complete state of a version or form that this version of qrctl does not support, such as one of a later version. */
export class UnknownStateError extends Error {
  override name = 'UnknownStateError';
}

/** Beginning that distinguishes a state from other files, even if it is damaged. */
export const STATE_BEGINS = '{"version":';

/** Formats a state as JSON with a checksum at the end. `version` must be its first key. */
export function formatChecksummed(state: { version: number } & Record<string, unknown>): Buffer {
  const body = JSON.stringify(state);
  return Buffer.from(`${body.slice(0, -1)},"checksum":"${sha256(body)}"}\n`);
}

/** Parses the bytes of `formatChecksummed`, and checks their form with `isForm`. Throws StateProblem and UnknownStateError. */
export function parseChecksummed<T>(
  bytes: Buffer,
  versions: readonly number[],
  isForm: (value: Record<string, unknown>) => value is Record<string, unknown> & T,
): T {
  const text = bytes.toString();
  const version = Number(/^\{"version":(\d+),/.exec(text)?.[1] ?? versions[0]);
  if (!versions.includes(version))
    throw new UnknownStateError(
      `its state file has version ${version}, which this version of qrctl does not support`,
    );
  const found = /^(.*),"checksum":"([0-9a-f]{64})"\}\n$/s.exec(text);
  // A2: a state that was cut or changed anywhere counts as damaged, never as something else.
  if (!found || sha256(`${found[1]}}`) !== found[2])
    throw new StateProblem('cannot be read (truncated or changed)');
  const saved = parseJson(text);
  if (!isObject(saved) || !isForm(saved))
    throw new UnknownStateError('its state file has a format that this version of qrctl does not support');
  return saved;
}

/** Maximum number of values, as `parseBounded` counts them: the IDs of many scans, or a hundred thousand codes. */
const MOST_VALUES = 16_000_000;

function parseJson(text: string): unknown {
  try {
    return parseBounded(text, MOST_VALUES);
  } catch {
    return undefined;
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
