/**
 * Disables GitHub Actions commands: `::NAME …::` at the start of a line, and the old form `##[NAME …]`
 * anywhere (actions/runner, ActionCommand.cs).
 */

export function withoutCommands(text: string): string {
  return text.replaceAll('##[', '#\\x23[').replace(/^(\s*):(?=:)/gm, '$1\\x3a');
}

export function withoutCommandsInJson(line: string): string {
  return line.replaceAll('##[', '#\\u0023[');
}

export function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

export function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
