const v8 = () => process.getBuiltinModule('node:v8');

function setFlags(...flags: readonly string[]): void {
  for (const flag of flags) v8().setFlagsFromString(flag);
}

let isWasmSimple = false;

const YOUNG_BYTES = 8 * 1024 * 1024;

/**
 * node20: keeps V8 from optimizing undici's HTTP parser, because Node would wait for that at exit. Saves
 * `qr list` 190 of 310 ms of CPU time. Call it after loading Node's modules, before compiling the parser.
 */
export function keepWasmSimple(): void {
  if (isWasmSimple || !process.version.startsWith('v20.')) return;
  isWasmSimple = true;
  setFlags('--liftoff-only');
}

/** Reduces V8's heap. The returned function, called periodically, bounds the young generation. */
export function keepMemoryFlat(): () => void {
  // Makes V8 collect old objects when the heap has grown by a fifth.
  setFlags('--heap-growing-percent=20');
  let bounded = false;
  return () => {
    if (bounded) return;
    const young = v8()
      .getHeapSpaceStatistics()
      .find(({ space_name }) => space_name === 'new_space');
    bounded = young === undefined || young.space_size >= YOUNG_BYTES;
    if (bounded) setFlags('--semi-space-growth-factor=1');
  };
}

/** V8's default flags. The first three undo `--liftoff-only`, which also turns off the second and third. */
const DEFAULTS = [
  '--no-liftoff-only',
  '--wasm-tier-up',
  '--wasm-dynamic-tiering',
  '--heap-growing-percent=0',
  '--semi-space-growth-factor=2',
];

/** Restores V8's defaults, because V8 rejects stored code that was compiled under other flags. */
export function restoreFlags(): void {
  setFlags(...DEFAULTS);
}
