# qrctl completion for bash 3.2 (macOS) and later, with or without the bash-completion package.
# Try it in this shell: source <(qrctl completion bash)
# Install it: qrctl completion bash > ~/.local/share/bash-completion/completions/qrctl

# Offers the files that begin with the typed prefix.
_qrctl_offer_paths() {
  local path
  compopt -o filenames 2>/dev/null
  while IFS= read -r path; do
    COMPREPLY+=("$flag$path")
  done < <(compgen "$1" -- "${cur#"$flag"}")
}

# Offers a candidate that begins with the typed prefix, in a listing with its description.
_qrctl_offer() {
  local quoted
  [[ "$1" == "$cur"* ]] || return
  printf -v quoted '%q' "$1"
  [[ -n "$2" && "$1" != -* && ( "$COMP_TYPE" == 63 || "$COMP_TYPE" == 33 ) ]] && quoted="$quoted  ($2)"
  COMPREPLY+=("$quoted")
}

_qrctl() {
  # Join the words that bash has split at = and :.
  local line="${COMP_LINE:0:COMP_POINT}" trimmed word words i
  words=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word="${COMP_WORDS[i]}"
    trimmed="${line#"${line%%[![:space:]]*}"}"
    [[ $i -eq $COMP_CWORD ]] && word="$trimmed"
    if [[ $i -gt 0 && -n "$word" && "$trimmed" == "$line" ]]; then
      words[${#words[@]}-1]+="$word"
    else
      words+=("$word")
    fi
    line="${trimmed#"$word"}"
  done

  # qrctl prints candidates with a tab and a description, or the kind of path to complete.
  local cur="${words[${#words[@]}-1]}" flag=
  [[ "$cur" == --*=* ]] && flag="${cur%%=*}="
  COMPREPLY=()
  while IFS= read -r line; do
    case "$line" in
      *$'\t'*) _qrctl_offer "${line%%$'\t'*}" "${line#*$'\t'}" ;;
      files) _qrctl_offer_paths -f ;;
      directories) _qrctl_offer_paths -d ;;
    esac
  done < <("${words[0]/#\~/$HOME}" __complete "${words[@]:1}" 2>/dev/null </dev/null)

  # A single candidate is inserted without its description.
  [[ ${#COMPREPLY[@]} -eq 1 ]] && COMPREPLY=("${COMPREPLY[0]%%  (*}")
  # Readline replaces only the last piece of the word.
  local piece="${COMP_WORDS[COMP_CWORD]}" kept
  [[ "$piece" == [=:]* ]] && piece=
  kept="${cur%"$piece"}"
  for ((i = 0; i < ${#COMPREPLY[@]}; i++)); do
    COMPREPLY[i]="${COMPREPLY[i]#"$kept"}"
  done
}

complete -F _qrctl qrctl
