/**
 * When are two codes "the same"? The service may tidy what it is sent (trim a name, add the slash to https://example.com), and a
 * row whose code came back tidied must still be recognised, or it would be created twice.
 */
import type { NewCode, QrCode } from '../service/shapes.ts';

/** A text that is equal for codes with the same name, type and destination, tidied or not. */
export function valuesKey({ name, type, destination }: NewCode | QrCode): string {
  return JSON.stringify([name.normalize('NFC').trim(), type ?? 'url', tidyAddress(destination ?? '')]);
}

function tidyAddress(destination: string): string {
  const trimmed = destination.normalize('NFC').trim();
  return URL.canParse(trimmed) ? new URL(trimmed).href : trimmed;
}
