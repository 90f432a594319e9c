import { join } from 'node:path';
import { MOST_BYTES } from '#base/bounds';
import { orUndefined, UsageError } from '#base/errors';
import { parseBounded } from '#base/text/bounded-json';
import { nodeDisk } from '#files/durable/node-disk';
import { readBack } from '#files/durable/trusted-file';
import { isObject } from '#service/json';
import type { QrCode } from '#service/shapes';

export function backupPath(
  directory: string,
  { id }: Pick<QrCode, 'id'>,
  content: 'json' | 'scans.ndjson',
): string {
  return join(directory, `${id.toLowerCase()}.${content}`);
}

/** Throws UsageError if a code's record would replace other readable data. */
export async function refuseOtherRecords(directory: string, codes: readonly QrCode[]): Promise<void> {
  for (const code of codes) {
    const path = backupPath(directory, code, 'json');
    // Ignores an unreadable file, because writing the record reports it.
    const found = await readBack(nodeDisk, path, MOST_BYTES.recordFile).catch(() => undefined);
    if (found === undefined || found.length === 0 || isRecordOf(code, found.toString())) continue;
    throw new UsageError(`cannot write ${path}: it is not a record of this code`, {
      hint: 'Specify a different directory with --backup, or move the file.',
    });
  }
}

function isRecordOf({ id }: QrCode, text: string): boolean {
  const record: unknown = orUndefined(() => parseBounded(text));
  return isObject(record) && String(record.id).toLowerCase() === id.toLowerCase();
}
