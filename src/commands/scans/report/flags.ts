/** Flags of `scans report`. */
import { text, type Values } from '../../define.ts';
import { countOptions } from '../counting/count-options.ts';

export const options = {
  ...countOptions,
  title: text('--title <text>', 'Title of the report'),
  output: text('-o, --output <file>', 'Write the report to FILE, such as october.html', { complete: 'files' }),
};

export type ReportFlags = Values<typeof options>;
