import { basename, dirname, join } from 'node:path';
import { constants, gunzipSync } from 'node:zlib';
import { orUndefined, systemCode } from '#base/errors';
import { closing, type Disk, ifPresent } from '#files/durable/disk';
import { GZIP, likelyDelimiter, startsWith } from './formats.ts';
import { findLogName } from './read/rotated-names.ts';

export const FILE_KINDS = {
  none: 'is empty',
  other: 'has data that no earlier run wrote here',
  summary: 'is the summary of a run',
  config: 'is a config file of qrctl',
  ledger: 'is a ledger of qrctl, or the journal of an earlier version',
  lock: 'is a lock file of `qr apply`',
  state: 'is the state of --append, `scans tail` or a dataset',
  log: 'was written with --append, and may have scans that the service no longer has',
  part: 'is a part of a dataset',
  manifest: 'is the list of the images of `qr image`',
  check: 'has the rows of `qr check`',
  watch: 'has the rows of `scans watch`',
  plan: 'has a plan of `qr apply`',
  results: 'has the results of a bulk run',
} as const;

export type FileKind = keyof typeof FILE_KINDS;

export const ORDINARY_FILES: readonly FileKind[] = ['none', 'other', 'summary'];

const BEGINNINGS: readonly (readonly [FileKind, RegExp])[] = [
  ['ledger', /^\{"is":/],
  ['lock', /^\s*\{\s*(?:"version":\s*\d+,\s*)?"base_url":/],
  ['state', /^\{"version":\d+,"baseUrl":/],
  ['config', /^\s*\{\s*"version":\s*\d+,\s*(?:"current":\s*"[^"]*",\s*)?"profiles":/],
  ['summary', /^(?:\{"command":|# HELP qrctl_run_)/],
];

const TABLES: readonly (readonly [FileKind, ...string[]])[] = [
  ['manifest', 'outcome', 'sha256'],
  ['check', 'outcome', 'http_status'],
  ['watch', 'outcome', 'last_scan', 'expected'],
  ['plan', 'action', 'field', 'old', 'new'],
  ['plan', 'action', 'changes'],
  ['results', 'outcome', 'error'],
];

export function kindOfTable(columns: readonly string[]): FileKind {
  return TABLES.find(([, ...marks]) => marks.every((mark) => columns.includes(mark)))?.[0] ?? 'other';
}

/** Returns the kind of a file. A missing file with a state file is a `log`. */
export async function kindOfFile(disk: Disk, real: string): Promise<FileKind> {
  const head = (await ifPresent(readHead(disk, real))) ?? Buffer.alloc(0);
  const text = textOf(head);
  const kind = BEGINNINGS.find(([, begins]) => begins.test(text))?.[0] ?? kindOfTable(columnsOf(text));
  if (kind !== 'other') return kind;
  if (text.startsWith('PK') && /\.results\.xlsx$/i.test(real)) return 'results';
  return (await kindByNeighbors(disk, real)) ?? (head.length === 0 ? 'none' : 'other');
}

export function hasState(disk: Disk, real: string): Promise<boolean> {
  return isState(disk, `${real}.state.json`);
}

async function kindByNeighbors(disk: Disk, real: string): Promise<FileKind | undefined> {
  const [directory, name] = [dirname(real), basename(real)];
  // Finds the log of a rotated file, or of an `.old` file that a restart kept.
  const log = findLogName(name.replace(/\.old(?:\.\d+)?$/, ''))?.base ?? name;
  for (const own of new Set([name, name.startsWith(log) ? log : name])) {
    if (await hasState(disk, join(directory, own))) return 'log';
  }
  const isPart = /^part-\d+\./.test(name) && (await isState(disk, join(dirname(directory), '_qrctl.json')));
  return isPart ? 'part' : undefined;
}

async function isState(disk: Disk, path: string): Promise<boolean> {
  try {
    return (await readHead(disk, path)).toString('latin1').startsWith('{"version":');
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return false;
  }
}

const HEAD_BYTES = 64 * 1024;
/** Maximum number of gzip bytes to decompress. Each expands to at most 1032 bytes. */
const PACKED_BYTES = 8 * 1024;

async function readHead(disk: Disk, path: string): Promise<Buffer> {
  return closing(await disk.open(path, 'r'), async (file) => {
    if (!(await file.stat()).isFile()) return Buffer.alloc(0);
    const bytes = Buffer.alloc(HEAD_BYTES);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
    return bytes.subarray(0, bytesRead);
  });
}

function textOf(head: Buffer): string {
  return unpacked(head)
    .subarray(0, HEAD_BYTES)
    .toString()
    .replace(/^\ufeff/, '');
}

function unpacked(head: Buffer): Buffer {
  if (!startsWith(head, GZIP)) return head;
  const finishFlush = constants.Z_SYNC_FLUSH;
  return orUndefined(() => gunzipSync(head.subarray(0, PACKED_BYTES), { finishFlush })) ?? Buffer.alloc(0);
}

export function columnsOf(text: string): string[] {
  if (/^\s*[[{]/.test(text)) return [...text.matchAll(/"([^"\\]+)"\s*:/g)].map(([, key = '']) => key);
  const header = text.split(/[\r\n]/, 1)[0] ?? '';
  return header.split(likelyDelimiter(header)).map((name) => name.replaceAll('"', '').trim().toLowerCase());
}
