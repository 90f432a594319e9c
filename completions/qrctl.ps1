# qrctl completion for PowerShell 5 and later.
# Try it in this shell: qrctl completion powershell | Out-String | Invoke-Expression
# Install it: add that command to the file in $PROFILE

Register-ArgumentCompleter -Native -CommandName qrctl -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    # Words up to the cursor. PowerShell drops empty arguments, so * stands for an empty word.
    $typed = @($commandAst.CommandElements | Where-Object { $_.Extent.StartOffset -lt $cursorPosition } | ForEach-Object { $_.ToString() })
    $program = $typed[0]
    $before = @($typed | Select-Object -Skip 1)
    if ($wordToComplete -ne '' -and $before.Count -gt 0) { $before = @($before | Select-Object -SkipLast 1) }
    $current = $(if ($wordToComplete) { $wordToComplete } else { '*' })

    # qrctl prints candidates with a tab and a description, or the kind of path to complete.
    foreach ($line in @(& $program __complete @before $current 2>$null)) {
        $value, $does = $line -split "`t", 2
        if ($null -eq $does) {
            [System.Management.Automation.CompletionCompleters]::CompleteFilename($wordToComplete)
        } elseif ($value.StartsWith($wordToComplete, [System.StringComparison]::OrdinalIgnoreCase)) {
            $text = $(if ($value -match '[^\w.~=-]') { "'" + $value.Replace("'", "''") + "'" } else { $value })
            [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $(if ($does) { $does } else { $value }))
        }
    }
}
