/** Generates the completion script for fish. */
import type { Argument, Flag } from '../../commands/define.ts';
import { NOTICE, type Point, points, type ValueKind, valuedFlags, valueKind } from './completion-data.ts';
import type { Manual } from './page.ts';

export function fishScript(manual: Manual): string {
  return `# qrctl completion for fish. ${NOTICE}
# Try it in this shell: qrctl completion fish | source
# Install it: qrctl completion fish > ~/.config/fish/completions/qrctl.fish

# Prints the words before the cursor that are neither flags nor values of flags.
function __qrctl_path
    set -l words (commandline -opc)
    set -l skip 0
    for word in $words[2..-1]
        if test $skip = 1
            set skip 0
            continue
        end
        switch $word
            case ${valuedFlags(manual).join(' ')}
                set skip 1
            case '-*'
            case '*'
                echo -- $word
        end
    end
end

# Tests for exactly these words, followed by $argv[1] others.
function __qrctl_after
    set -l path (__qrctl_path)
    set -l names $argv[2..-1]
    test (count $path) -eq (math (count $names) + $argv[1]); or return 1
    __qrctl_in $names
end

# Tests whether the words begin with these.
function __qrctl_in
    set -l path (__qrctl_path)
    test (count $path) -ge (count $argv); or return 1
    for i in (seq (count $argv))
        test "$path[$i]" = "$argv[$i]"; or return 1
    end
end

# Prints profiles or codes from qrctl.
function __qrctl_live
    set -l words (commandline -opc)
    $words[1] __complete $argv[1] (commandline -ct) $words[2..-1] 2>/dev/null </dev/null
end

complete -c qrctl -f
${manual.globals.map((flag) => line('', flagWords(flag))).join('\n')}
${points(manual).flatMap(placeLines).join('\n')}
`;
}

function placeLines({ path, names, flags, arguments: given }: Point): string[] {
  return [
    ...names.map(({ name, summary }) => line(condition('after 0', path), `-a ${quote(name)} -d ${quote(summary)}`)),
    ...flags.map((flag) => line(condition('in', path), flagWords(flag))),
    ...given
      .map((argument, i) => line(condition(argument.several ? 'in' : `after ${i}`, path), argumentWords(argument)))
      .filter(Boolean),
  ];
}

function condition(test: string, path: string): string {
  return `-n ${quote(`__qrctl_${test} ${path}`.trim())} `;
}

function line(when: string, words: string): string {
  return words === '' ? '' : `complete -c qrctl ${when}${words}`;
}

function flagWords(flag: Flag): string {
  const { short, long, value, description } = flag;
  const names = `${short ? `-s ${short.slice(1)} ` : ''}-l ${long.slice(2)}`;
  const takes = value === undefined ? '' : ` ${valueWords(valueKind(flag))}`;
  return `${names}${takes} -d ${quote(description)}`;
}

/** -x: a value is needed, and is no file. */
function valueWords(source: ValueKind): string {
  if (typeof source !== 'string') return `-x -a ${quote(source.join(' '))}`;
  if (source === 'files') return '-r -F';
  if (source === 'directories') return "-x -a '(__fish_complete_directories (commandline -ct))'";
  return source === 'none' ? '-x' : `-x -a '(__qrctl_live ${source})'`;
}

function argumentWords(argument: Argument): string {
  const source = valueKind(argument);
  if (typeof source !== 'string') return `-a ${quote(source.join(' '))}`;
  if (source === 'files') return '-F';
  return source === 'none' ? '' : valueWords(source).replace('-x ', '');
}

/** In fish a backslash counts in single quotes too. */
function quote(text: string): string {
  return `'${text.replace(/['\\]/g, '\\$&')}'`;
}
