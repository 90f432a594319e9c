/** Flags of `scans report`. */
import { text, type Values } from '../../define.ts';
import { countOptions } from '../counting/count-options.ts';

export const options = {
  ...countOptions,
  title: text('--title <text>', 'what stands at the head of the page'),
  output: text('-o, --output <file>', 'the page to write, such as october.html', { complete: 'files' }),
};

export type ReportFlags = Values<typeof options>;
