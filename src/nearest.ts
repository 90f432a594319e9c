/** The name somebody probably meant. */
import { closestMatch } from 'leven';

/** The candidate with the fewest edits from `word`, at most two in five letters, or undefined. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  return closestMatch(word, candidates, { maxDistance: Math.ceil(word.length * 0.4) });
}
