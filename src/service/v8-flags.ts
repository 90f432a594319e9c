/**
 * Sets the V8 flags that this program changes, with the benefit of each, and restores them. Any of them may be ignored: only time and
 * memory change.
 */
/** node:v8 takes a millisecond to load: only if it is needed. */
const v8 = () => process.getBuiltinModule('node:v8');

function setFlags(...flags: readonly string[]): void {
  for (const flag of flags) v8().setFlagsFromString(flag);
}

let isWasmSimple = false;

const YOUNG_BYTES = 8 * 1024 * 1024;

/**
 * node20: To be called before undici's parser of HTTP, one large function of WebAssembly, is compiled. V8 of Node 20 would begin to optimize
 * it at the first answer, and node waits for that before it exits: `qr list` took 310 ms of processor time in place of 120, and no
 * export is long enough to win it back. But not before what node is to load itself is loaded: once a flag has changed V8 compiles
 * that anew, in place of taking what came compiled with node, and node:net alone takes 3 ms in place of 1. Node 22 and 24 optimize nothing at once, and
 * loading node:v8 would cost them what the rest wins. Once for all connections: each change of a flag takes V8 some time.
 */
export function keepWasmSimple(): void {
  if (isWasmSimple || !process.version.startsWith('v20.')) return;
  isWasmSimple = true;
  setFlags('--liftoff-only');
}

/**
 * Bounds the heap for long streams: an export of a million scans peaks at 85 MB instead of 115 (of 300,000: 82 instead of 106, with Node 24
 * 112 instead of 137), in the same time. By default V8 lets garbage grow to several times the memory in use, more so the longer the stream.
 * Call the returned function periodically.
 */
export function keepMemoryFlat(): () => void {
  // Old objects are collected when they have grown by a fifth, not by a multiple: 10 MB of those 30.
  setFlags('--heap-growing-percent=20');
  return createYoungBound();
}

/** Returns a function, to be called periodically, that ends the growth of the young generation. */
function createYoungBound(): () => void {
  let bounded = false;
  return () => {
    if (bounded) return;
    // The initial size of the young generation is fixed when node starts, at two to ten times this; its growth is not.
    const young = v8()
      .getHeapSpaceStatistics()
      .find(({ space_name }) => space_name === 'new_space');
    bounded = young === undefined || young.space_size >= YOUNG_BYTES;
    if (bounded) setFlags('--semi-space-growth-factor=1');
  };
}

/** V8's own values, flag by flag; setting the first of them had changed the next two. */
const DEFAULTS = [
  // node20: with keepWasmSimple.
  '--no-liftoff-only',
  '--wasm-tier-up',
  '--wasm-dynamic-tiering',
  '--heap-growing-percent=0',
  '--semi-space-growth-factor=2',
];

/** Puts all of them back at the end: V8 refuses compiled code that was made under other flags than it is read under. */
export function restoreFlags(): void {
  setFlags(...DEFAULTS);
}
