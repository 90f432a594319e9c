# qrctl completion for PowerShell. Made from the commands by `npm run completions`: do not edit.
# Now: qrctl completion powershell | Out-String | Invoke-Expression
# For good: add that line to the file $PROFILE names

Register-ArgumentCompleter -Native -CommandName qrctl -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    # What can follow each word: its name, and what it does.
    $names = @{
        '' = @(
            , @('qr', 'list, read, create, change, delete and print QR codes')
            , @('scans', 'export and count scans')
            , @('auth', 'store and check the key, switch profiles')
            , @('config', 'read and change the settings of a profile')
            , @('api', 'send one raw request, for what no command covers yet')
            , @('doctor', 'check config, key, network and clock, with a fix for each finding')
            , @('sandbox', 'run a local service with made-up data to try things on')
            , @('demo', 'watch the main job done against a sandbox; needs no key')
            , @('completion', 'print the completion script of a shell')
            , @('help', 'explain a command or a topic')
        )
        'qr' = @(
            , @('list', 'list the codes of the workspace')
            , @('get', 'show one code')
            , @('create', 'create a code, or many from a file, each row exactly once')
            , @('update', 'change a code, or many from a file')
            , @('check', 'ask the destinations of codes whether they are alive')
            , @('delete', 'delete codes and their scans for ever')
            , @('image', 'draw codes to print, each proven readable')
        )
        'scans' = @(
            , @('export', 'export the scans of codes, complete or not at all')
            , @('stats', 'count scans by day, country, device and more')
            , @('report', 'the same as one page to send to a client')
            , @('tail', 'print new scans as they come')
        )
        'auth' = @(
            , @('login', 'store a key')
            , @('status', 'show the profile, its plan and what is left of the rate limit')
            , @('list', 'list the stored profiles')
            , @('use', 'switch to another profile')
            , @('logout', 'forget a profile and its key')
        )
        'config' = @(
            , @('list', 'show every setting and where it comes from')
            , @('get', 'print one setting')
            , @('set', 'change a setting')
            , @('unset', 'remove a setting')
            , @('path', 'print where the config file is')
        )
        'help' = @(
            , @('qr', 'list, read, create, change, delete and print QR codes')
            , @('scans', 'export and count scans')
            , @('auth', 'store and check the key, switch profiles')
            , @('config', 'read and change the settings of a profile')
            , @('api', 'send one raw request, for what no command covers yet')
            , @('doctor', 'check config, key, network and clock, with a fix for each finding')
            , @('sandbox', 'run a local service with made-up data to try things on')
            , @('demo', 'watch the main job done against a sandbox; needs no key')
            , @('completion', 'print the completion script of a shell')
            , @('exit-codes', 'Exit codes')
            , @('formatting', 'Formatting')
            , @('environment', 'Environment')
            , @('rate-limits', 'Rate limits')
            , @('automation', 'Automation')
        )
        'help qr' = @(
            , @('list', 'list the codes of the workspace')
            , @('get', 'show one code')
            , @('create', 'create a code, or many from a file, each row exactly once')
            , @('update', 'change a code, or many from a file')
            , @('check', 'ask the destinations of codes whether they are alive')
            , @('delete', 'delete codes and their scans for ever')
            , @('image', 'draw codes to print, each proven readable')
        )
        'help scans' = @(
            , @('export', 'export the scans of codes, complete or not at all')
            , @('stats', 'count scans by day, country, device and more')
            , @('report', 'the same as one page to send to a client')
            , @('tail', 'print new scans as they come')
        )
        'help auth' = @(
            , @('login', 'store a key')
            , @('status', 'show the profile, its plan and what is left of the rate limit')
            , @('list', 'list the stored profiles')
            , @('use', 'switch to another profile')
            , @('logout', 'forget a profile and its key')
        )
        'help config' = @(
            , @('list', 'show every setting and where it comes from')
            , @('get', 'print one setting')
            , @('set', 'change a setting')
            , @('unset', 'remove a setting')
            , @('path', 'print where the config file is')
        )
    }
    $globals = @(
        , @('--profile', 'the stored profile (key and base URL) to use [variable: QRCTL_PROFILE]')
        , @('--base-url', 'the service, ending in /api/v1 [variable: QRCTL_BASE_URL]')
        , @('--max-wait', 'give up (exit 6) rather than pause longer than this in all for the rate limit; 0 never pauses')
        , @('--reserve', 'leave that many requests of each window to others')
        , @('--concurrency', 'requests in flight at once, 1 to 32 (default: 4)')
        , @('--timeout', 'time for one request, from connect to last byte (default: 30s)')
        , @('--retry-for', 'how long in all to keep trying through failed connections and 5xx (exit 7 then); a cron job may say 15m (default: 30s)')
        , @('--summary', 'one JSON object about the run, written when it ends, however it ends')
        , @('--quiet', 'no progress, no notes; errors only')
        , @('--verbose', 'one line a request on standard error')
        , @('--no-color', 'no colours')
        , @('--help', 'print help')
        , @('--version', 'print the version')
    )
    $flags = @{
        'qr list' = @(
            , @('--status', 'only codes of this status')
            , @('--type', 'only codes of this type')
            , @('--name', 'only codes with this in their name, in either case')
            , @('--limit', 'at most so many')
            , @('--sort', 'order by a field (default: the service''s order)')
            , @('--format', 'table on a terminal; otherwise csv for lists, json for one record')
            , @('--output', 'Write to FILE, completely or not at all: .csv .tsv .json .ndjson .jsonl (each also with .gz), .xlsx')
            , @('--fields', 'which columns, in this order')
            , @('--delimiter', 'what stands between cells of CSV')
            , @('--no-header', 'CSV without the row of names')
            , @('--raw-cells', 'CSV with cells that look like formulas left as they are; also how --from is read')
            , @('--excel', 'CSV for Excel: byte order mark and CRLF')
            , @('--ids', 'only ids, one a line')
            , @('--timezone', 'Time zone of dates in .xlsx (default: the profile''s, or the machine''s)')
        )
        'qr get' = @(
            , @('--format', 'table on a terminal; otherwise csv for lists, json for one record')
            , @('--output', 'Write to FILE, completely or not at all: .csv .tsv .json .ndjson .jsonl (each also with .gz), .xlsx')
            , @('--fields', 'which columns, in this order')
            , @('--delimiter', 'what stands between cells of CSV')
            , @('--no-header', 'CSV without the row of names')
            , @('--raw-cells', 'CSV with cells that look like formulas left as they are; also how --from is read')
            , @('--excel', 'CSV for Excel: byte order mark and CRLF')
            , @('--ids', 'only ids, one a line')
            , @('--timezone', 'Time zone of dates in .xlsx (default: the profile''s, or the machine''s)')
        )
        'qr create' = @(
            , @('--name', 'name of the one code to create')
            , @('--type', 'its type (default: url)')
            , @('--destination', 'where it points to')
            , @('--force', 'Create codes whose destination leads nowhere, too')
            , @('--template', 'Print a template to fill in: CSV, or a workbook with -o codes.xlsx')
            , @('--utm-source', 'where people come from: poster')
            , @('--utm-medium', 'by what: print')
            , @('--utm-campaign', 'for what: "Spring Sale" becomes spring_sale')
            , @('--utm-term', 'a search word')
            , @('--utm-content', 'which of several')
            , @('--from', 'File of rows: CSV with a header row, workbook (.xlsx), JSON array or NDJSON; - is standard input')
            , @('--results', 'File for the results (default: FILE.results.csv next to the input, with its extension; none for standard input, which prints them)')
            , @('--overwrite', 'Replace an existing file that qrctl otherwise refuses to replace')
            , @('--moved-from', 'Base URL that the service had before, if it has moved since the last run')
            , @('--sheet-name', 'the sheet of a workbook (default: its first one)')
            , @('--visible-only', 'Omit the rows of a workbook that are hidden, by a filter or by hand')
            , @('--dry-run', 'print what would be done, and what it costs; change nothing')
            , @('--offline', 'Check the file without a key or a request, then stop')
            , @('--strict', 'Treat warnings about the file as faults (exit 2)')
            , @('--fail-fast', 'stop at the first row that fails')
            , @('--skip-existing', 'create only rows that have no code with their name, type and destination yet')
            , @('--settle', 'wait so long for a write whose answer was lost before the row is sent again (default: 10s, more where answers are slow)')
            , @('--apply-edits', 'Change the codes of rows that were edited since they were created')
            , @('--as-new', 'Line of an edited row to create a new code for, or lines: 15-20')
            , @('--adopt', 'Code that the row created, or of an edited row the code to change')
            , @('--not-created', 'Line of a row that created no code, so that it is sent again')
            , @('--format', 'table on a terminal; otherwise csv for lists, json for one record')
            , @('--output', 'Write to FILE, completely or not at all: .csv .tsv .json .ndjson .jsonl (each also with .gz), .xlsx')
            , @('--fields', 'which columns, in this order')
            , @('--delimiter', 'what stands between cells of CSV')
            , @('--no-header', 'CSV without the row of names')
            , @('--raw-cells', 'CSV with cells that look like formulas left as they are; also how --from is read')
            , @('--excel', 'CSV for Excel: byte order mark and CRLF')
            , @('--ids', 'only ids, one a line')
        )
        'qr update' = @(
            , @('--name', 'its new name')
            , @('--destination', 'where it points to from now on; '''' is sent as it is, to empty it')
            , @('--status', 'its new status')
            , @('--force', 'Accept a destination that leads nowhere')
            , @('--due', 'of rows that say when (at), only those whose time has come, each once')
            , @('--ignore-dates', 'Apply every row now, also if the file has a column at')
            , @('--timezone', 'Time zone of `at` without one, with --due (default: the profile''s timezone)')
            , @('--utm-source', 'where people come from: poster')
            , @('--utm-medium', 'by what: print')
            , @('--utm-campaign', 'for what: "Spring Sale" becomes spring_sale')
            , @('--utm-term', 'a search word')
            , @('--utm-content', 'which of several')
            , @('--from', 'File of codes: CSV, workbook (.xlsx), JSON array or NDJSON with a column id or slug, or a list of ids or slugs, one per line; - is standard input')
            , @('--results', 'File for the results (default: FILE.results.csv next to the input, with its extension; none for standard input, which prints them)')
            , @('--overwrite', 'Replace an existing file that qrctl otherwise refuses to replace')
            , @('--moved-from', 'Base URL that the service had before, if it has moved since the last run')
            , @('--sheet-name', 'the sheet of a workbook (default: its first one)')
            , @('--visible-only', 'Omit the rows of a workbook that are hidden, by a filter or by hand')
            , @('--dry-run', 'print what would be done, and what it costs; change nothing')
            , @('--offline', 'Check the file without a key or a request, then stop')
            , @('--strict', 'Treat warnings about the file as faults (exit 2)')
            , @('--fail-fast', 'stop at the first row that fails')
            , @('--format', 'table on a terminal; otherwise csv for lists, json for one record')
            , @('--output', 'Write to FILE, completely or not at all: .csv .tsv .json .ndjson .jsonl (each also with .gz), .xlsx')
            , @('--fields', 'which columns, in this order')
            , @('--delimiter', 'what stands between cells of CSV')
            , @('--no-header', 'CSV without the row of names')
            , @('--raw-cells', 'CSV with cells that look like formulas left as they are; also how --from is read')
            , @('--excel', 'CSV for Excel: byte order mark and CRLF')
            , @('--ids', 'only ids, one a line')
        )
        'qr check' = @(
            , @('--from', 'File of codes: CSV, workbook (.xlsx), JSON array or NDJSON with a column id or slug, or a list of ids or slugs, one per line; - is standard input')
            , @('--status', 'only codes of this status')
            , @('--fail-on', 'exit 8 where one of these outcomes is found (default: broken,unreachable); of redirected, broken, unreachable, blocked, not-web, empty, none')
            , @('--require-utm', 'exit 8 where a destination lacks one of these tags, or its redirects lose it; of source, medium, campaign, term, content')
            , @('--since-last', 'print only what turned broken or whole since the run that wrote FILE, and write it anew')
            , @('--allow-private', 'also ask addresses that are not of the public internet: private, loopback, link-local')
            , @('--user-agent', 'how to introduce this program to those who are asked')
            , @('--format', 'table on a terminal; otherwise csv for lists, json for one record')
            , @('--output', 'Write to FILE, completely or not at all: .csv .tsv .json .ndjson .jsonl (each also with .gz), .xlsx')
            , @('--fields', 'which columns, in this order')
            , @('--delimiter', 'what stands between cells of CSV')
            , @('--no-header', 'CSV without the row of names')
            , @('--raw-cells', 'CSV with cells that look like formulas left as they are; also how --from is read')
            , @('--excel', 'CSV for Excel: byte order mark and CRLF')
            , @('--ids', 'only ids, one a line')
        )
        'qr delete' = @(
            , @('--yes', 'do not ask')
            , @('--backup', 'save each code and all its scans there first; pauses an active code, and deletes only what is proven complete')
            , @('--from', 'File of codes: CSV, workbook (.xlsx), JSON array or NDJSON with a column id or slug, or a list of ids or slugs, one per line; - is standard input')
            , @('--results', 'File for the results (default: FILE.results.csv next to the input, with its extension; none for standard input, which prints them)')
            , @('--overwrite', 'Replace an existing file that qrctl otherwise refuses to replace')
            , @('--moved-from', 'Base URL that the service had before, if it has moved since the last run')
            , @('--sheet-name', 'the sheet of a workbook (default: its first one)')
            , @('--visible-only', 'Omit the rows of a workbook that are hidden, by a filter or by hand')
            , @('--dry-run', 'print what would be done, and what it costs; change nothing')
            , @('--offline', 'Check the file without a key or a request, then stop')
            , @('--strict', 'Treat warnings about the file as faults (exit 2)')
            , @('--fail-fast', 'stop at the first row that fails')
            , @('--format', 'table on a terminal; otherwise csv for lists, json for one record')
            , @('--output', 'Write to FILE, completely or not at all: .csv .tsv .json .ndjson .jsonl (each also with .gz), .xlsx')
            , @('--fields', 'which columns, in this order')
            , @('--delimiter', 'what stands between cells of CSV')
            , @('--no-header', 'CSV without the row of names')
            , @('--raw-cells', 'CSV with cells that look like formulas left as they are; also how --from is read')
            , @('--excel', 'CSV for Excel: byte order mark and CRLF')
            , @('--ids', 'only ids, one a line')
        )
        'qr image' = @(
            , @('--output', 'one picture as a file: .png, .svg, .pdf or .eps')
            , @('--dry-run', 'say how many pictures, of what size, and which would be refused; write nothing')
            , @('--force', 'draw also what would not print or scan well, and over files that are not of an earlier run')
            , @('--all', 'every code of the workspace, oldest first')
            , @('--status', 'only codes of this status')
            , @('--type', 'only codes of this type')
            , @('--name', 'only codes with this in their name, in either case')
            , @('--from', 'File of codes: CSV, workbook (.xlsx), JSON array or NDJSON with a column id or slug, or a list of ids or slugs, one per line; - is standard input')
            , @('--output-dir', 'a file a code, and manifest.csv beside them')
            , @('--as', 'which of png, svg, pdf, eps, separated by commas (default: png)')
            , @('--file-names', 'files named by id, or by slug where that is safe and unique (default: id)')
            , @('--sheet', 'labels on pages of a PDF (-o), by the trade number of the sheet: L7160, 5163 …')
            , @('--grid', 'any other sheet: columns and rows, with --label')
            , @('--label', 'with --grid: a label, such as 63.5x38.1mm')
            , @('--margin', 'Left and top margin of the page (default: the sheet''s; a --grid is centered)')
            , @('--gap', 'with --grid: between labels (default: none)')
            , @('--paper', 'with --grid: the page (default: A4)')
            , @('--caption', 'what stands with the code (default: slug)')
            , @('--start', 'the first free label of a begun sheet, row by row (default: 1)')
            , @('--outline', 'a hairline around each label, to cut along')
            , @('--size', 'side of the whole picture, quiet zone included (default: 30mm)')
            , @('--dpi', 'dots of the printer an inch (default: 300)')
            , @('--quiet-zone', 'light around the code (default: 4)')
            , @('--ecc', 'least error correction, raised where that costs nothing (default: M)')
            , @('--color', 'of the code (default: #000)')
            , @('--background', 'behind it (default: #fff)')
            , @('--logo', 'a PNG or SVG in the middle, on a fifth of the width at most, with level H')
            , @('--short-url', 'the address, with {slug} or {id} (default: the setting short-url)')
        )
        'scans export' = @(
            , @('--all', 'every code of the workspace, oldest first')
            , @('--from', 'File of codes: CSV, workbook (.xlsx), JSON array or NDJSON with a column id or slug, or a list of ids or slugs, one per line; - is standard input')
            , @('--status', 'only codes of this status')
            , @('--type', 'only codes of this type')
            , @('--name', 'only codes with this in their name, in either case')
            , @('--since', 'only scans from this time on')
            , @('--until', 'only scans before this time')
            , @('--during', '2026, 2026-Q4, 2026-10, 2026-W42, 2026-10-31, today, yesterday, last-month and such')
            , @('--timezone', 'what periods, and times without an offset, are meant in, such as Europe/Berlin')
            , @('--output-dir', 'one file a code')
            , @('--partition-by', 'with --output-dir: a dataset, its rows in DIR/dt=… by their own time')
            , @('--compact', 'at the end the parts of each day or month that is over become one')
            , @('--file-names', 'with --output-dir: by id, or by slug where that is safe and unique (default: id)')
            , @('--append', 'add only what is new since the last run; survives kill -9')
            , @('--restart', 'With --append: export everything again and replace the file; the old one stays as FILE.old if it has scans that the new one lacks')
            , @('--rotated', 'with --append: the file may have been moved away (logrotate): a new one goes on where it ended')
            , @('--overlap', 'with --append: how far back to look for late scans (default: 1h)')
            , @('--moved-from', 'Base URL that the service had before, if it has moved since the last run')
            , @('--prove-beyond', 'one request more a code, which finds out a total that is cut off at any number')
            , @('--dry-run', 'say what would be read: codes, range, scans, requests and time')
            , @('--format', 'table on a terminal; otherwise csv')
            , @('--output', 'Write to FILE, completely or not at all: .csv .tsv .json .ndjson .jsonl (each also with .gz), .xlsx, .parquet')
            , @('--fields', 'which columns, in this order')
            , @('--delimiter', 'what stands between cells of CSV')
            , @('--no-header', 'CSV without the row of names')
            , @('--raw-cells', 'CSV with cells that look like formulas left as they are; also how --from is read')
            , @('--excel', 'CSV for Excel: byte order mark and CRLF')
            , @('--ids', 'only ids, one a line')
            , @('--overwrite', 'Replace an existing file that qrctl otherwise refuses to replace')
        )
        'scans stats' = @(
            , @('--all', 'every code of the workspace, oldest first')
            , @('--from', 'File of codes: CSV, workbook (.xlsx), JSON array or NDJSON with a column id or slug, or a list of ids or slugs, one per line; - is standard input')
            , @('--status', 'only codes of this status')
            , @('--type', 'only codes of this type')
            , @('--name', 'only codes with this in their name, in either case')
            , @('--input', 'Count files that `scans export` wrote, each with its rotated files, or a directory of them; no request is sent')
            , @('--no-rotated', 'Read only the files specified with --input, not the rotated ones (FILE.1, FILE-20261101.gz)')
            , @('--by', 'what to count by')
            , @('--top', 'so many rows of each, and one for all others')
            , @('--compare', 'the calendar unit or the days before, or the same a year before')
            , @('--since', 'only scans from this time on')
            , @('--until', 'only scans before this time')
            , @('--during', '2026, 2026-Q4, 2026-10, 2026-W42, 2026-10-31, today, yesterday, last-month and such')
            , @('--timezone', 'what periods, and times without an offset, are meant in, such as Europe/Berlin')
            , @('--dry-run', 'say what would be read: codes, range, scans, requests and time')
            , @('--format', 'table on a terminal; otherwise csv for lists, json for one record')
            , @('--output', 'Write to FILE, completely or not at all: .csv .tsv .json .ndjson .jsonl (each also with .gz), .xlsx')
            , @('--fields', 'which columns, in this order')
            , @('--delimiter', 'what stands between cells of CSV')
            , @('--no-header', 'CSV without the row of names')
            , @('--raw-cells', 'CSV with cells that look like formulas left as they are; also how --from is read')
            , @('--excel', 'CSV for Excel: byte order mark and CRLF')
            , @('--ids', 'only ids, one a line')
        )
        'scans report' = @(
            , @('--all', 'every code of the workspace, oldest first')
            , @('--from', 'File of codes: CSV, workbook (.xlsx), JSON array or NDJSON with a column id or slug, or a list of ids or slugs, one per line; - is standard input')
            , @('--status', 'only codes of this status')
            , @('--type', 'only codes of this type')
            , @('--name', 'only codes with this in their name, in either case')
            , @('--input', 'Count files that `scans export` wrote, each with its rotated files, or a directory of them; no request is sent')
            , @('--no-rotated', 'Read only the files specified with --input, not the rotated ones (FILE.1, FILE-20261101.gz)')
            , @('--by', 'what to count by')
            , @('--top', 'so many rows of each, and one for all others')
            , @('--compare', 'the calendar unit or the days before, or the same a year before')
            , @('--since', 'only scans from this time on')
            , @('--until', 'only scans before this time')
            , @('--during', '2026, 2026-Q4, 2026-10, 2026-W42, 2026-10-31, today, yesterday, last-month and such')
            , @('--timezone', 'what periods, and times without an offset, are meant in, such as Europe/Berlin')
            , @('--title', 'what stands at the head of the page')
            , @('--output', 'the page to write, such as october.html')
        )
        'scans tail' = @(
            , @('--all', 'every code of the workspace, oldest first')
            , @('--from', 'File of codes: CSV, workbook (.xlsx), JSON array or NDJSON with a column id or slug, or a list of ids or slugs, one per line; - is standard input')
            , @('--status', 'only codes of this status')
            , @('--type', 'only codes of this type')
            , @('--name', 'only codes with this in their name, in either case')
            , @('--since', 'begin with the scans from this time on (default: now)')
            , @('--interval', 'shortest time between two requests for a code (default: 10s)')
            , @('--max-events', 'end after so many scans')
            , @('--format', 'csv, or one JSON object a line')
            , @('--fields', 'which columns, in this order')
            , @('--no-header', 'CSV without the row of names')
        )
        'auth login' = @(
            , @('--key-stdin', 'read the key from standard input, one line')
            , @('--no-verify', 'store the key without asking the service')
        )
        'auth status' = @(
            , @('--format', 'table on a terminal; otherwise csv for lists, json for one record')
            , @('--output', 'Write to FILE, completely or not at all: .csv .tsv .json .ndjson .jsonl (each also with .gz), .xlsx')
            , @('--fields', 'which columns, in this order')
            , @('--delimiter', 'what stands between cells of CSV')
            , @('--no-header', 'CSV without the row of names')
            , @('--raw-cells', 'CSV with cells that look like formulas left as they are; also how --from is read')
            , @('--excel', 'CSV for Excel: byte order mark and CRLF')
        )
        'auth list' = @(
            , @('--format', 'table on a terminal; otherwise csv for lists, json for one record')
            , @('--output', 'Write to FILE, completely or not at all: .csv .tsv .json .ndjson .jsonl (each also with .gz), .xlsx')
            , @('--fields', 'which columns, in this order')
            , @('--delimiter', 'what stands between cells of CSV')
            , @('--no-header', 'CSV without the row of names')
            , @('--raw-cells', 'CSV with cells that look like formulas left as they are; also how --from is read')
            , @('--excel', 'CSV for Excel: byte order mark and CRLF')
        )
        'auth logout' = @(
            , @('--all', 'forget every profile')
        )
        'config list' = @(
            , @('--format', 'table on a terminal; otherwise csv for lists, json for one record')
            , @('--output', 'Write to FILE, completely or not at all: .csv .tsv .json .ndjson .jsonl (each also with .gz), .xlsx')
            , @('--fields', 'which columns, in this order')
            , @('--delimiter', 'what stands between cells of CSV')
            , @('--no-header', 'CSV without the row of names')
            , @('--raw-cells', 'CSV with cells that look like formulas left as they are; also how --from is read')
            , @('--excel', 'CSV for Excel: byte order mark and CRLF')
        )
        'api' = @(
            , @('--query', 'a parameter of the query, encoded for you')
            , @('--input', 'the body, as JSON; - is standard input')
        )
        'doctor' = @(
            , @('--format', 'table on a terminal; otherwise csv for lists, json for one record')
            , @('--output', 'Write to FILE, completely or not at all: .csv .tsv .json .ndjson .jsonl (each also with .gz), .xlsx')
            , @('--fields', 'which columns, in this order')
            , @('--delimiter', 'what stands between cells of CSV')
            , @('--no-header', 'CSV without the row of names')
            , @('--raw-cells', 'CSV with cells that look like formulas left as they are; also how --from is read')
            , @('--excel', 'CSV for Excel: byte order mark and CRLF')
        )
        'sandbox' = @(
            , @('--port', 'port to listen on, 0 for any free one (default: 4010, or a free one if that is taken)')
            , @('--codes', 'made-up codes (default: 25)')
            , @('--scans', 'made-up scans of each code, over the 90 days up to today 00:00 UTC (default: 1000)')
            , @('--plan', 'plan of the workspace (default: business)')
            , @('--window', 'length of a rate-limit window, at least 1s (default: 60s)')
            , @('--seed', 'another number makes up other data (default: 1)')
            , @('--live', 'new scans a second of every code, from now on (default: 0)')
            , @('--latency', 'how long every answer takes (default: 0)')
            , @('--key', 'the key it accepts, in place of the made-up one; not for real keys, arguments are public')
        )
    }
    # What the values of flags and arguments are: fixed ones, or what to look up.
    $values = @{
        '--profile' = 'profiles'
        '--summary' = 'files'
        'qr list --status' = @('active', 'paused', 'expired')
        'qr list --type' = @('url', 'vcard', 'wifi', 'sms', 'whatsapp', 'email', 'file', 'multilink', 'social', 'app', 'event', 'business', 'coupon', 'feedback', 'landing_page', 'product', 'vcard_plus', 'menu', 'images', 'video', 'mp3', 'playlist')
        'qr list -f' = @('table', 'csv', 'json', 'ndjson')
        'qr list --format' = @('table', 'csv', 'json', 'ndjson')
        'qr list -o' = 'files'
        'qr list --output' = 'files'
        'qr get -f' = @('table', 'csv', 'json', 'ndjson')
        'qr get --format' = @('table', 'csv', 'json', 'ndjson')
        'qr get -o' = 'files'
        'qr get --output' = 'files'
        'qr create --type' = @('url', 'vcard', 'wifi', 'sms', 'whatsapp', 'email', 'file', 'multilink', 'social', 'app', 'event', 'business', 'coupon', 'feedback', 'landing_page', 'product', 'vcard_plus', 'menu', 'images', 'video', 'mp3', 'playlist')
        'qr create --from' = 'files'
        'qr create --results' = 'files'
        'qr create -f' = @('table', 'csv', 'json', 'ndjson')
        'qr create --format' = @('table', 'csv', 'json', 'ndjson')
        'qr create -o' = 'files'
        'qr create --output' = 'files'
        'qr update --status' = @('active', 'paused', 'expired')
        'qr update --from' = 'files'
        'qr update --results' = 'files'
        'qr update -f' = @('table', 'csv', 'json', 'ndjson')
        'qr update --format' = @('table', 'csv', 'json', 'ndjson')
        'qr update -o' = 'files'
        'qr update --output' = 'files'
        'qr check --from' = 'files'
        'qr check --status' = @('active', 'paused', 'expired')
        'qr check --since-last' = 'files'
        'qr check -f' = @('table', 'csv', 'json', 'ndjson')
        'qr check --format' = @('table', 'csv', 'json', 'ndjson')
        'qr check -o' = 'files'
        'qr check --output' = 'files'
        'qr delete --backup' = 'directories'
        'qr delete --from' = 'files'
        'qr delete --results' = 'files'
        'qr delete -f' = @('table', 'csv', 'json', 'ndjson')
        'qr delete --format' = @('table', 'csv', 'json', 'ndjson')
        'qr delete -o' = 'files'
        'qr delete --output' = 'files'
        'qr image -o' = 'files'
        'qr image --output' = 'files'
        'qr image --status' = @('active', 'paused', 'expired')
        'qr image --type' = @('url', 'vcard', 'wifi', 'sms', 'whatsapp', 'email', 'file', 'multilink', 'social', 'app', 'event', 'business', 'coupon', 'feedback', 'landing_page', 'product', 'vcard_plus', 'menu', 'images', 'video', 'mp3', 'playlist')
        'qr image --from' = 'files'
        'qr image --output-dir' = 'directories'
        'qr image --file-names' = @('id', 'slug')
        'qr image --paper' = @('A4', 'Letter')
        'qr image --caption' = @('slug', 'name', 'none')
        'qr image --ecc' = @('L', 'M', 'Q', 'H')
        'qr image --logo' = 'files'
        'scans export --from' = 'files'
        'scans export --status' = @('active', 'paused', 'expired')
        'scans export --type' = @('url', 'vcard', 'wifi', 'sms', 'whatsapp', 'email', 'file', 'multilink', 'social', 'app', 'event', 'business', 'coupon', 'feedback', 'landing_page', 'product', 'vcard_plus', 'menu', 'images', 'video', 'mp3', 'playlist')
        'scans export --output-dir' = 'directories'
        'scans export --partition-by' = @('day', 'month')
        'scans export --file-names' = @('id', 'slug')
        'scans export -f' = @('table', 'csv', 'json', 'ndjson', 'parquet')
        'scans export --format' = @('table', 'csv', 'json', 'ndjson', 'parquet')
        'scans export -o' = 'files'
        'scans export --output' = 'files'
        'scans stats --from' = 'files'
        'scans stats --status' = @('active', 'paused', 'expired')
        'scans stats --type' = @('url', 'vcard', 'wifi', 'sms', 'whatsapp', 'email', 'file', 'multilink', 'social', 'app', 'event', 'business', 'coupon', 'feedback', 'landing_page', 'product', 'vcard_plus', 'menu', 'images', 'video', 'mp3', 'playlist')
        'scans stats --input' = 'files'
        'scans stats --by' = @('day', 'week', 'month', 'hour', 'weekday', 'country', 'city', 'device', 'os', 'browser', 'referrer', 'code')
        'scans stats --compare' = @('previous', 'year', 'none')
        'scans stats -f' = @('table', 'csv', 'json', 'ndjson')
        'scans stats --format' = @('table', 'csv', 'json', 'ndjson')
        'scans stats -o' = 'files'
        'scans stats --output' = 'files'
        'scans report --from' = 'files'
        'scans report --status' = @('active', 'paused', 'expired')
        'scans report --type' = @('url', 'vcard', 'wifi', 'sms', 'whatsapp', 'email', 'file', 'multilink', 'social', 'app', 'event', 'business', 'coupon', 'feedback', 'landing_page', 'product', 'vcard_plus', 'menu', 'images', 'video', 'mp3', 'playlist')
        'scans report --input' = 'files'
        'scans report --by' = @('day', 'week', 'month', 'hour', 'weekday', 'country', 'city', 'device', 'os', 'browser', 'referrer', 'code')
        'scans report --compare' = @('previous', 'year', 'none')
        'scans report -o' = 'files'
        'scans report --output' = 'files'
        'scans tail --from' = 'files'
        'scans tail --status' = @('active', 'paused', 'expired')
        'scans tail --type' = @('url', 'vcard', 'wifi', 'sms', 'whatsapp', 'email', 'file', 'multilink', 'social', 'app', 'event', 'business', 'coupon', 'feedback', 'landing_page', 'product', 'vcard_plus', 'menu', 'images', 'video', 'mp3', 'playlist')
        'scans tail -f' = @('csv', 'ndjson')
        'scans tail --format' = @('csv', 'ndjson')
        'auth status -f' = @('table', 'csv', 'json', 'ndjson')
        'auth status --format' = @('table', 'csv', 'json', 'ndjson')
        'auth status -o' = 'files'
        'auth status --output' = 'files'
        'auth list -f' = @('table', 'csv', 'json', 'ndjson')
        'auth list --format' = @('table', 'csv', 'json', 'ndjson')
        'auth list -o' = 'files'
        'auth list --output' = 'files'
        'config list -f' = @('table', 'csv', 'json', 'ndjson')
        'config list --format' = @('table', 'csv', 'json', 'ndjson')
        'config list -o' = 'files'
        'config list --output' = 'files'
        'api --input' = 'files'
        'doctor -f' = @('table', 'csv', 'json', 'ndjson')
        'doctor --format' = @('table', 'csv', 'json', 'ndjson')
        'doctor -o' = 'files'
        'doctor --output' = 'files'
        'sandbox --plan' = @('free', 'pro', 'business')
        'qr get 0' = 'codes'
        'qr update *' = 'codes'
        'qr check *' = 'codes'
        'qr delete *' = 'codes'
        'qr image *' = 'codes'
        'scans export *' = 'codes'
        'scans stats *' = 'codes'
        'scans report *' = 'codes'
        'scans tail *' = 'codes'
        'auth use 0' = 'profiles'
        'config get 0' = @('base-url', 'format', 'timezone', 'reserve', 'concurrency', 'max-wait', 'delimiter', 'short-url')
        'config set 0' = @('base-url', 'format', 'timezone', 'reserve', 'concurrency', 'max-wait', 'delimiter', 'short-url')
        'config unset 0' = @('base-url', 'format', 'timezone', 'reserve', 'concurrency', 'max-wait', 'delimiter', 'short-url')
        'api 0' = @('GET', 'POST', 'PUT', 'PATCH', 'DELETE')
        'completion 0' = @('bash', 'zsh', 'fish', 'powershell')
    }
    $valued = @('--profile', '--base-url', '--max-wait', '--reserve', '--concurrency', '--timeout', '--retry-for', '--summary', '--status', '--type', '--name', '--limit', '--sort', '-f', '--format', '-o', '--output', '--fields', '--delimiter', '--timezone', '--destination', '--utm-source', '--utm-medium', '--utm-campaign', '--utm-term', '--utm-content', '--from', '--results', '--moved-from', '--sheet-name', '--settle', '--as-new', '--adopt', '--not-created', '--fail-on', '--require-utm', '--since-last', '--user-agent', '--backup', '--output-dir', '--as', '--file-names', '--sheet', '--grid', '--label', '--margin', '--gap', '--paper', '--caption', '--start', '--size', '--dpi', '--quiet-zone', '--ecc', '--color', '--background', '--logo', '--short-url', '--since', '--until', '--during', '--partition-by', '--overlap', '--input', '--by', '--top', '--compare', '--title', '--interval', '--max-events', '--query', '--port', '--codes', '--scans', '--plan', '--window', '--seed', '--live', '--latency', '--key')

    # The words up to the cursor: where they lead, and whether the last is a flag that waits for its value.
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
            # An empty argument would be lost on the way to a program.
            $prefix = $(if ($wordToComplete) { $wordToComplete } else { '*' })
            foreach ($line in @(& $program __complete $source $prefix @before 2>$null)) {
                $value, $does = $line -split "`t", 2
                Offer $(if ($value -match '[^\w.~-]') { "'" + $value.Replace("'", "''") + "'" } else { $value }) $does
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
