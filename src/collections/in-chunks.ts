/** Items in chunks of so many, the last of which may have fewer: for what takes memory with each item that is handled at once. */
export function* inChunks<T>(items: readonly T[], most: number): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += most) yield items.slice(at, at + most);
}
