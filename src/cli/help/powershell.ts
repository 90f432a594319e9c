/** Generates the completion script for PowerShell 5 and later. */
import type { Argument, Flag } from '../../commands/define.ts';
import { NOTICE, type Point, points, spellings, type ValueKind, valuedFlags, valueKind } from './completion-data.ts';
import type { Manual } from './page.ts';

export function powershellScript(manual: Manual): string {
  const all = points(manual);
  const own = all.filter(({ flags }) => flags.length > 0);
  return `# qrctl completion for PowerShell. ${NOTICE}
# Try it in this shell: qrctl completion powershell | Out-String | Invoke-Expression
# Install it: add that command to the file in $PROFILE

Register-ArgumentCompleter -Native -CommandName qrctl -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    # Words that can follow each word, with their summaries.
    $names = @{
${all
  .filter(({ names }) => names.length > 0)
  .map(namesEntry)
  .join('\n')}
    }
    $globals = @(
${flagEntries(manual.globals, '        ')}
    )
    $flags = @{
${own.map(({ path, flags }) => `        ${quote(path)} = @(\n${flagEntries(flags, '            ')}\n        )`).join('\n')}
    }
    # Values of flags and arguments: a fixed list, or a kind to look up.
    $values = @{
${valueEntries('', manual.globals).join('\n')}
${own.flatMap(({ path, flags }) => valueEntries(`${path} `, flags)).join('\n')}
${all.flatMap(argumentEntries).join('\n')}
    }
    $valued = @(${valuedFlags(manual).map(quote).join(', ')})
${ENGINE}`;
}

function namesEntry({ path, names }: Point): string {
  const pairs = names.map(({ name, summary }) => pair(name, summary, '            ')).join('\n');
  return `        ${quote(path)} = @(\n${pairs}\n        )`;
}

function flagEntries(flags: readonly Flag[], indent: string): string {
  return flags.map(({ long, description }) => pair(long, description, indent)).join('\n');
}

/** The comma makes it an array of arrays also where there is only one. */
function pair(name: string, does: string, indent: string): string {
  return `${indent}, @(${quote(name)}, ${quote(does)})`;
}

function valueEntries(prefix: string, flags: readonly Flag[]): string[] {
  return flags.flatMap((flag) => {
    const source = formatKind(valueKind(flag));
    if (flag.value === undefined || !source) return [];
    // Hash tables do not tell -V from -v, and no flag with a value needs it.
    return spellings([flag]).map((name) => `        ${quote(`${prefix}${name}`)} = ${source}`);
  });
}

function argumentEntries({ path, arguments: given }: Point): string[] {
  return given.flatMap((argument: Argument, i) => {
    const source = formatKind(valueKind(argument));
    return source ? [`        ${quote(`${path} ${argument.several ? '*' : i}`)} = ${source}`] : [];
  });
}

function formatKind(source: ValueKind): string | undefined {
  if (source === 'none') return undefined;
  return typeof source === 'string' ? quote(source) : `@(${source.map(quote).join(', ')})`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

const ENGINE = `
    # Words up to the cursor: their position, and whether the last is a flag that lacks its value.
    $typed = @($commandAst.CommandElements | Where-Object { $_.Extent.StartOffset -lt $cursorPosition } | ForEach-Object { $_.ToString() })
    $program = $typed[0]
    $before = @($typed | Select-Object -Skip 1)
    if ($wordToComplete -ne '' -and $before.Count -gt 0) { $before = @($before | Select-Object -SkipLast 1) }
    $path = ''
    $flag = ''
    $position = 0
    foreach ($word in $before) {
        if ($flag) { $flag = '' }
        elseif ($word -like '-?*') { if ($valued -ccontains $word) { $flag = $word } }
        elseif ($names.ContainsKey($path)) { $path = "$path $word".Trim() }
        else { $position++ }
    }

    function Offer($text, $does) {
        [System.Management.Automation.CompletionResult]::new($text, $text, 'ParameterValue', $(if ($does) { $does } else { $text }))
    }
    function OfferPairs($pairs) {
        foreach ($pair in $pairs) { if ($pair[0] -like "$wordToComplete*") { Offer $pair[0] $pair[1] } }
    }
    function OfferValues($source) {
        if ($source -is [array]) {
            foreach ($value in $source) { if ($value -like "$wordToComplete*") { Offer $value $value } }
        } elseif ($source -eq 'profiles' -or $source -eq 'codes') {
            # PowerShell drops empty arguments.
            $prefix = $(if ($wordToComplete) { $wordToComplete } else { '*' })
            foreach ($line in @(& $program __complete $source $prefix @before 2>$null)) {
                $value, $does = $line -split "\`t", 2
                Offer $(if ($value -match '[^\\w.~-]') { "'" + $value.Replace("'", "''") + "'" } else { $value }) $does
            }
        } elseif ($source) {
            [System.Management.Automation.CompletionCompleters]::CompleteFilename($wordToComplete)
        }
    }

    if ($flag) {
        if ($values.ContainsKey("$path $flag")) { OfferValues $values["$path $flag"] }
        elseif ($values.ContainsKey($flag)) { OfferValues $values[$flag] }
    } elseif ($wordToComplete -like '-*') {
        OfferPairs $flags[$path]
        OfferPairs $globals
    } elseif ($names.ContainsKey($path)) {
        OfferPairs $names[$path]
    } elseif ($values.ContainsKey("$path *")) {
        OfferValues $values["$path *"]
    } else {
        OfferValues $values["$path $position"]
    }
}
`;
