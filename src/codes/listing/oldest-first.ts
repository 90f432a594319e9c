import { parseScanTime } from '#service/scan-times';

export function oldestFirst<C extends { id: string; created_at?: string }>(codes: Iterable<C>): C[] {
  const dated = Array.from(codes, (code) => ({
    code,
    ms: parseScanTime(code.created_at ?? '') ?? Number.POSITIVE_INFINITY,
  }));
  // Two invalid times differ by NaN, so their IDs decide.
  dated.sort((one, other) => one.ms - other.ms || (one.code.id < other.code.id ? -1 : 1));
  return dated.map(({ code }) => code);
}
