import { capitalize, countOf, formatCount } from '#base/text/quote';

/** Formats `DONE (COST, COST). PLACE`, without empty parentheses. Omits parts of `cost` that are false. */
export function formatClosing(done: string, cost: readonly (string | false)[] = [], place?: string): string {
  const spent = cost.filter((part) => part !== false).join(', ');
  return `${done}${spent === '' ? '' : ` (${spent})`}${place === undefined ? '' : `. ${place}`}`;
}

const DONE = ['created', 'adopted', 'updated', 'deleted'];

const WORDS: Readonly<Record<string, string>> = {
  conflict: 'in conflict',
  later: 'not due yet',
  'not-attempted': 'not attempted',
};

/** Formats `Created 2 codes, updated 1, 4 unchanged`, `4 rows unchanged` or `Nothing to do`. */
export function formatOutcomes(
  outcomes: ReadonlyMap<string, number>,
  { made, left }: { made: string; left: string },
): string {
  const verbs = DONE.map((verb) => ({ verb, count: outcomes.get(verb) ?? 0 })).filter(
    ({ count }) => count > 0,
  );
  const others = [...outcomes].filter(([outcome]) => !DONE.includes(outcome));
  const parts = [
    ...verbs.map(({ verb, count }, at) => `${verb} ${at === 0 ? countOf(count, made) : formatCount(count)}`),
    ...others.map(([outcome, count], at) => {
      const noun = at === 0 && verbs.length === 0 ? countOf(count, left) : formatCount(count);
      return `${noun} ${outcome === 'exists' && count > 1 ? 'exist' : (WORDS[outcome] ?? outcome)}`;
    }),
  ];
  return capitalize(parts.join(', ')) || 'Nothing to do';
}
