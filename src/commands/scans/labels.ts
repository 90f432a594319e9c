/** Columns that identify the code of a scan, before its own. */
import type { CodeLabel } from '../../scans/export/export-codes.ts';
import { SCAN_FIELDS } from '../../service/shapes.ts';
import type { OutputColumns } from '../define.ts';

export const LABELS = ['qr_id', 'qr_slug', 'qr_name'] as const;

/** Output of commands that print scans: of one code, or of several with the columns that name the code. */
export function scanOutputs(optional: readonly string[] = []): OutputColumns[] {
  const fields = SCAN_FIELDS.map((name) => ({ name }));
  const labelled = [...LABELS.map((name) => ({ name })), ...fields];
  return [
    { columns: fields, optional },
    { when: '--all, or CODE CODE…', columns: labelled, optional },
  ];
}

/** Returns the values of the columns. */
export function labelOf({
  id,
  slug,
  name,
}: CodeLabel): Readonly<Record<(typeof LABELS)[number], string | null>> {
  return { qr_id: id, qr_slug: slug ?? null, qr_name: name ?? null };
}
