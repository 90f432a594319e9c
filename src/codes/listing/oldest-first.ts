import { parseScanTime } from '#service/scan-times';

/** Sorts codes by creation, then by ID. Codes without a valid time come last. */
export function oldestFirst<C extends { id: string; created_at?: string }>(codes: Iterable<C>): C[] {
  const dated = Array.from(codes, (code) => ({
    code,
    ms: parseScanTime(code.created_at ?? '') ?? Number.POSITIVE_INFINITY,
  }));
  dated.sort((one, other) => compare(one.ms, other.ms) || compare(one.code.id, other.code.id));
  return dated.map(({ code }) => code);
}

function compare<T>(one: T, other: T): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
