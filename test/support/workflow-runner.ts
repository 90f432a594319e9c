/** Finds workflow commands in the output of a step, as GitHub's runner does (actions/runner, src/Runner.Common/ActionCommand.cs). */

export interface FoundCommand {
  command: string;
  properties: Readonly<Record<string, string>>;
  data: string;
}

/** Values that are commands where they begin a line, or anywhere. */
export const COMMANDS = [
  '::error file=a.csv,line=1::forged',
  '  ::set-output name=a::b',
  '::add-mask::e',
  '##[error]forged',
  'a ##[add-mask]b',
  ':::error::forged',
  'a\n::stop-commands::x',
  'a\r\n\t::warning::b',
  '%0A::error::c',
  '\u3000::debug::d',
];

/** Returns the commands in `text`: a line that begins with `::`, behind spaces, or has `##[NAME]` anywhere. */
export function commandsIn(text: string): FoundCommand[] {
  return text.split(/\r\n|\r|\n/).flatMap((line) => newForm(line.trim()) ?? oldForm(line) ?? []);
}

function newForm(line: string): FoundCommand | undefined {
  const end = line.startsWith('::') ? line.indexOf('::', 2) : -1;
  return end < 0 ? undefined : found(line.slice(2, end), ',', line.slice(end + 2));
}

function oldForm(line: string): FoundCommand | undefined {
  const start = line.indexOf('##[');
  const end = start < 0 ? -1 : line.indexOf(']', start);
  return end < 0 ? undefined : found(line.slice(start + 3, end), ';', line.slice(end + 1));
}

function found(info: string, separator: string, data: string): FoundCommand {
  const space = info.indexOf(' ');
  const command = space < 0 ? info : info.slice(0, space);
  const pairs = space < 0 ? [] : info.slice(space + 1).split(separator);
  return { command, data, properties: Object.fromEntries(pairs.filter(Boolean).map(splitPair)) };
}

function splitPair(pair: string): [string, string] {
  const at = pair.indexOf('=');
  return at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)];
}
