/** Columns that identify the code of a scan, before its own. */
import type { CodeLabel } from '../../complete/export-codes.ts';

export const LABELS = ['qr_id', 'qr_slug', 'qr_name'] as const;

/** Returns the values of the columns. */
export function labelOf({ id, slug, name }: CodeLabel): Readonly<Record<(typeof LABELS)[number], string | null>> {
  return { qr_id: id, qr_slug: slug ?? null, qr_name: name ?? null };
}
