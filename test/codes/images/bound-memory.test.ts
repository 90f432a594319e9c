import { describe, expect, it } from 'vitest';
import { boundMemory } from '#codes/images/render-apart';

const HEADER = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
/** An export of the memory. */
const EXPORT = [7, 5, 1, 1, 0x6d, 2, 0];
const PAGE = 65_536;

describe('the memory of a WebAssembly module', () => {
  it.each([
    ['without a maximum', [5, 3, 1, 0, 1]],
    ['with a larger maximum', [5, 6, 1, 1, 1, 0x80, 0x80, 0x04]],
  ])('%s gets the limit, rounded down to whole pages, as its maximum', (_, memory) => {
    const wasm = Buffer.from([...HEADER, ...memory, ...EXPORT]);
    expect([...boundMemory(wasm, 300 * PAGE + 1)]).toEqual([...HEADER, 5, 5, 1, 1, 1, 0xac, 0x02, ...EXPORT]);
  });

  it('keeps its minimum, even if the minimum is encoded in two bytes', () => {
    const wasm = Buffer.from([...HEADER, 1, 2, 0, 5, 5, 4, 1, 0, 0x80, 0x01, ...EXPORT]);
    expect([...boundMemory(wasm, 127 * PAGE)]).toEqual([
      ...HEADER,
      1,
      2,
      0,
      5,
      5,
      5,
      1,
      1,
      0x80,
      0x01,
      127,
      ...EXPORT,
    ]);
  });

  it('must be defined in the module', () => {
    expect(() => boundMemory(Buffer.from([...HEADER, ...EXPORT]), PAGE)).toThrow('no memory of its own');
  });
});
