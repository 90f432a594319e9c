/** Caches the UTF-8 of repeated values: copying bytes takes half the time of joining strings. */
import { Buffer } from 'node:buffer';
import type { ByteBuffer } from '#base/text/byte-buffer';

const MOST_KNOWN = 1000;
const LONGEST_VALUE = 100;

export interface Field {
  opening: Buffer;
  known: Map<unknown, Buffer> | undefined;
}

export function createField(opening: string): Field {
  return { opening: Buffer.from(opening), known: new Map() };
}

/** Adds the opening and the value, whose bytes are cached if it is short. */
export function addField(
  buffer: Pick<ByteBuffer, 'add' | 'addText'>,
  field: Field,
  value: unknown,
  encode: (value: unknown) => string,
): void {
  const bytes = knownBytes(field, value, encode);
  buffer.add(bytes ?? field.opening);
  if (!bytes) buffer.addText(encode(value));
}

/** Returns opening and value as bytes; undefined if the value is not cached. */
export function knownBytes(
  field: Field,
  value: unknown,
  encode: (value: unknown) => string,
): Buffer | undefined {
  return field.known?.get(value) ?? remember(field, value, encode);
}

function remember(field: Field, value: unknown, encode: (value: unknown) => string): Buffer | undefined {
  const { known, opening } = field;
  const isShort =
    typeof value === 'string' ? value.length <= LONGEST_VALUE : typeof value !== 'object' || value === null;
  if (!known || !isShort) return undefined;
  const bytes = Buffer.concat([opening, Buffer.from(encode(value))]);
  known.set(value, bytes);
  if (known.size >= MOST_KNOWN) field.known = undefined;
  return bytes;
}
