# qrctl completion for bash. Made from the commands by `npm run completions`: do not edit.
# Now: source <(qrctl completion bash)
# For good: qrctl completion bash > ~/.local/share/bash-completion/completions/qrctl

# Sets names and flags: what may follow at the place $1.
_qrctl_place() {
  names=() flags=()
  case "$1" in
    '') names=(qr scans auth config api doctor sandbox demo completion help) ;;
    'qr') names=(list get create update check delete image) ;;
    'scans') names=(export stats report tail) ;;
    'auth') names=(login status list use logout) ;;
    'config') names=(list get set unset path) ;;
    'qr list') flags=(--status --type --name --limit --sort -f --format -o --output --fields --delimiter --no-header --raw-cells --excel --ids --timezone) ;;
    'qr get') flags=(-f --format -o --output --fields --delimiter --no-header --raw-cells --excel --ids --timezone) ;;
    'qr create') flags=(--name --type --destination --force --template --utm-source --utm-medium --utm-campaign --utm-term --utm-content --from --results --overwrite --moved-from --sheet-name --visible-only --dry-run --offline --strict --fail-fast --skip-existing --settle --apply-edits --as-new --adopt --not-created -f --format -o --output --fields --delimiter --no-header --raw-cells --excel --ids) ;;
    'qr update') flags=(--name --destination --status --force --due --ignore-dates --timezone --utm-source --utm-medium --utm-campaign --utm-term --utm-content --from --results --overwrite --moved-from --sheet-name --visible-only --dry-run --offline --strict --fail-fast -f --format -o --output --fields --delimiter --no-header --raw-cells --excel --ids) ;;
    'qr check') flags=(--from --status --fail-on --require-utm --since-last --allow-private --user-agent -f --format -o --output --fields --delimiter --no-header --raw-cells --excel --ids) ;;
    'qr delete') flags=(--yes --backup --from --results --overwrite --moved-from --sheet-name --visible-only --dry-run --offline --strict --fail-fast -f --format -o --output --fields --delimiter --no-header --raw-cells --excel --ids) ;;
    'qr image') flags=(-o --output --dry-run --force --all --status --type --name --from --output-dir --as --file-names --sheet --grid --label --margin --gap --paper --caption --start --outline --size --dpi --quiet-zone --ecc --color --background --logo --short-url) ;;
    'scans export') flags=(--all --from --status --type --name --since --until --during --timezone --output-dir --partition-by --compact --file-names --append --restart --rotated --overlap --moved-from --prove-beyond --dry-run -f --format -o --output --fields --delimiter --no-header --raw-cells --excel --ids --overwrite) ;;
    'scans stats') flags=(--all --from --status --type --name --input --no-rotated --by --top --compare --since --until --during --timezone --dry-run -f --format -o --output --fields --delimiter --no-header --raw-cells --excel --ids) ;;
    'scans report') flags=(--all --from --status --type --name --input --no-rotated --by --top --compare --since --until --during --timezone --title -o --output) ;;
    'scans tail') flags=(--all --from --status --type --name --since --interval --max-events -f --format --fields --no-header) ;;
    'auth login') flags=(--key-stdin --no-verify) ;;
    'auth status') flags=(-f --format -o --output --fields --delimiter --no-header --raw-cells --excel) ;;
    'auth list') flags=(-f --format -o --output --fields --delimiter --no-header --raw-cells --excel) ;;
    'auth use') ;;
    'auth logout') flags=(--all) ;;
    'config list') flags=(-f --format -o --output --fields --delimiter --no-header --raw-cells --excel) ;;
    'config get') ;;
    'config set') ;;
    'config unset') ;;
    'config path') ;;
    'api') flags=(--query --input) ;;
    'doctor') flags=(-f --format -o --output --fields --delimiter --no-header --raw-cells --excel) ;;
    'sandbox') flags=(--port --codes --scans --plan --window --seed --live --latency --key) ;;
    'demo') ;;
    'completion') ;;
    'help') names=(qr scans auth config api doctor sandbox demo completion exit-codes formatting environment rate-limits automation) ;;
    'help qr') names=(list get create update check delete image) ;;
    'help scans') names=(export stats report tail) ;;
    'help auth') names=(login status list use logout) ;;
    'help config') names=(list get set unset path) ;;
  esac
}

