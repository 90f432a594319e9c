/** Generates the completion script for zsh. */
import type { Argument, Flag } from '../../commands/define.ts';
import { NOTICE, type Point, points, quote, type ValueKind, valueKind } from './completion-data.ts';
import type { Manual } from './page.ts';

export function zshScript(manual: Manual): string {
  const all = points(manual);
  const [root, ...others] = all;
  if (!root) throw new Error('there are no commands');
  const paths = new Set(all.map(({ path }) => path));
  return `#compdef qrctl
# qrctl completion for zsh. ${NOTICE}
# Try it in this shell: source <(qrctl completion zsh)
# Install it, then start a new shell: qrctl completion zsh > "\${fpath[1]}/_qrctl"

${others.map((place) => placeFunction(place, paths)).join('\n')}
# Offers profiles or codes from qrctl. _arguments puts options for compadd before the word.
_qrctl_live() {
  local line kind=$argv[-1]
  local -a found
  for line in "\${(@f)$("$program" __complete $kind "\${(Q)PREFIX}" "\${(@Q)typed}" 2>/dev/null </dev/null)}"; do
    [[ -n $line ]] && found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  _describe -t $kind \${kind%s} found "\${(@)argv[1,-2]}"
}

_qrctl() {
  # The functions called from here use all of these.
  local program=\${\${(Q)words[1]}/#\\~\\//$HOME/} curcontext=$curcontext context state state_descr line ret=1
  local -a typed=("\${(@)words[2,CURRENT-1]}")
  typeset -A opt_args
  local -a globals=(
${manual.globals
  .flatMap(flagSpecs)
  .map((spec) => `    ${spec}`)
  .join('\n')}
  )
${dispatch(root, paths)}
}

if [[ \${funcstack[1]} == _qrctl ]]; then
  _qrctl "$@"
else
  compdef _qrctl qrctl
fi
`;
}

function functionName(path: string): string {
  return `_qrctl_at_${path.replaceAll(' ', '_')}`;
}

function placeFunction(place: Point, paths: ReadonlySet<string>): string {
  const { path, names, flags, arguments: given } = place;
  if (names.length > 0)
    return `${functionName(path)}() {\n  local context state state_descr line ret=1\n${dispatch(place, paths)}\n}\n`;
  const specs = [...flags.flatMap(flagSpecs), ...given.map(argumentSpec)].map((spec) => ` \\\n    ${spec}`);
  return `${functionName(path)}() {\n  _arguments -s -S $globals${specs.join('')}\n}\n`;
}

/** One of several words, and then whatever follows that one. */
function dispatch({ path, names }: Point, paths: ReadonlySet<string>): string {
  const described = names.map(({ name, summary }) => `    ${quote(`${name}:${summary}`)}`).join('\n');
  const deeper = names.map(({ name }) => ({ name, at: path ? `${path} ${name}` : name })).filter(({ at }) => paths.has(at));
  const cases = deeper.map(({ name, at }) => `        ${name}) ${functionName(at)} && ret=0 ;;`).join('\n');
  const rest = `    rest)
      case $words[1] in
${cases}
      esac
      ;;
`;
  return `  local -a names=(
${described}
  )
  _arguments -C -s -S $globals '1: :->name' '*:: :->rest' && ret=0
  case $state in
    name) _describe -t commands command names && ret=0 ;;
${deeper.length > 0 ? rest : ''}  esac
  return ret`;
}

function flagSpecs(flag: Flag): string[] {
  const { short, long, value, description, repeatable } = flag;
  const excluded = repeatable ? '*' : short ? `(${short} ${long})` : '';
  const does = `[${description.replace(/[[\]\\]/g, '\\$&')}]`;
  const takes = value === undefined ? '' : `:${escapeSpec(value)}:${action(valueKind(flag))}`;
  const equals = value === undefined ? '' : '=';
  const specs = [`${excluded}${long}${equals}${does}${takes}`];
  if (short) specs.unshift(`${excluded}${short}${does}${takes}`);
  return specs.map(quote);
}

function argumentSpec(argument: Argument): string {
  const { name, required, several } = argument;
  const place = several ? '*' : '';
  return quote(`${place}:${several || required ? '' : ':'}${escapeSpec(name)}:${action(valueKind(argument))}`);
}

function action(source: ValueKind): string {
  if (typeof source !== 'string') return `(${source.join(' ')})`;
  if (source === 'files') return '_files';
  if (source === 'directories') return '_files -/';
  return source === 'none' ? ' ' : `_qrctl_live ${source}`;
}

function escapeSpec(text: string): string {
  return text.replace(/[:\\]/g, '\\$&');
}
