/** Compares codes by their values. */
import type { NewCode, QrCode } from '../service/shapes.ts';
import { parseUrl } from '../text/parse-url.ts';

/**
 * O6: returns a text that is equal for codes with the same name, type and destination. The service may normalize values (trim a name, add
 * the slash to https://example.com), and a row whose code came back normalized must still be recognized, or it would be created twice.
 */
export function valuesKey(code: NewCode | QrCode): string {
  const { type, destination } = code;
  return JSON.stringify([nameKey(code), type ?? 'url', tidyAddress(destination ?? '')]);
}

/** Returns whether codes have the same values (O6); parses no address if they are equal to the letter. */
export function haveSameValues(one: NewCode | QrCode, other: NewCode | QrCode): boolean {
  const isSame =
    one.name === other.name &&
    (one.type ?? 'url') === (other.type ?? 'url') &&
    (one.destination ?? '') === (other.destination ?? '');
  return isSame || valuesKey(one) === valuesKey(other);
}

/** Returns a text that is equal for codes with the same name. */
export function nameKey({ name }: Pick<NewCode, 'name'>): string {
  return name.normalize('NFC').trim();
}

/** Returns a text that is equal for codes that differ only in their names. */
export function restKey(code: NewCode | QrCode): string {
  return valuesKey({ ...code, name: '' });
}

function tidyAddress(destination: string): string {
  const trimmed = destination.normalize('NFC').trim();
  return parseUrl(trimmed)?.href ?? trimmed;
}
