import { UsageError } from '#base/errors';
import { inShell } from '#base/text/quote';
import type { ReadOptions } from '#files/formats/read/input';
import { baseUrlOf } from '#service/base-url';
import { CODE_STATUSES, CODE_TYPES, type QrCode } from '#service/shapes';
import { choices, flag, inputFile, parsed, rarely, text, texts, withExtra } from './define.ts';

const FROM_CODES = 'Codes as CSV, .xlsx, JSON, NDJSON or IDs (or -)';

export function workbookOptions(group?: string) {
  return withExtra(
    { group, rare: true },
    {
      sheetName: text('--sheet-name <name>', 'Sheet of the workbook (default: the first)'),
      visibleOnly: flag('--visible-only', 'Skip hidden rows of the workbook'),
    },
  );
}

export function fromCodesOptions(group?: string) {
  return {
    from: inputFile('--from <file|->', FROM_CODES, {
      group,
      conflicts: ['--all', 'CODE'],
      hintFor: (from) =>
        isTime(String(from)) ? `To start at a time, use --since ${from} instead of --from.` : undefined,
    }),
    ...workbookOptions(group),
  };
}

function isTime(from: string): boolean {
  return /^(\d{4}-\d\d(-\d\d)?|\d+[smhdw]|today|yesterday)$/.test(from);
}

export const filterOptions = {
  status: choices('--status <status>', 'Status', CODE_STATUSES),
  type: choices('--type <type>', 'Select by type', CODE_TYPES),
  name: texts('--name <text>', 'Select by part of the name'),
};

export type Filters = { [K in keyof typeof filterOptions]: readonly string[] | undefined };

export interface FileChoice {
  from?: string;
  join?: string;
  sheetName?: string;
  visibleOnly?: true;
}

export type CodeChoice = Partial<Filters> & FileChoice & { all?: true };

export const choiceOptions = {
  all: flag('--all', 'Select every code, oldest first', { risky: true, conflicts: ['CODE'] }),
  ...fromCodesOptions(),
  ...filterOptions,
  ...rarely({ type: filterOptions.type }),
};

export function filterWords(choice: CodeChoice): string | undefined {
  const words = (['name', 'status', 'type'] as const).flatMap((key) => {
    const values = [...new Set(choice[key]?.map((value) => inShell(foldName(value))))].sort();
    return values.map((value) => `--${key} ${value}`);
  });
  return words.length === 0 ? undefined : words.join(' ');
}

/** Returns true for all codes, false for specified codes (CODE, --from), and otherwise filters as flags. */
export function everyOf(names: readonly string[], choice: CodeChoice): boolean | string {
  return names.length === 0 && choice.from === undefined && (filterWords(choice) ?? true);
}

const isWorkbook = (path: string) => /\.xlsx$/i.test(path);

export function requireWorkbook({ from, join, sheetName, visibleOnly }: FileChoice): void {
  const given = sheetName !== undefined ? '--sheet-name' : visibleOnly && '--visible-only';
  const paths = [from, join].filter((path) => path !== undefined);
  if (!given || paths.length === 1 || paths.some(isWorkbook)) return;
  throw new UsageError(`${given} requires a workbook (.xlsx)`, {
    hint: `Omit ${given}, or specify a workbook.`,
  });
}

export function partOf(path: string, { from, join, sheetName, visibleOnly }: FileChoice): ReadOptions {
  const isOne = from === undefined || join === undefined;
  return isOne || isWorkbook(path) ? { sheetName, visibleOnly } : {};
}

export function checkChoice(names: readonly string[], choice: CodeChoice): void {
  requireWorkbook(choice);
  if (names.length > 0 || choice.all || choice.from !== undefined || filterWords(choice)) return;
  throw new UsageError('no code specified', {
    hint: 'Specify IDs or slugs (see `qrctl qr list`), or add --all, --name TEXT or --from FILE.',
  });
}

export function isOneCode(names: readonly string[], choice: CodeChoice): boolean {
  return names.length === 1 && filterWords(choice) === undefined;
}

export function createFilter({ status, type, name }: Partial<Filters>): (code: QrCode) => boolean {
  const isNamed = name && createNameTest(name);
  return (code) =>
    (!status || status.includes(code.status)) &&
    (!type || type.includes(code.type)) &&
    (!isNamed || isNamed(code.name));
}

export function createNameTest(names: readonly string[]): (name: string) => boolean {
  const parts = names.map(foldName);
  return (name) => parts.some((part) => foldName(name).includes(part));
}

function foldName(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

export const movedFromOption = parsed(
  '--moved-from <url>',
  'Base URL of the last run, if it has changed',
  { parse: baseUrlOf, forms: 'a base URL, such as https://HOST/api/v1' },
  { rare: true },
);
