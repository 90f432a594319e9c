/** Counts and names the tests that were skipped (a missing tool, another system, `QRCTL_SOAK`), as the last lines of a whole run. */
import { relative } from 'node:path';
import type { Reporter, TestCase, TestModule } from 'vitest/node';

/** Of a run of few files the default reporter says enough. */
const WHOLE_RUN = 50;

export default class SkippedReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length < WHOLE_RUN) return;
    const counts = new Map<string, number>();
    for (const module of modules) {
      for (const test of module.children.allTests('skipped')) {
        const name = `${relative(process.cwd(), module.moduleId)}: ${groupOf(test)}`;
        counts.set(name, (counts.get(name) ?? 0) + 1);
      }
    }
    const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
    if (total === 0) return;
    console.log(`\n${total} tests skipped (a tool is missing, another system, or QRCTL_SOAK is not set):`);
    for (const [name, count] of [...counts].sort()) console.log(`  ${String(count).padStart(3)}  ${name}`);
  }
}

/** Names the outermost group of a test, which is what a condition mostly skips. */
function groupOf(test: TestCase): string {
  let group: TestCase | Extract<TestCase['parent'], { type: 'suite' }> = test;
  while (group.parent.type === 'suite') group = group.parent;
  return group.name;
}
