/** Compares and numbers codes by their values. */
import { parseUrl } from '../../../base/text/parse-url.ts';
import type { NewCode, QrCode } from '../../../service/shapes.ts';

/**
 * O6: returns a text that is equal for codes with the same name, type and destination. The service may normalize values (trim a name, add
 * the slash to https://example.com), and a row whose code came back normalized must still be recognized, or it would be created twice.
 */
export function valuesKey(code: NewCode | QrCode): string {
  const { type, destination } = code;
  return JSON.stringify([nameKey(code), type ?? 'url', tidyAddress(destination ?? '')]);
}

export type ValueField = 'name' | 'type' | 'destination';

/** Returns the fields in which codes have different values (O6); parses no address if both are equal to the letter. */
export function differingFields(one: NewCode | QrCode, other: NewCode | QrCode): ValueField[] {
  const [was, is] = [one.destination ?? '', other.destination ?? ''];
  const differs: Readonly<Record<ValueField, boolean>> = {
    name: one.name !== other.name && nameKey(one) !== nameKey(other),
    type: (one.type ?? 'url') !== (other.type ?? 'url'),
    destination: was !== is && tidyAddress(was) !== tidyAddress(is),
  };
  return (['name', 'type', 'destination'] as const).filter((field) => differs[field]);
}

export interface CodeNumbering {
  /** Returns the number of the code's values, from 0 in the order in which they were first passed. */
  numberOf(code: NewCode | QrCode): number;
  /** Returns the number of the code's values, or undefined if they were never passed to `numberOf`. */
  find(code: NewCode | QrCode): number | undefined;
}

/** In place of a number, for a name that codes with different values have. */
const SEVERAL = -1;

/** Numbers codes: those with the same values (O6) have the same number. */
export function createCodeNumbering(): CodeNumbering {
  /** By number, the first code. */
  const codes: (NewCode | QrCode)[] = [];
  /** Usually each name has one number: texts of all values would be larger than the codes, and parsing addresses is slow. */
  const byName = new Map<string, number>();
  const byValues = new Map<string, number>();

  /** `first`: what is known of its name. */
  function find(code: NewCode | QrCode, first: number | undefined): number | undefined {
    if (first === SEVERAL) return byValues.get(valuesKey(code));
    const named = first === undefined ? undefined : codes[first];
    return named && differingFields(named, code).length === 0 ? first : undefined;
  }

  function add(code: NewCode | QrCode, name: string, first: number | undefined): number {
    const number = codes.push(code) - 1;
    byName.set(name, first === undefined ? number : SEVERAL);
    if (first === undefined) return number;
    const named = codes[first];
    if (named) byValues.set(valuesKey(named), first);
    byValues.set(valuesKey(code), number);
    return number;
  }

  return {
    find: (code) => find(code, byName.get(nameKey(code))),
    numberOf(code) {
      const name = nameKey(code);
      const first = byName.get(name);
      return find(code, first) ?? add(code, name, first);
    },
  };
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
