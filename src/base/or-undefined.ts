/** Returns the result of `work`; undefined if it throws, or only if it throws an error of the class `only`. */
export function orUndefined<T>(
  work: () => T,
  only?: abstract new (...args: never[]) => Error,
): T | undefined {
  try {
    return work();
  } catch (error) {
    if (only && !(error instanceof only)) throw error;
    return undefined;
  }
}

/** Returns the error of the class `kind` that `work` rejects with; undefined if it resolves. Throws others. */
export async function errorOf<E extends Error>(
  work: Promise<unknown>,
  kind: abstract new (...args: never[]) => E,
): Promise<E | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof kind) return error;
    throw error;
  }
}
