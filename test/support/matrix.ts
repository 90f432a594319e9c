/** Affine transformation x' = a·x + c·y + e, y' = b·x + d·y + f (as in PDF and PostScript). */
export type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number];

/** Combines two transformations: `first`, then `second`. */
export function combine(first: Matrix, second: Matrix): Matrix {
  const [a, b, c, d, e, f] = first;
  const [p, q, r, s, t, u] = second;
  return [a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e * p + f * r + t, e * q + f * s + u];
}

export function apply([a, b, c, d, e, f]: Matrix, x: number, y: number): [number, number] {
  return [a * x + c * y + e, b * x + d * y + f];
}