# Sets kind and values: what the value of flag $2 is at the place $1. No kind: nothing is known.
_qrctl_flag() {
  kind= values=()
  case "$2" in
    --profile) kind=profiles ;;
    --summary) kind=files ;;
    *)
      case "$1 $2" in
        'qr list --status') kind=values values=(active paused expired) ;;
        'qr list --type') kind=values values=(url vcard wifi sms whatsapp email file multilink social app event business coupon feedback landing_page product vcard_plus menu images video mp3 playlist) ;;
        'qr list -f' | 'qr list --format') kind=values values=(table csv json ndjson) ;;
        'qr list -o' | 'qr list --output') kind=files ;;
        'qr get -f' | 'qr get --format') kind=values values=(table csv json ndjson) ;;
        'qr get -o' | 'qr get --output') kind=files ;;
        'qr create --type') kind=values values=(url vcard wifi sms whatsapp email file multilink social app event business coupon feedback landing_page product vcard_plus menu images video mp3 playlist) ;;
        'qr create --from') kind=files ;;
        'qr create --results') kind=files ;;
        'qr create -f' | 'qr create --format') kind=values values=(table csv json ndjson) ;;
        'qr create -o' | 'qr create --output') kind=files ;;
        'qr update --status') kind=values values=(active paused expired) ;;
        'qr update --from') kind=files ;;
        'qr update --results') kind=files ;;
        'qr update -f' | 'qr update --format') kind=values values=(table csv json ndjson) ;;
        'qr update -o' | 'qr update --output') kind=files ;;
        'qr check --from') kind=files ;;
        'qr check --status') kind=values values=(active paused expired) ;;
        'qr check --since-last') kind=files ;;
        'qr check -f' | 'qr check --format') kind=values values=(table csv json ndjson) ;;
        'qr check -o' | 'qr check --output') kind=files ;;
        'qr delete --backup') kind=directories ;;
        'qr delete --from') kind=files ;;
        'qr delete --results') kind=files ;;
        'qr delete -f' | 'qr delete --format') kind=values values=(table csv json ndjson) ;;
        'qr delete -o' | 'qr delete --output') kind=files ;;
        'qr image -o' | 'qr image --output') kind=files ;;
        'qr image --status') kind=values values=(active paused expired) ;;
        'qr image --type') kind=values values=(url vcard wifi sms whatsapp email file multilink social app event business coupon feedback landing_page product vcard_plus menu images video mp3 playlist) ;;
        'qr image --from') kind=files ;;
        'qr image --output-dir') kind=directories ;;
        'qr image --file-names') kind=values values=(id slug) ;;
        'qr image --paper') kind=values values=(A4 Letter) ;;
        'qr image --caption') kind=values values=(slug name none) ;;
        'qr image --ecc') kind=values values=(L M Q H) ;;
        'qr image --logo') kind=files ;;
        'scans export --from') kind=files ;;
        'scans export --status') kind=values values=(active paused expired) ;;
        'scans export --type') kind=values values=(url vcard wifi sms whatsapp email file multilink social app event business coupon feedback landing_page product vcard_plus menu images video mp3 playlist) ;;
        'scans export --output-dir') kind=directories ;;
        'scans export --partition-by') kind=values values=(day month) ;;
        'scans export --file-names') kind=values values=(id slug) ;;
        'scans export -f' | 'scans export --format') kind=values values=(table csv json ndjson parquet) ;;
        'scans export -o' | 'scans export --output') kind=files ;;
        'scans stats --from') kind=files ;;
        'scans stats --status') kind=values values=(active paused expired) ;;
        'scans stats --type') kind=values values=(url vcard wifi sms whatsapp email file multilink social app event business coupon feedback landing_page product vcard_plus menu images video mp3 playlist) ;;
        'scans stats --input') kind=files ;;
        'scans stats --by') kind=values values=(day week month hour weekday country city device os browser referrer code) ;;
        'scans stats --compare') kind=values values=(previous year none) ;;
        'scans stats -f' | 'scans stats --format') kind=values values=(table csv json ndjson) ;;
        'scans stats -o' | 'scans stats --output') kind=files ;;
        'scans report --from') kind=files ;;
        'scans report --status') kind=values values=(active paused expired) ;;
        'scans report --type') kind=values values=(url vcard wifi sms whatsapp email file multilink social app event business coupon feedback landing_page product vcard_plus menu images video mp3 playlist) ;;
        'scans report --input') kind=files ;;
        'scans report --by') kind=values values=(day week month hour weekday country city device os browser referrer code) ;;
        'scans report --compare') kind=values values=(previous year none) ;;
        'scans report -o' | 'scans report --output') kind=files ;;
        'scans tail --from') kind=files ;;
        'scans tail --status') kind=values values=(active paused expired) ;;
        'scans tail --type') kind=values values=(url vcard wifi sms whatsapp email file multilink social app event business coupon feedback landing_page product vcard_plus menu images video mp3 playlist) ;;
        'scans tail -f' | 'scans tail --format') kind=values values=(csv ndjson) ;;
        'auth status -f' | 'auth status --format') kind=values values=(table csv json ndjson) ;;
        'auth status -o' | 'auth status --output') kind=files ;;
        'auth list -f' | 'auth list --format') kind=values values=(table csv json ndjson) ;;
        'auth list -o' | 'auth list --output') kind=files ;;
        'config list -f' | 'config list --format') kind=values values=(table csv json ndjson) ;;
        'config list -o' | 'config list --output') kind=files ;;
        'api --input') kind=files ;;
        'doctor -f' | 'doctor --format') kind=values values=(table csv json ndjson) ;;
        'doctor -o' | 'doctor --output') kind=files ;;
        'sandbox --plan') kind=values values=(free pro business) ;;
      esac
      ;;
  esac
}

