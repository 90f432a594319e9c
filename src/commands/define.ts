import { InvalidArgumentError } from 'commander';
import { parseDuration } from '#base/time/time';
import type { Context } from '#context';
import { VALUES } from '#settings/values';

export type Completion = 'files' | 'directories' | 'profiles' | 'codes' | 'none';

type ValueType = 'boolean' | 'integer' | 'duration' | 'string';

export interface OutputColumns {
  when?: string;
  columns: readonly { name: string }[];
  optional?: readonly string[];
  /** Whether the other columns of the input file come before these columns. */
  afterInput?: true;
}

export type Example = readonly [command: string, does: string];

interface Extra {
  group?: string;
  complete?: Completion;
  writes?: true;
  /** Whether hints omit the flag, because it acts on more codes, overwrites, or skips a safeguard. */
  risky?: true;
  rare?: true;
  /** Flags that this flag requires. One of a nested list is enough. Flags not in the command are ignored. */
  requires?: readonly (string | readonly string[])[];
  /**
   * Flags, or arguments in capitals (`CODE`), that conflict with this flag. Either flag may list the other.
   */
  conflicts?: readonly string[];
  hintFor?(value: unknown): string | undefined;
}

export interface OptionDefinition<T> extends Extra {
  flags: string;
  description: string;
  choices?: readonly string[];
  repeatable?: boolean;
  type?: ValueType;
  parse?(raw: string, previous: T | undefined): T;
}

export interface Flag
  extends Required<
    Pick<
      OptionDefinition<unknown>,
      'flags' | 'description' | 'group' | 'complete' | 'choices' | 'repeatable' | 'type' | 'conflicts'
    >
  > {
  short: string | undefined;
  long: string;
  value: string | undefined;
  rare?: true;
  requires: readonly (readonly string[])[];
}

export interface Argument {
  /** Term such as `<code>` (required), `[code]` (optional) or `[code...]` (repeatable). */
  term: string;
  name: string;
  required: boolean;
  several: boolean;
  description: string;
  choices: readonly string[];
  complete: Completion;
}

type Declare<T> = (flags: string, description: string, extra?: Extra) => OptionDefinition<T>;

export const flag: Declare<true> = (flags, description, extra) => ({ flags, description, ...extra });

/** Declares a flag such as `--no-header`, which is false if passed. */
export const negation: Declare<boolean> = (...declared) => flag(...declared);

export function text(
  flags: string,
  description: string,
  extra: Extra & { empty?: boolean } = {},
): OptionDefinition<string> {
  const parse = (raw: string) => (raw === '' && !extra.empty ? undefined : raw);
  return parsed(flags, description, { parse, forms: 'at least one character' }, extra);
}

export const inputFile: Declare<string> = (flags, description, extra) =>
  text(flags, description, { complete: 'files', ...extra });

export const outputFile: Declare<string> = (flags, description, extra) =>
  inputFile(flags, description, { writes: true, ...extra });

export const directory: Declare<string> = (flags, description, extra) =>
  text(flags, description, { complete: 'directories', ...extra });

export function integer(
  flags: string,
  description: string,
  bounds: { min: number; max?: number },
  extra: Extra = {},
): OptionDefinition<number> {
  const { min, max = Number.MAX_SAFE_INTEGER } = bounds;
  const parse = (raw: string) => {
    const value = /^\d{1,15}$/.test(raw) ? Number(raw) : Number.NaN;
    return value >= min && value <= max ? value : undefined;
  };
  const range = bounds.max === undefined ? `of at least ${min}` : `from ${min} to ${max}`;
  return parsed(flags, description, { parse, forms: `a whole number ${range}`, type: 'integer' }, extra);
}

export function choice<const C extends readonly string[]>(
  flags: string,
  description: string,
  choices: C,
  extra: Extra = {},
): OptionDefinition<C[number]> {
  return { flags, description, choices, parse: (raw) => oneOf(raw, choices), ...extra };
}

