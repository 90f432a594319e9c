import { baseUrlOf } from '#service/base-url';
import { type ArgumentDefinition, flag, inputFile, parsed, text, withExtra } from './define.ts';

export const CODE_ARGUMENTS: readonly ArgumentDefinition[] = [
  { term: '[code...]', description: 'IDs, slugs or short URLs of codes', complete: 'codes' },
];

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

export const forceOption = flag('--force', 'Accept unusable destinations and sorted columns', {
  risky: true,
  rare: true,
});

export const overwriteOption = flag(
  '--overwrite',
  'Replace a file even if another command or program wrote it',
  { risky: true, rare: true },
);

export const movedFromOption = parsed(
  '--moved-from <url>',
  'Base URL of the last run, if it has changed',
  { parse: baseUrlOf, forms: 'a base URL, such as https://HOST/api/v1' },
  { rare: true },
);
