/** What parsers of values have in common. */
import { Failure } from '#base/errors';
import type { Parser } from './file-parsers.ts';

export const texts = (...all: string[]) => all.map((text) => Buffer.from(text));

/** Runs each; what one refuses is tried with the next. */
export async function each(
  works: readonly (() => unknown)[],
  ...refusals: Required<Parser>['throws'][number][]
): Promise<void> {
  for (const work of works) {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof Failure || refusals.some((refusal) => error instanceof refusal))) throw error;
    }
  }
}
