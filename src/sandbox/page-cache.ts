/** Bodies of pages that cannot change until the workspace does, kept encoded. */

export interface PageCache {
  /** The body of `key` at `revision` of the workspace; built when it is not there. */
  body(key: string, revision: number, build: () => string): string | Buffer;
}

const MOST_BYTES = 512 * 2 ** 20;

/** A cache of at most 512 MiB; what does not fit is built every time. One that is not `wanted` always builds. */
export function createPageCache(wanted: boolean): PageCache {
  if (!wanted) return { body: (_key, _revision, build) => build() };
  const pages = new Map<string, Buffer>();
  let held = 0;
  let heldRevision = 0;

  return {
    body(key, revision, build) {
      if (revision !== heldRevision) {
        pages.clear();
        held = 0;
        heldRevision = revision;
      }
      const kept = pages.get(key);
      if (kept) return kept;
      const page = Buffer.from(build());
      if (held + page.length <= MOST_BYTES) {
        pages.set(key, page);
        held += page.length;
      }
      return page;
    },
  };
}
