import { describe, expect, test } from 'vitest';
import { ACTIONS, OUTCOMES, PLAN_WORDS, type Planned } from '#base/run/outcomes';
import { TOPICS } from '#cli/help/topics';
import { OUTCOMES as CHECKED } from '#codes/destinations/verdict';
import type { CodeResult } from '#scans/verify/verify-codes';
import { OUTCOMES as WATCHED } from '#scans/watch/judge';

const WORDS = [...Object.keys(OUTCOMES), ...Object.keys(ACTIONS), ...Object.keys(PLAN_WORDS)];

/** The contract: a released outcome is never renamed. */
const RESULTS =
  'created adopted exists updated unchanged edited later deleted failed not-attempted undecided';
const PLANS = 'create adopt update delete unchanged edited removed gone undecided exists later failed';

describe('the outcome vocabulary', () => {
  test('is listed in `qrctl help formatting`, each word once and with a meaning', () => {
    const { blocks = [] } = TOPICS.find(({ name }) => name === 'formatting') ?? {};
    const lists = blocks.flatMap((block) => (typeof block === 'object' && 'list' in block ? block.list : []));
    const explained = lists
      .filter(([, meaning]) => /^[A-Z].{10,}/.test(meaning))
      .flatMap(([words]) => words.split(', '));
    for (const word of WORDS) expect(explained.filter((listed) => listed === word)).toEqual([word]);
  });

  test('contains every released outcome and action', () => {
    expect(Object.keys(OUTCOMES)).toEqual(expect.arrayContaining(RESULTS.split(' ')));
    expect(WORDS).toEqual(expect.arrayContaining(PLANS.split(' ')));
  });

  test('shares only the word `gone` with the outcomes of `qr check`, `scans watch` and `scans verify`', () => {
    const verified: Record<CodeResult['outcome'], true> = {
      equal: true,
      different: true,
      missing: true,
      gone: true,
      unproven: true,
    };
    const verdicts: readonly string[] = [...CHECKED, ...WATCHED, ...Object.keys(verified), 'repaired'];
    expect(verdicts.filter((word) => WORDS.includes(word))).toEqual(['gone' satisfies Planned]);
  });
});
