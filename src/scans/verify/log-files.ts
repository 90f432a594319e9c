import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { countOf } from '#base/text/quote';
import { letSignalsIn } from '#base/time/time';
import { readInputBytes } from '#files/formats/read/input-bytes';
import { lossOf } from '#scans/append/current-state';
import { beginsAs, createFileHash } from '#scans/append/file-hash';
import { foreignReason, type RotatedFile } from '#scans/append/log-range';
import type { AppendState } from '#scans/append/state';

interface Digest {
  path: string;
  size: number;
  sha256: string;
}

export interface LogFault {
  reason: string;
  hint: string;
}

/** V10: finds a log's files by their bytes, even if compressed or renamed. */
export async function checkLogFiles(
  file: string,
  state: AppendState,
  { own, others, signal }: { own: readonly string[]; others: readonly string[]; signal?: AbortSignal },
) {
  const name = basename(file);
  const current = own.find((path) => resolve(path) === resolve(file));
  const all = [...own, ...others];
  const moved: Digest[] = [];
  for (const path of all) if (path !== current) moved.push(await digestOf(path, signal));
  const head = current === undefined ? undefined : await compareFile(current, state, signal);
  const find = (file: Pick<RotatedFile, 'bytes' | 'sha256'>) => moved.find((found) => isOf(found, file));
  const justMoved = head === undefined || head.size === 0 ? find(state) : undefined;
  const gone = state.rotated.filter((file) => !find(file));
  const read = new Set([...state.rotated.map((file) => find(file)?.path), justMoved?.path, current]);
  const isKnown = (found: Digest) => [...state.rotated, state].some((file) => isOf(found, file));
  const known = [current ?? [], moved.filter(isKnown).map(({ path }) => path)].flat();
  const paths = all.filter((path) => read.has(path));
  const found = { paths, known, gone, isUnfinished: false };
  const fault = justMoved ? undefined : faultOf(name, state, head);
  if (fault) return { ...found, fault };
  const unknown = moved.find((found) => own.includes(found.path) && !isKnown(found));
  if (unknown && gone.some(({ bytes }) => bytes > 0)) {
    const hint = 'Restore it from a backup. To compare the log without it, move it to another directory.';
    return { ...found, fault: { reason: foreignReason(unknown.path, name), hint } };
  }
  const tail = (head?.size ?? 0) - state.bytes;
  if (tail <= 0 || state.stamp) return { ...found, fault: undefined };
  const reason = `${name} has ${countOf(tail, 'byte')} of a run that was stopped, or is still running`;
  const hint = 'When no export is running, run the command again with --repair.';
  return { ...found, fault: { reason, hint }, isUnfinished: true };
}

function isOf({ size, sha256 }: Digest, file: Pick<RotatedFile, 'bytes' | 'sha256'>): boolean {
  return size === file.bytes && sha256 === file.sha256;
}

function faultOf(
  name: string,
  { bytes, stamp, rotated }: AppendState,
  head: Awaited<ReturnType<typeof compareFile>> | undefined,
): LogFault | undefined {
  // With rotated files, omits --restart, because a new export would add their scans again.
  const orRestart = rotated.length > 0 ? '' : ', or run its `qrctl scans export` command once with --restart';
  const hint = `Restore ${name} from a backup${orRestart}.`;
  const reason = lossOf(head?.size, bytes, name);
  if (!head) return bytes === 0 ? undefined : { reason, hint };
  if (head.size < bytes) {
    const older = `If ${name} is an older copy, remove its state and run the export again, which reads only new scans. Then run \`qrctl scans verify\` with --repair. If not, restore both from a backup.`;
    return { reason, hint: rotated.length > 0 || head.size === 0 ? hint : older };
  }
  return head.isEdited || (head.size > bytes && stamp) ? { reason, hint } : undefined;
}

async function compareFile(path: string, state: AppendState, signal: AbortSignal | undefined) {
  return { size: (await stat(path)).size, isEdited: !(await beginsAs(state, readInputBytes(path), signal)) };
}

async function digestOf(path: string, signal: AbortSignal | undefined): Promise<Digest> {
  const hash = createFileHash();
  let size = 0;
  for await (const piece of readInputBytes(path)) {
    hash.update(piece);
    size += piece.length;
    await letSignalsIn(signal);
  }
  return { path, size, sha256: hash.digests().sha256 };
}
