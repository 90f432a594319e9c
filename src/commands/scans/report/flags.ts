/** Flags of `scans report`. */
import { LANGUAGES } from '../../../scans/report/languages/plurals.ts';
import { PAPERS } from '../../../scans/report/pdf/palette.ts';
import { choice, text, type Values } from '../../define.ts';
import { countOptions } from '../counting/count-options.ts';

export const options = {
  ...countOptions,
  language: choice('--language <language>', 'Language of the report (default: en)', LANGUAGES),
  title: text('--title <text>', 'Title of the report'),
  note: text('--note <text>', 'Text below the title; empty lines separate paragraphs'),
  logo: text('--logo <file>', 'PNG or SVG logo above the title', { complete: 'files' }),
  output: text('-o, --output <file>', 'Write the report to FILE (.html or .pdf)', {
    complete: 'files',
    writes: true,
    required: true,
  }),
  paper: choice('--paper <paper>', 'Paper size of a PDF report (default: a4)', PAPERS),
};

export type ReportFlags = Values<typeof options>;