# Sets kind and values: what argument number $2 is at the place $1.
_qrctl_argument() {
  kind= values=()
  case "$1 $2" in
    'qr get '0) kind=codes ;;
    'qr update '*) kind=codes ;;
    'qr check '*) kind=codes ;;
    'qr delete '*) kind=codes ;;
    'qr image '*) kind=codes ;;
    'scans export '*) kind=codes ;;
    'scans stats '*) kind=codes ;;
    'scans report '*) kind=codes ;;
    'scans tail '*) kind=codes ;;
    'auth use '0) kind=profiles ;;
    'config get '0) kind=values values=(base-url format timezone reserve concurrency max-wait delimiter short-url) ;;
    'config set '0) kind=values values=(base-url format timezone reserve concurrency max-wait delimiter short-url) ;;
    'config unset '0) kind=values values=(base-url format timezone reserve concurrency max-wait delimiter short-url) ;;
    'api '0) kind=values values=(GET POST PUT PATCH DELETE) ;;
    'completion '0) kind=values values=(bash zsh fish powershell) ;;
  esac
}

# Offers those of the words given that begin with what is typed.
_qrctl_offer() {
  local value
  for value; do
    [[ "$value" == "$cur"* ]] && COMPREPLY+=("$value")
  done
}

# Offers profiles or codes, as qrctl knows them; in a listing with what they are called.
_qrctl_offer_live() {
  local value text quoted
  while IFS=$'\t' read -r value text; do
    [[ "$value" == "$cur"* ]] || continue
    printf -v quoted '%q' "$value"
    [[ -n "$text" && ( "$COMP_TYPE" == 63 || "$COMP_TYPE" == 33 ) ]] && quoted="$quoted  ($text)"
    COMPREPLY+=("$quoted")
  done < <("${words[0]/#\~/$HOME}" __complete "$1" "$cur" "${words[@]:1}" 2>/dev/null </dev/null)
  # A single one is going to be inserted, without what it is called.
  [[ ${#COMPREPLY[@]} -eq 1 ]] && COMPREPLY=("${COMPREPLY[0]%%  (*}")
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
    values) _qrctl_offer "${values[@]}" ;;
    files) _qrctl_offer_paths -f ;;
    directories) _qrctl_offer_paths -d ;;
    profiles | codes) _qrctl_offer_live "$kind" ;;
  esac
}

_qrctl() {
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

  local last=$((${#words[@]} - 1)) path= position=0 flag= kind values names flags cur
  cur="${words[last]}"
  _qrctl_place ''
  for ((i = 1; i < last; i++)); do
    word="${words[i]}"
    if [[ -n "$flag" ]]; then
      flag=
    elif [[ "$word" == -?* ]]; then
      case "$word" in
        --profile | --base-url | --max-wait | --reserve | --concurrency | --timeout | --retry-for | --summary | --status | --type | --name | --limit | --sort | -f | --format | -o | --output | --fields | --delimiter | --timezone | --destination | --utm-source | --utm-medium | --utm-campaign | --utm-term | --utm-content | --from | --results | --moved-from | --sheet-name | --settle | --as-new | --adopt | --not-created | --fail-on | --require-utm | --since-last | --user-agent | --backup | --output-dir | --as | --file-names | --sheet | --grid | --label | --margin | --gap | --paper | --caption | --start | --size | --dpi | --quiet-zone | --ecc | --color | --background | --logo | --short-url | --since | --until | --during | --partition-by | --overlap | --input | --by | --top | --compare | --title | --interval | --max-events | --query | --port | --codes | --scans | --plan | --window | --seed | --live | --latency | --key) flag="$word" ;;
      esac
    elif [[ ${#names[@]} -gt 0 ]]; then
      path="${path:+$path }$word"
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
    prefix="${cur%%=*}="
    _qrctl_flag "$path" "${cur%%=*}"
    cur="${cur#*=}"
    _qrctl_offer_kind
  elif [[ "$cur" == -* ]]; then
    _qrctl_offer "${flags[@]}" --profile --base-url --max-wait --reserve --concurrency --timeout --retry-for --summary -q --quiet -v --verbose --no-color -h --help -V --version
  elif [[ ${#names[@]} -gt 0 ]]; then
    _qrctl_offer "${names[@]}"
  else
    _qrctl_argument "$path" "$position"
    _qrctl_offer_kind
  fi

  # Readline puts the answer in place of the last piece only, as it cuts words.
  local piece="${COMP_WORDS[COMP_CWORD]}" kept="${words[last]}"
  [[ "$piece" == [=:]* ]] && piece=
  kept="${kept%"$piece"}"
  for ((i = 0; i < ${#COMPREPLY[@]}; i++)); do
    word="$prefix${COMPREPLY[i]}"
    COMPREPLY[i]="${word#"$kept"}"
  done
}

complete -F _qrctl qrctl
