/** Damages valid samples: the same seed and number give the same bytes, on every machine. */

/** A number in [0, 1) at each call (mulberry32). */
export type Random = () => number;

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A whole number from 0 to before `end`. */
function below(random: Random, end: number): number {
  return Math.floor(random() * end);
}

export function pick<T>(random: Random, from: readonly T[]): T {
  return from[below(random, from.length)] as T;
}

/** Characters and words that mean something to one parser or another. */
const TOKENS: readonly (string | Buffer)[] = [
  ...`" ' , ; { } [ ] : < > /> </ & &#x0; &lt; = \\ \\u \\ud800 \\x % %00 %ff .. / // ? # @ - + . * ( ) | ^ $ _`.split(
    ' ',
  ),
  ...'null true NaN -0 1e999 -1 0x10 9007199254740993 0.1e-400 18446744073709551616 __proto__ constructor toString'.split(
    ' ',
  ),
  ...'id ts name destination at outcome slug 2026-02-30 9999-12-31T23:59:59Z -000001-01-01T00:00:00Z 24:00 T Z W53 Q5'.split(
    ' ',
  ),
  ...'+275760-09-13T00:00:00Z Europe/Berlin UTC +25:00 [u-ca=hebrew] 366d 1e3s 999999999999w http:// https://[::1'.split(
    ' ',
  ),
  ...'javascript: file:/// xn-- ü 東 👨‍👩‍👧 <![CDATA[ <!-- --> <?xml url(#a) xmlns="" style=" =cmd|x!A0'.split(
    ' ',
  ),
  ...[
    '\t',
    '\n',
    '\r',
    '\r\n',
    '\0',
    ' ',
    '\u202e',
    '\ufeff',
    '\u2028',
    'sep=;\n',
    'M0 0',
    '<!ENTITY a "b">',
    '"__proto__":{"x":1},',
  ],
  ...['1'.repeat(120), '🇩🇪'.repeat(30), '\u0301'.repeat(50), 'PK\u0003\u0004', 'PAR1'],
  ...['fffe', 'efbbbf', 'eda080', 'c080', '1f8b08'].map((bytes) => Buffer.from(bytes, 'hex')),
];

const NUMBERS = [
  0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff,
] as const;

type Change = (bytes: Buffer, random: Random, other: Buffer) => Buffer;

/** Bytes from `at` on, `removed` of them, replaced. */
function replace(bytes: Buffer, at: number, removed: number, added: Uint8Array): Buffer {
  return Buffer.concat([bytes.subarray(0, at), added, bytes.subarray(at + removed)]);
}

function stretch(bytes: Buffer, random: Random, longest = 64): [at: number, length: number] {
  const at = below(random, bytes.length + 1);
  return [at, below(random, Math.min(longest, bytes.length - at) + 1)];
}

const CHANGES: readonly Change[] = [
  function flipBits(bytes, random) {
    const flipped = Buffer.from(bytes);
    for (let times = 1 + below(random, 6); times > 0 && bytes.length > 0; times--) {
      const at = below(random, bytes.length);
      flipped[at] = (flipped[at] ?? 0) ^ (1 << below(random, 8));
    }
    return flipped;
  },
  function truncate(bytes, random) {
    return bytes.subarray(0, below(random, bytes.length + 1));
  },
  function behead(bytes, random) {
    return bytes.subarray(below(random, Math.min(bytes.length, 32) + 1));
  },
  function remove(bytes, random) {
    const [at, length] = stretch(bytes, random);
    return replace(bytes, at, length, Buffer.alloc(0));
  },
  function repeat(bytes, random) {
    const [at, length] = stretch(bytes, random);
    const times = random() < 0.05 ? 2000 : 1 + below(random, 40);
    return replace(bytes, at, 0, Buffer.concat(Array(times).fill(bytes.subarray(at, at + length))));
  },
  function insert(bytes, random) {
    const token = Buffer.from(pick(random, TOKENS) as string);
    const times = random() < 0.03 ? 20_000 : random() < 0.1 ? 300 : 1;
    return replace(bytes, below(random, bytes.length + 1), 0, Buffer.concat(Array(times).fill(token)));
  },
  function overwrite(bytes, random) {
    const token = Buffer.from(pick(random, TOKENS) as string);
    const [at, length] = stretch(bytes, random, 16);
    return replace(bytes, at, length, token);
  },
  function splice(bytes, random, other) {
    const [at, length] = stretch(bytes, random, 400);
    const [from, taken] = stretch(other, random, 400);
    return replace(bytes, at, length, other.subarray(from, from + taken));
  },
  /** Lengths, offsets and counts of binary files. */
  function writeNumber(bytes, random) {
    const written = Buffer.alloc(4);
    const number = pick(random, NUMBERS);
    if (random() < 0.5) written.writeUInt32BE(number);
    else written.writeUInt32LE(number);
    const length = pick(random, [1, 2, 4]);
    const at = below(random, bytes.length + 1);
    return replace(bytes, at, Math.min(length, bytes.length - at), written.subarray(4 - length));
  },
  function changeDigits(bytes, random) {
    const text = bytes.toString('latin1');
    const runs = [...text.slice(0, 20_000).matchAll(/\d+/g)];
    const found = runs.length > 0 ? pick(random, runs) : undefined;
    if (!found) return bytes;
    const number = pick(random, ['0', '-1', '1e9', '99999999999', '9'.repeat(25), '4294967296', '']);
    return replace(bytes, found.index, found[0].length, Buffer.from(number));
  },
];

/** A damaged copy of one of the samples; one in fifty is nothing but tokens, one in fifty as it was. */
export function mutate(samples: readonly Buffer[], random: Random): Buffer {
  let bytes = pick(random, samples);
  const kind = random();
  if (kind < 0.02) return bytes;
  if (kind < 0.04)
    return Buffer.concat(
      Array.from({ length: below(random, 60) }, () => Buffer.from(pick(random, TOKENS) as string)),
    );
  for (let times = 1 + below(random, 5); times > 0; times--)
    bytes = pick(random, CHANGES)(bytes, random, pick(random, samples));
  return bytes;
}
