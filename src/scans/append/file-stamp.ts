/** Stamp that shows, without reading a file, that it is unchanged (A19). */
import type { DiskStat } from '../../files/durable/disk.ts';
import { isObject } from '../../service/json.ts';

/** The size is compared separately. The system changes the ctime with every change of the bytes, and no program can set it. */
export type FileStamp = Pick<DiskStat, 'ino' | 'mtimeNs' | 'ctimeNs'>;

/**
 * Returns the stamp of a file that was described when its file system showed the time `clockNs`; undefined if that was still the tick of its last
 * change, in which another change would leave no trace.
 */
export function stampOf({ ino, mtimeNs, ctimeNs }: DiskStat, clockNs: bigint): FileStamp | undefined {
  return clockNs > ctimeNs ? { ino, mtimeNs, ctimeNs } : undefined;
}

/** Returns whether a file, apart from its size, is as it was when it had this stamp. */
export function hasStamp(file: DiskStat, stamp: FileStamp): boolean {
  return file.ino === stamp.ino && file.mtimeNs === stamp.mtimeNs && file.ctimeNs === stamp.ctimeNs;
}

/** In JSON; its numbers have too few digits. */
export interface SavedStamp {
  ino: string;
  mtimeNs: string;
  ctimeNs: string;
}

export function formatStamp({ ino, mtimeNs, ctimeNs }: FileStamp): SavedStamp {
  return { ino: `${ino}`, mtimeNs: `${mtimeNs}`, ctimeNs: `${ctimeNs}` };
}

export function isSavedStamp(value: unknown): value is SavedStamp {
  if (!isObject(value)) return false;
  const { ino, mtimeNs, ctimeNs } = value;
  return [ino, mtimeNs, ctimeNs].every((text) => typeof text === 'string' && /^-?\d{1,20}$/.test(text));
}

export function parseStamp({ ino, mtimeNs, ctimeNs }: SavedStamp): FileStamp {
  return { ino: BigInt(ino), mtimeNs: BigInt(mtimeNs), ctimeNs: BigInt(ctimeNs) };
}
