/** Finds required UTM tags that an address lacks, and tags that redirects drop. */

/** Returns `missing utm_source`, `lost in redirects: utm_medium`, or undefined. `finalUrl`: final address, if the redirects ended at a page. */
export function findUtmProblem(
  destination: URL,
  finalUrl: URL | undefined,
  required: readonly string[],
): string | undefined {
  const has = (url: URL, name: string) => (url.searchParams.get(`utm_${name}`) ?? '').trim() !== '';
  const missing = required.filter((name) => !has(destination, name));
  if (missing.length > 0) return `missing ${missing.map((name) => `utm_${name}`).join(', ')}`;
  const lost = finalUrl ? required.filter((name) => !has(finalUrl, name)) : [];
  return lost.length > 0 ? `lost in redirects: ${lost.map((name) => `utm_${name}`).join(', ')}` : undefined;
}

/** Tests whether the `error` of a row contains the result of `findUtmProblem`. */
export function hasUtmProblem(error: string): boolean {
  return /(^|; )(missing|lost in redirects:) utm_/.test(error);
}
