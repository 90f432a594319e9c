# qrctl completion for fish.
# Try it in this shell: qrctl completion fish | source
# Install it: qrctl completion fish > ~/.config/fish/completions/qrctl.fish

# Prints the candidates with their descriptions. qrctl prints them, or the kind of path to complete.
function __qrctl_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l flag (string match -r -- '^--[^=]*=' "$current")
    set -l path (string replace -- "$flag" '' "$current")
    for line in ($words[1] __complete $words[2..-1] "$current" 2>/dev/null </dev/null)
        switch $line
            case files
                printf '%s\n' "$flag"(complete -C "'' $path")
            case directories
                printf '%s\n' "$flag"(__fish_complete_directories "$path")
            case '*'
                printf '%s\n' $line
        end
    end
end

complete -c qrctl -f -a '(__qrctl_complete)'
