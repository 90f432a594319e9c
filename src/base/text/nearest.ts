import leven, { closestMatch } from 'leven';

const LETTERS_PER_EDIT = 3;
const SWAP_EDITS = 2;

/** Returns the closest candidate: at most one edit per three letters, or two letters swapped. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const wanted = word.toLowerCase();
  const names = candidates.map((name) => name.toLowerCase());
  const found = closestMatch(wanted, names, {
    maxDistance: Math.max(SWAP_EDITS, Math.floor(wanted.length / LETTERS_PER_EDIT)),
  });
  if (found === undefined || !isNear(wanted, found)) return undefined;
  return candidates[names.indexOf(found)];
}

function isNear(word: string, found: string): boolean {
  return (
    leven(word, found) <= Math.floor(word.length / LETTERS_PER_EDIT) || lettersOf(word) === lettersOf(found)
  );
}

function lettersOf(word: string): string {
  return [...word].sort().join('');
}
