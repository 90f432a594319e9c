/** Of a module's memory, in bytes. */
const PAGE_BYTES = 65_536;
/** `\0asm`, version 1. */
const HEADER_BYTES = 8;
/** WebAssembly core specification, 5.5.2: the section of memories. */
const MEMORY_SECTION = 5;

/** Returns the module with a maximum for its one memory. Throws Error if it has no memory of its own, as after an upgrade of the library. */
export function boundMemory(wasm: Uint8Array, mostBytes: number): Buffer {
  for (let at = HEADER_BYTES; at < wasm.length; ) {
    const { value: size, end: start } = readNumber(wasm, at + 1);
    if (wasm[at] !== MEMORY_SECTION) {
      at = start + size;
      continue;
    }
    const { value: least } = readNumber(wasm, start + 2);
    const memory = [1, 1, ...formatNumber(least), ...formatNumber(Math.floor(mostBytes / PAGE_BYTES))];
    const section = Buffer.from([MEMORY_SECTION, ...formatNumber(memory.length), ...memory]);
    return Buffer.concat([wasm.subarray(0, at), section, wasm.subarray(start + size)]);
  }
  throw new Error('the module has no memory of its own');
}

/** Reads an unsigned number in LEB128 (5.2.2), and returns its end. */
function readNumber(bytes: Uint8Array, at: number): { value: number; end: number } {
  let value = 0;
  for (let end = at, weight = 1; ; weight *= 128) {
    const byte = bytes[end++] ?? 0;
    value += (byte & 0x7f) * weight;
    if (byte < 0x80) return { value, end };
  }
}

function formatNumber(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...formatNumber(Math.floor(value / 128))];
}