export function choices<const C extends readonly string[]>(
  flags: string,
  description: string,
  values: C,
): OptionDefinition<C[number][]> {
  return { ...repeated(flags, description, (raw) => [oneOf(raw, values)]), choices: values };
}

export const texts: Declare<string[]> = (flags, description, extra) =>
  repeated(flags, description, (raw) => [raw], extra);

export function repeated<T>(
  flags: string,
  description: string,
  read: (raw: string) => readonly T[],
  extra: Extra = {},
): OptionDefinition<T[]> {
  const parse = (raw: string, previous: T[] = []) => [...previous, ...read(raw)];
  return { flags, description, repeatable: true, parse, ...extra };
}

export interface ValueForms<T> {
  parse(raw: string): T | undefined;
  forms: string;
  type?: ValueType;
}

export function parsed<T>(
  flags: string,
  description: string,
  { parse: read, forms, type }: ValueForms<T>,
  extra: Extra = {},
): OptionDefinition<T> {
  const parse = (raw: string) => {
    const value = read(raw);
    if (value === undefined) throw new InvalidArgumentError(forms);
    return value;
  };
  return { flags, description, type, parse, ...extra };
}

export const duration: Declare<number> = (flags, description, extra) =>
  parsed(flags, description, VALUES['max-wait'], extra);

export const PERIOD = {
  parse: (raw: string) => parseDuration(raw) || undefined,
  forms: 'a duration above zero, such as 500ms, 30s or 5m',
  type: 'duration' as const,
};

export function oneOf<const C extends readonly string[]>(raw: string, values: C): C[number] {
  const meant = values.find((value) => value === raw) ?? values.find((value) => value === raw.toLowerCase());
  if (meant !== undefined) return meant;
  throw new InvalidArgumentError(anyOf(values));
}

export function parseList<const C extends readonly string[]>(raw: string, values: C): C[number][] {
  const words = raw.split(',').map((word) => word.trim());
  if (words.includes('')) throw new InvalidArgumentError(`names separated by commas: ${values.join(', ')}`);
  return [...new Set(words.map((word) => oneOf(word, values)))];
}

export function anyOf(values: readonly string[]): string {
  return new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(values);
}

export type Options = Record<string, OptionDefinition<unknown>>;

export function inGroup<O extends Options>(group: string, options: O): O {
  return withExtra({ group }, options);
}

export function rarely<O extends Options>(options: O): O {
  return withExtra({ rare: true }, options);
}

export function withExtra<O extends Options>(extra: Extra, options: O): O {
  return Object.fromEntries(
    Object.entries(options).map(([key, option]) => [key, { ...extra, ...option }]),
  ) as O;
}

export type Values<O extends Options> = {
  [K in keyof O]: O[K] extends OptionDefinition<infer T> ? T | undefined : never;
};

export type ArgumentDefinition = Pick<Argument, 'term' | 'description'> &
  Partial<Pick<Argument, 'choices' | 'complete'>>;

export interface CommandDefinition<O extends Options = Options> {
  description: string;
  arguments?: readonly ArgumentDefinition[];
  options: O;
  columns?: readonly OutputColumns[];
  examples: readonly Example[];
  run(context: Context, input: { args: string[]; options: Values<O> }): Promise<void>;
}

export function defineCommand<O extends Options>(definition: CommandDefinition<O>): CommandDefinition<O> {
  return definition;
}

export const CODE_ARGUMENTS: readonly ArgumentDefinition[] = [
  { term: '[code...]', description: 'IDs, slugs or short URLs of codes', complete: 'codes' },
];

export const forceOption = flag('--force', 'Accept unusable destinations and sorted columns', {
  risky: true,
  rare: true,
});

export const overwriteOption = flag(
  '--overwrite',
  'Replace a file even if another command or program wrote it',
  { risky: true, rare: true },
);
