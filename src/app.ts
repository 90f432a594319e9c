/** All that main.ts loads unless it can answer at once: one file of dist/, because each costs time to open. */
export { interpret } from './commands/program.ts';
export { createPropose } from './commands/proposals.ts';
export { createContext, ownProcesses } from './context.ts';
export { describeSystemError, ifDiskFull } from './durable/path-errors.ts';
export { exitCodeOf, Failure, LocalError } from './errors.ts';
export { loadColours } from './output/colour.ts';
export { renderError } from './output/render-error.ts';
export { spacedPaths } from './output/spaced-paths.ts';
export { checkSummaryPlace, writeSummary } from './output/write-summary.ts';
