/**
 * Workflow commands of GitHub Actions, which its runner reads from standard output and standard error: `::NAME …::` at the start of a line,
 * behind any spaces, and in the old form `##[NAME …]` anywhere (actions/runner, ActionCommand.cs).
 */

/** Makes text harmless that values of others may be part of: no line of it is a command any more. The escapes are visible, as in clean.ts. */
export function withoutCommands(text: string): string {
  return text.replaceAll('##[', '#\\x23[').replace(/^(\s*):(?=:)/gm, '$1\\x3a');
}

/** The same for a line of JSON, which is an object: its values stay exact. */
export function withoutCommandsInJson(line: string): string {
  return line.replaceAll('##[', '#\\u0023[');
}

/** Escapes the message of a command. */
export function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

/** Escapes the value of a property of a command. */
export function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
