/** Everything that main.ts loads unless it can respond at once: one file of dist/, because each file costs time to open. */

export { exitCodeOf, Failure, LocalError } from './base/errors.ts';
export { formatAnnotations } from './base/run/annotations.ts';
export { withoutCommands, withoutCommandsInJson } from './base/text/workflow-commands.ts';
export { interpret } from './cli/program.ts';
export { createPropose } from './cli/proposals.ts';
export { useFlags } from './commands/use-flags.ts';
export { createContext, ownProcesses } from './context.ts';
export { describeSystemError, ifDiskFull } from './files/durable/path-errors.ts';
export { loadColours } from './terminal/colour.ts';
export { renderError } from './terminal/render-error.ts';
export { spacedPaths } from './terminal/wrap-words.ts';
export { checkSummaryPlace, writeSummary } from './terminal/write-summary.ts';
