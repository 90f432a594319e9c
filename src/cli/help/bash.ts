/** Generates the completion script for bash 3.2 (macOS) and later, with or without the bash-completion package. */
import type { Flag } from '../../commands/define.ts';
import { NOTICE, type Point, points, quote, spellings, type ValueKind, valuedFlags, valueKind } from './completion-data.ts';
import type { Manual } from './page.ts';

export function bashScript(manual: Manual): string {
  const all = points(manual);
  return `# qrctl completion for bash. ${NOTICE}
# Try it in this shell: source <(qrctl completion bash)
# Install it: qrctl completion bash > ~/.local/share/bash-completion/completions/qrctl

# Sets names and flags to the words that may follow at position $1.
_qrctl_place() {
  names=() flags=()
  case "$1" in
${all.map(placeCase).join('\n')}
  esac
}

# Sets kind and values for the value of flag $2 at position $1. An empty kind: unknown.
_qrctl_flag() {
  kind= values=()
  case "$2" in
${manual.globals.filter(hasKnownValues).map(globalCase).join('\n')}
    *)
      case "$1 $2" in
${all.flatMap(({ path, flags }) => flags.filter(hasKnownValues).map((flag) => flagCase(path, flag))).join('\n')}
      esac
      ;;
  esac
}

# Sets kind and values for argument number $2 at position $1.
_qrctl_argument() {
  kind= values=()
  case "$1 $2" in
${all.flatMap(argumentCases).join('\n')}
  esac
}
${ENGINE(valuedFlags(manual), manual.globals)}`;
}

function placeCase({ path, names, flags }: Point): string {
  const words = names.length > 0 ? ` names=(${names.map(({ name }) => name).join(' ')})` : '';
  const own = flags.length > 0 ? ` flags=(${spellings(flags).join(' ')})` : '';
  return `    ${quote(path)})${words}${own} ;;`;
}

function hasKnownValues(item: Pick<Flag, 'choices' | 'complete'>): boolean {
  return valueKind(item) !== 'none';
}

function globalCase(flag: Flag): string {
  return `    ${spellings([flag]).join(' | ')}) ${assign(valueKind(flag))} ;;`;
}

function flagCase(path: string, flag: Flag): string {
  const patterns = spellings([flag]).map((name) => quote(`${path} ${name}`));
  return `        ${patterns.join(' | ')}) ${assign(valueKind(flag))} ;;`;
}

function argumentCases({ path, arguments: given }: Point): string[] {
  return given.flatMap((argument, i) =>
    hasKnownValues(argument) ? [`    ${quote(`${path} `)}${argument.several ? '*' : i}) ${assign(valueKind(argument))} ;;`] : [],
  );
}

function assign(source: ValueKind): string {
  return typeof source === 'string' ? `kind=${source}` : `kind=values values=(${source.join(' ')})`;
}

/**
 * The words of the line are put together again from what bash cut at = and :, and the answers cut there in turn. Live values
 * never go through compgen -W, which would expand what is in them.
 */
const ENGINE = (valued: readonly string[], globals: readonly Flag[]) => `
# Offers the words that begin with the typed prefix.
_qrctl_offer() {
  local value
  for value; do
    [[ "$value" == "$cur"* ]] && COMPREPLY+=("$value")
  done
}

# Offers profiles or codes from qrctl, with their names in a listing.
_qrctl_offer_live() {
  local value text quoted
  while IFS=$'\\t' read -r value text; do
    [[ "$value" == "$cur"* ]] || continue
    printf -v quoted '%q' "$value"
    [[ -n "$text" && ( "$COMP_TYPE" == 63 || "$COMP_TYPE" == 33 ) ]] && quoted="$quoted  ($text)"
    COMPREPLY+=("$quoted")
  done < <("\${words[0]/#\\~/$HOME}" __complete "$1" "$cur" "\${words[@]:1}" 2>/dev/null </dev/null)
  # A single candidate is inserted without its name.
  [[ \${#COMPREPLY[@]} -eq 1 ]] && COMPREPLY=("\${COMPREPLY[0]%%  (*}")
}

_qrctl_offer_paths() {
  local value
  compopt -o filenames 2>/dev/null
  while IFS= read -r value; do
    COMPREPLY+=("$value")
  done < <(compgen "$1" -- "$cur")
}

_qrctl_offer_kind() {
  case "$kind" in
    values) _qrctl_offer "\${values[@]}" ;;
    files) _qrctl_offer_paths -f ;;
    directories) _qrctl_offer_paths -d ;;
    profiles | codes) _qrctl_offer_live "$kind" ;;
  esac
}

_qrctl() {
  local line="\${COMP_LINE:0:COMP_POINT}" trimmed word words i
  words=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    trimmed="\${line#"\${line%%[![:space:]]*}"}"
    [[ $i -eq $COMP_CWORD ]] && word="$trimmed"
    if [[ $i -gt 0 && -n "$word" && "$trimmed" == "$line" ]]; then
      words[\${#words[@]}-1]+="$word"
    else
      words+=("$word")
    fi
    line="\${trimmed#"$word"}"
  done

  local last=$((\${#words[@]} - 1)) path= position=0 flag= kind values names flags cur
  cur="\${words[last]}"
  _qrctl_place ''
  for ((i = 1; i < last; i++)); do
    word="\${words[i]}"
    if [[ -n "$flag" ]]; then
      flag=
    elif [[ "$word" == -?* ]]; then
      case "$word" in
        ${valued.join(' | ')}) flag="$word" ;;
      esac
    elif [[ \${#names[@]} -gt 0 ]]; then
      path="\${path:+$path }$word"
      _qrctl_place "$path"
    else
      position=$((position + 1))
    fi
  done

  COMPREPLY=()
  local prefix=
  if [[ -n "$flag" ]]; then
    _qrctl_flag "$path" "$flag"
    _qrctl_offer_kind
  elif [[ "$cur" == --*=* ]]; then
    prefix="\${cur%%=*}="
    _qrctl_flag "$path" "\${cur%%=*}"
    cur="\${cur#*=}"
    _qrctl_offer_kind
  elif [[ "$cur" == -* ]]; then
    _qrctl_offer "\${flags[@]}" ${spellings(globals).join(' ')}
  elif [[ \${#names[@]} -gt 0 ]]; then
    _qrctl_offer "\${names[@]}"
  else
    _qrctl_argument "$path" "$position"
    _qrctl_offer_kind
  fi

  # Readline replaces only the last piece, as it splits words.
  local piece="\${COMP_WORDS[COMP_CWORD]}" kept="\${words[last]}"
  [[ "$piece" == [=:]* ]] && piece=
  kept="\${kept%"$piece"}"
  for ((i = 0; i < \${#COMPREPLY[@]}; i++)); do
    word="$prefix\${COMPREPLY[i]}"
    COMPREPLY[i]="\${word#"$kept"}"
  done
}

complete -F _qrctl qrctl
`;
