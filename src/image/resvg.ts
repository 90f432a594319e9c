/** The library that draws logos, in a file of dist/ of its own: its WebAssembly is 2.4 MB, and only `--logo` needs it. */
export { initWasm, Resvg } from '@resvg/resvg-wasm';
