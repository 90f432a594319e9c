export function hash(seed: number, stream: number, index: number): number {
  const first = mix((seed ^ Math.imul(stream, 0x9e3779b1)) | 0);
  return mix((first ^ Math.imul(index, 0x85ebca6b)) | 0) >>> 0;
}

export function fraction(seed: number, stream: number, index: number): number {
  return hash(seed, stream, index) / 2 ** 32;
}

export function pick<T>(pool: readonly [T, ...T[]], chance: number): T {
  return pool[chance % pool.length] ?? pool[0];
}

export function uuid(seed: number, stream: number, index: number): string {
  const words = [0, 1, 2, 3].map((word) =>
    hash(seed, stream * 4 + word, index)
      .toString(16)
      .padStart(8, '0'),
  );
  const hex = words.join('');
  const variant = '89ab'[Number.parseInt(hex.slice(16, 17), 16) % 4];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}

const SLUG_LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';
const SLUG_LENGTH = 6;
const SLUGS = SLUG_LETTERS.length ** SLUG_LENGTH;
/** Distance between successive slugs. It is coprime to 31, so that all slugs are used. */
const SLUG_STRIDE = 547_112_003;

export function slug(seed: number, stream: number, index: number): string {
  let rest = (hash(seed, stream, 0) + index * SLUG_STRIDE) % SLUGS;
  let text = '';
  for (let digit = 0; digit < SLUG_LENGTH; digit++) {
    text = SLUG_LETTERS.charAt(rest % 31) + text;
    rest = Math.floor(rest / 31);
  }
  return text;
}

function mix(value: number): number {
  let h = value;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}
