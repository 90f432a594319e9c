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
