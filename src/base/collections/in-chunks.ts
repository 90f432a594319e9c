/**
 * Yields items in chunks of a given size, the last of which may be smaller: for operations whose memory grows with the items that are
 * handled at once.
 */
export function* inChunks<T>(items: readonly T[], most: number): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += most) yield items.slice(at, at + most);
}
