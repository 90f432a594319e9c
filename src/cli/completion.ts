/** Completes a command line (`qrctl __complete WORDS…`; the last word is at the cursor). */
import type { Argument, CommandDefinition, Completion, Flag } from '#commands/define';
import { lineOptions } from '#commands/global-options';
import { TOPIC_WORDS } from './help/topics.ts';
import { argumentsOf, flagsOf } from './manual.ts';
import { HELP_SUMMARY, helpOptions, TREE } from './tree.ts';

interface Candidate {
  word: string;
  description: string;
}

export interface Candidates {
  before: string;
  /** Words that may follow `before` (such as `--format=`), or the kind of value to look up. */
  values: readonly Candidate[] | Completion;
}

interface Step {
  name: string;
  summary: string;
  commands?: readonly Step[];
  load?(): Promise<{ command: Pick<CommandDefinition, 'options' | 'arguments'> }>;
}

const explained = ({ name, summary, commands }: Step): Step => ({
  name,
  summary,
  commands: commands?.map(explained),
});

const ROOT: readonly Step[] = [
  ...TREE,
  {
    name: 'help',
    summary: HELP_SUMMARY,
    commands: [...TREE.map(explained), ...TOPIC_WORDS],
    load: async () => ({ command: { options: helpOptions } }),
  },
];

export async function candidatesFor(words: readonly string[]): Promise<Candidates> {
  const current = words.at(-1) ?? '';
  const { names, flags, given, pending, argument, flagsEnded } = await placeAfter(words.slice(0, -1));
  if (pending) return { before: '', values: valuesOf(pending) };
  if (current.startsWith('-') && !flagsEnded) {
    const [name = ''] = current.split('=', 1);
    const open = flags.filter((flag) => flag.repeatable || !given.has(flag));
    if (name === current) return { before: '', values: open.flatMap(spellings) };
    const flag = findFlag(flags, name);
    return { before: `${name}=`, values: flag?.value === undefined ? 'none' : valuesOf(flag) };
  }
  if (names.length > 0)
    return { before: '', values: names.map(({ name, summary }) => ({ word: name, description: summary })) };
  return { before: '', values: argument ? valuesOf(argument) : 'none' };
}

async function placeAfter(words: readonly string[]) {
  let names = ROOT;
  let flags = flagsOf(lineOptions);
  let args: readonly Argument[] = [];
  let pending: Flag | undefined;
  let position = 0;
  let flagsEnded = false;
  const given = new Set<Flag | undefined>();
  for (const word of words) {
    if (pending) {
      pending = undefined;
    } else if (word === '--') {
      flagsEnded = true;
    } else if (/^-./.test(word) && !flagsEnded) {
      const [name = ''] = word.split('=', 1);
      const flag = findFlag(flags, name);
      given.add(flag);
      pending = flag?.value !== undefined && name === word ? flag : undefined;
    } else if (names.length > 0) {
      const step = names.find(({ name }) => name === word);
      names = step?.commands ?? [];
      const command = (await step?.load?.())?.command;
      flags = [...flagsOf(command?.options ?? {}), ...flags];
      args = argumentsOf(command?.arguments ?? []);
    } else {
      position += 1;
    }
  }
  const last = args.at(-1);
  const argument = args[position] ?? (last?.several ? last : undefined);
  return { names, flags, given, pending, argument, flagsEnded };
}

function findFlag(flags: readonly Flag[], name: string): Flag | undefined {
  return flags.find(({ short, long }) => name === short || name === long);
}

function spellings({ short, long, description }: Flag): Candidate[] {
  return (short ? [short, long] : [long]).map((word) => ({ word, description }));
}

function valuesOf({ choices, complete }: Flag | Argument): Candidates['values'] {
  return choices.length > 0 ? choices.map((word) => ({ word, description: '' })) : complete;
}
