/** Any character of Unicode but lone surrogates, by fast-check. Its own unit `binary` makes a map of all of them first: seconds in each worker. */
import fc from 'fast-check';

const SURROGATES = 0xd800;
const COUNT = 0x800;

export const anyCharacter = fc
  .integer({ min: 0, max: 0x10ffff - COUNT })
  .map((at) => String.fromCodePoint(at < SURROGATES ? at : at + COUNT));
