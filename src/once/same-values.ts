/** When are two codes the same? */
import type { NewCode, QrCode } from '../service/shapes.ts';
import { parseUrl } from '../text/parse-url.ts';

/**
 * O6: a text that is equal for codes with the same name, type and destination. The service may tidy what it is sent (trim a name, add
 * the slash to https://example.com), and a row whose code came back tidied must still be recognised, or it would be created twice.
 */
export function valuesKey({ name, type, destination }: NewCode | QrCode): string {
  return JSON.stringify([name.normalize('NFC').trim(), type ?? 'url', tidyAddress(destination ?? '')]);
}

function tidyAddress(destination: string): string {
  const trimmed = destination.normalize('NFC').trim();
  return parseUrl(trimmed)?.href ?? trimmed;
}
