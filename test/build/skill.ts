/** The page .github/SKILL.md, with the output of `qrctl help --json`. */
import type { createReference } from '#cli/help/reference';
import { markdownHead, markdownLine } from '#files/formats/markdown';

type Reference = ReturnType<typeof createReference>;
type Command = Reference['commands'][number];

export function withReference(page: string, reference: Reference): string {
  const [byHand = ''] = page.split('## Commands\n', 1);
  const codes = reference.exit_codes.map(({ exit, meaning }) => markdownLine([`${exit}`, meaning]));
  const variables = reference.environment.map(({ name, meaning }) => markdownLine([`\`${name}\``, meaning]));
  const parts = [
    `${byHand}## Commands`,
    `Every command also accepts ${flagList(reference.global_flags)}.`,
    ...reference.commands.map(formatCommand),
    '## Exit codes',
    markdownHead(['code', 'meaning']) + codes.join('').trimEnd(),
    '## Environment variables',
    markdownHead(['variable', 'meaning']) + variables.join(''),
  ];
  return parts.join('\n\n');
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
      // Doesn't convert choices to upper case, because `tab`, `none` and `desc` are literal values.
      const values = choices.length > 0 && choices.length <= 8 ? choices.join('|') : value && `<${value}>`;
      return `\`${[name, values].filter(Boolean).join(' ')}\``;
    })
    .join(', ');
}
