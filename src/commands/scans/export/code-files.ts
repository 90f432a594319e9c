/** The files of `--output-dir`, one per code. */
import { join } from 'node:path';
import { createFileNames } from '../../../codes/file-names.ts';
import type { CodeLabel } from '../../../complete/export-codes.ts';
import type { ExportPlan } from './plan-export.ts';

export function filesOf(
  { directory = '', fileNames, output }: ExportPlan,
  codes: readonly CodeLabel[],
): (code: CodeLabel) => string {
  const nameOf = createFileNames(codes, fileNames);
  const extension = extensionOf({ output });
  return (code) => join(directory, `${nameOf(code)}.${extension}`);
}

/** Of those files. */
export function extensionOf({ output: { format } }: Pick<ExportPlan, 'output'>): string {
  return format === 'ids' ? 'txt' : format;
}
