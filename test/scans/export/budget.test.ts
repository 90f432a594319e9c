import { describe, expect, it } from 'vitest';
import { BudgetExceededError, createBudget } from '#scans/export/export-scans';
import { page } from './reading.ts';

/** Reads until the budget is spent, `at` the start; how often that was, page 1 not counted. */
async function reads(budget: ReturnType<typeof createBudget>): Promise<number> {
  for (let count = 0; ; count++) {
    try {
      await budget.read({ page: 2, limit: 2 });
    } catch (error) {
      expect(error).toEqual(new BudgetExceededError('the scans kept changing while they were read'));
      return count;
    }
  }
}

const answer = async () => page([3], { total: 9 });

describe('the budget of an export', () => {
  it('is three times the number of returned pages plus 18 requests, including the first request (C13)', async () => {
    expect(await reads(createBudget(answer, page([1, 2], { total: 1_000_000_000 })))).toBe(20);
  });

  it('grows with the largest number of returned rows, and with granted requests (C13)', async () => {
    const budget = createBudget(answer, page([1, 2], { total: 1_000_000_000 }));
    budget.reportRows(5);
    budget.reportRows(4);
    budget.grant(1);
    budget.grant(1);
    expect(await reads(budget)).toBe(3 * 3 + 18 + 2 - 1);
  });

  it('includes at most twelve granted requests per returned page (C13)', async () => {
    const budget = createBudget(answer, page([1, 2], { total: 4 }));
    budget.grant(1_000_000);
    expect(await reads(budget)).toBe(3 + 18 + 12 - 1);
  });

  it('keeps the largest total of all responses', async () => {
    const budget = createBudget(answer, page([1, 2], { total: 4 }));
    expect(budget.largestTotal()).toBe(4);
    await budget.read({ page: 2, limit: 2 });
    expect(budget.largestTotal()).toBe(9);
  });
});
