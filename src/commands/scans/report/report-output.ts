/** Output of `scans report`: where it is written, and in which format. */
import { UsageError } from '../../../errors.ts';
import type { Paper } from '../../../report/pdf/paper.ts';
import type { ReportFlags } from './flags.ts';

export type ReportOutput = { path: string; format: 'html' } | { path: string; format: 'pdf'; paper: Paper };

/** Returns the output that the flags specify; the extension of the path is its format. Throws UsageError for any other. */
export function reportOutput({ output: path, paper }: Pick<ReportFlags, 'output' | 'paper'>): ReportOutput {
  if (path === undefined) throw new UsageError('missing --output', { hint: 'Add -o report.html or -o report.pdf.' });
  if (/\.pdf$/i.test(path)) return { path, format: 'pdf', paper: paper ?? 'a4' };
  if (path !== '-' && !/\.html?$/i.test(path)) {
    throw new UsageError(`--output must end in .html or .pdf: ${path}`, {
      hint: 'Use a name such as report.html, or use `qrctl scans stats` for data.',
    });
  }
  if (paper !== undefined) {
    throw new UsageError('--paper requires an --output that ends in .pdf', {
      hint: 'Omit --paper, or use a name such as report.pdf.',
    });
  }
  return { path, format: 'html' };
}
