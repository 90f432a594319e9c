/** Formats `qrctl help --json`, which docs/help.schema.json describes. */
import { EXIT_CODES } from '#base/errors';
import { type CommandPage, flagsOf, type Manual } from '#cli/manual';
import { HELP_SUMMARY, helpOptions } from '#cli/tree';
import type { Argument, Flag, OutputColumns } from '#commands/define';
import { ENVIRONMENT, TOPICS } from './topics.ts';

/** Version of the format, increased if a key is removed or changes its meaning. */
const VERSION = 1;

export function formatReference(manual: Manual): string {
  return `${JSON.stringify(createReference(manual), undefined, 2)}\n`;
}

export function createReference({ version, summary, groups, commands, globals }: Manual) {
  return {
    version: VERSION,
    qrctl: version,
    summary,
    groups: groups.map(({ name, summary }) => ({ name, summary })),
    commands: [...commands.map(describeCommand), describeHelp()],
    global_flags: globals.map(describeFlag),
    topics: TOPICS.map(({ name, title }) => ({ name, title })),
    exit_codes: EXIT_CODES,
    environment: ENVIRONMENT.flatMap(([names, meaning]) =>
      names.split(', ').map((name) => ({ name, meaning })),
    ),
  };
}

function describeCommand(page: CommandPage) {
  return {
    name: page.names.join(' '),
    summary: page.summary,
    description: page.description,
    arguments: page.arguments.map(describeArgument),
    flags: page.flags.map(describeFlag),
    output: page.output.map(describeOutput),
    examples: page.examples.map(([command, does]) => ({ command, does })),
  };
}

function describeHelp(): ReturnType<typeof describeCommand> {
  const words = {
    name: 'words',
    required: false,
    repeatable: true,
    choices: [],
    completes: null,
    description: 'Command or topic',
  };
  return {
    name: 'help',
    summary: HELP_SUMMARY,
    description: HELP_SUMMARY,
    arguments: [words],
    flags: flagsOf(helpOptions).map(describeFlag),
    output: [],
    examples: [{ command: 'qrctl help --json', does: 'Print this document' }],
  };
}

function describeArgument({ name, required, several, description, choices, complete }: Argument) {
  return { name, required, repeatable: several, choices, completes: kindOf(complete), description };
}

function describeFlag(flag: Flag) {
  const { long: name, short = null, value = null, type, choices, repeatable, complete, description } = flag;
  const { rare = false, requires, conflicts } = flag;
  const fallback = /\(default: ([^;)]+)/.exec(description)?.[1];
  return {
    name,
    short,
    value,
    type,
    choices,
    default: fallback ?? null,
    repeatable,
    required: false,
    rare,
    requires,
    conflicts,
    completes: kindOf(complete),
    description,
  };
}

function kindOf(complete: Flag['complete']) {
  return complete === 'none' ? null : complete;
}

function describeOutput(output: OutputColumns) {
  const { when = null, columns, optional = [], afterInput = false } = output;
  return { when, columns: columns.map(({ name }) => name), optional, after_input: afterInput };
}
