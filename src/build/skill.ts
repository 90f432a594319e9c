/** Formats .github/SKILL.md from the document of `qrctl help --json`. */
import type { createReference } from '#cli/help/reference';

type Reference = ReturnType<typeof createReference>;
type Command = Reference['commands'][number];

/** Example commands. A test runs them in the sandbox. */
const RECIPES: readonly (readonly [title: string, lines: readonly string[]])[] = [
  [
    'Look first. These lines change nothing',
    [
      'qrctl auth status --format json',
      'qrctl qr list --fields id,slug,name,status,destination --format json',
      'qrctl qr get spring-menu --format json',
    ],
  ],
  [
    'Create codes from a file. Preview, then run; a second run creates nothing',
    [
      "printf 'name,type,destination\\nWindow poster,url,https://example.com/poster\\n' > codes.csv",
      'qrctl qr create --from codes.csv --dry-run',
      'qrctl qr create --from codes.csv --format json',
    ],
  ],
  [
    'Change where a printed code leads. The printed code stays valid',
    ['qrctl qr update spring-menu --destination https://example.com/spring --format json'],
  ],
  [
    'Keep codes in git. Commit the file and its lock file',
    [
      "printf 'key,name,destination\\nwindow,Front window,https://example.com/window\\n' > links.csv",
      'qrctl qr apply --from links.csv --dry-run',
      'qrctl qr apply --from links.csv',
    ],
  ],
  [
    'Export and count scans',
    [
      'qrctl scans export spring-menu -o scans.csv --append',
      'qrctl scans export --all --during last-month -o last-month.csv',
      'qrctl scans stats --input scans.csv --by day --format json',
    ],
  ],
  ['Pause a code instead of deleting it', ['qrctl qr update summer-menu --status paused']],
  [
    'Delete only if the user asked for it: a backup first, then the code and its scans',
    ['qrctl qr delete old-poster --dry-run', 'qrctl qr delete old-poster --backup deleted --yes'],
  ],
  [
    'Catch the exit code in a script',
    ['rc=0', 'qrctl qr get no-such-code --format json || rc=$?', '[ "$rc" -eq 4 ]'],
  ],
  ['Find a flag or a column', ['qrctl qr create --help', 'qrctl help --json > reference.json']],
];

const RULES = [
  'Standard output has data only, and standard error has notes and errors. Add `--format json` to parse the output.',
  'Never put a key on a command line. Use `QRCTL_API_KEY`, `QRCTL_API_KEY_FILE`, or the profile that the user stored.',
  'Before `qr create`, `qr update`, `qr apply` or `qr delete` with `--from`, run the line with `--dry-run`, and show the result to the user.',
  'After exit code 6 or 7, run the same line again later: bulk commands and `--append` skip finished work.',
  'After exit code 8, read the output, which lists the rows or codes that failed or differ. Show them to the user before you run the line again.',
  'After exit code 9, stop and ask the user. Do not enter answers in the column `decision`, or add `--force`, `--adopt`, `--as-new`, `--conflicts`, `--max-changes`, `--overwrite` or `--restart`, without a decision.',
  "Without a terminal, qrctl never prompts. `qr delete` requires `--yes`, and a deletion can't be undone.",
];

export function formatSkill(reference: Reference): string {
  return `${[
    '---\nname: qrctl\ndescription: Manage dynamic QR codes and export their scans with the command line client qrctl\n---',
    '<!-- Written by `npm run skill` from the commands; edit src/build/skill.ts instead. -->',
    '# qrctl',
    `${reference.summary}. This page is for coding assistants. \`qrctl help --json\` has the same data with all details.`,
    '## Rules',
    RULES.map((rule) => `- ${rule}`).join('\n'),
    '## Recipes',
    ...RECIPES.map(([title, lines]) => `${title}:\n\n\`\`\`sh\n${lines.join('\n')}\n\`\`\``),
    '## Commands',
    `Every command also accepts ${flagList(reference.global_flags)}.`,
    ...reference.commands.map(formatCommand),
    '## Exit codes',
    table(
      ['code', 'meaning'],
      reference.exit_codes.map(({ exit, meaning }) => [String(exit), meaning]),
    ),
    '## Environment variables',
    table(
      ['variable', 'meaning'],
      reference.environment.map(({ name, meaning }) => [`\`${name}\``, meaning]),
    ),
  ].join('\n\n')}\n`;
}

function formatCommand({ name, summary, arguments: given, flags, output }: Command): string {
  const words = given.map(({ name: word, required, repeatable }) => {
    const several = repeatable ? `${word}...` : word;
    return required ? `<${several}>` : `[${several}]`;
  });
  const columns = output.map(({ when, columns: names, optional, after_input }) => {
    const first = after_input ? 'columns of the input, ' : '';
    const further = optional.length === 0 ? '' : `; optional: ${optional.join(', ')}`;
    return `- Columns${when === null ? '' : ` (${when})`}: ${first}${names.join(', ')}${further}`;
  });
  const facts = [...(flags.length > 0 ? [`- Flags: ${flagList(flags)}`] : []), ...columns];
  const title = [name, ...words].join(' ').replace(/[<[]/g, '\\$&');
  return [`### ${title}`, `${summary}.`, ...(facts.length > 0 ? [facts.join('\n')] : [])].join('\n\n');
}

function flagList(flags: Reference['global_flags']): string {
  return flags
    .map(({ name, value, choices }) => {
      // Upper case would be wrong: tab, none and desc are values as they are.
      const values = choices.length > 0 && choices.length <= 8 ? choices.join('|') : value && `<${value}>`;
      return `\`${[name, values].filter(Boolean).join(' ')}\``;
    })
    .join(', ');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}
