/**
 * The lock file: which code each key is, and the values last applied. One line per key, sorted, each line independent of its neighbors, so
 * that git merges it by lines. Its JSON may be reformatted; a file that can't be trusted is refused with its lines.
 */
import { type Fault, refuseFaults, type Source } from '../bulk/input.ts';
import { UsageError } from '../errors.ts';
import { isUuid } from '../service/checks.ts';
import { isObject } from '../service/json.ts';
import type { QrCode } from '../service/shapes.ts';
import { isRecordedWorkspace, type RecordedWorkspace } from '../service/workspace.ts';
import { inQuotes, quote } from '../text/quote.ts';

/** Key and its code. */
export interface LockEntry extends Pick<QrCode, 'id' | 'slug' | 'name' | 'type' | 'destination' | 'status'> {
  readonly key: string;
  /** The file no longer has the key: reported by an earlier run. `paused`: that run paused its code. */
  readonly removed?: true | 'paused' | undefined;
}

export interface LockFile {
  readonly workspace: RecordedWorkspace;
  /** By key. */
  readonly entries: ReadonlyMap<string, LockEntry>;
}

const VERSION = 1;

/** Y3: formats a lock file: the same text for the same entries. The last line of the list is constant, so that no entry's line depends on being the last. */
export function formatLock({ workspace: { baseUrl, key }, entries }: LockFile): string {
  const sorted = [...entries.values()].sort((one, other) => (one.key < other.key ? -1 : 1));
  const lines = sorted.map((entry) => `${JSON.stringify(inOrder(entry))},\n`);
  const head = { version: VERSION, base_url: baseUrl, workspace: key };
  const texts = Object.entries(head).map(([name, value]) => `"${name}": ${JSON.stringify(value)},\n`);
  return `{\n${texts.join('')}"codes": [\n${lines.join('')}null\n]}\n`;
}

function inOrder({ key, id, slug, name, type, destination, status, removed }: LockEntry): LockEntry {
  return { key, id, slug, name, type, destination, status, removed };
}

/** Returns a text that is equal for keys that differ by case or spaces only: nobody can tell them apart in a spreadsheet. */
export function foldKey(key: string): string {
  return key.normalize('NFC').toLowerCase().replace(/\s/gu, '');
}

/** Parses a lock file; `name` is its path. Throws UsageError with every fault, by line. */
export function parseLock(given: string, name: string): LockFile {
  const text = given.replace(/^\ufeff/, '');
  const file: Source = { name };
  const refuse = (faults: readonly Fault[]) => refuseFaults(file, faults, { start: RESTORE });
  refuse(conflicts(text));
  const { version, base_url, workspace, codes } = parseHead(text, name);
  if (typeof version === 'number' && version > VERSION) {
    throw new UsageError(`${name} was written by a newer version of qrctl`, { hint: 'Use the latest version of qrctl.' });
  }
  const recorded = { baseUrl: base_url, key: workspace };
  if (version !== VERSION || !Array.isArray(codes) || !isRecordedWorkspace(recorded)) throw notALock(name);
  const lines = linesOfKeys(text);
  const entries = codes.filter((code) => code !== null);
  const faults: Fault[] = [];
  for (const [at, entry] of entries.entries())
    if (!isEntry(entry)) faults.push({ line: lines[at], message: 'is not a complete entry (key, id, slug and values)' });
  refuse(faults);
  const known: LockEntry[] = entries;
  refuse(doubled(known, lines));
  return {
    workspace: recorded as RecordedWorkspace,
    entries: new Map(known.map((entry) => [entry.key, inOrder(entry)])),
  };
}

const RESTORE = 'Restore the lock file from git. If you delete it instead, qrctl rebuilds it from matching codes.';

function parseHead(text: string, name: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const at = / position (\d+)/.exec(String(cause))?.[1];
    const line = at === undefined ? undefined : lineAt(text, Number(at));
    const place = line === undefined ? '' : `line ${line} `;
    throw new UsageError(`${name}: ${place}is not valid JSON (the lock file is damaged)`, { hint: RESTORE, cause });
  }
  if (!isObject(value)) throw notALock(name);
  return value;
}

function notALock(name: string): UsageError {
  return new UsageError(`${name} is not a lock file of \`qr apply\``, { hint: 'Specify a different file with --lock.' });
}

/** Markers that git leaves in a file that it could not merge. */
const MARKER = /^(?:<{7}|\|{7}|={7}|>{7})(?: |\r?$)/;

function conflicts(text: string): Fault[] {
  const lines = text.split('\n');
  return lines.flatMap((line, at) => {
    if (!MARKER.test(line)) return [];
    return [
      { line: at + 1, message: `is a git conflict marker (${line.slice(0, 7)}): resolve the merge and keep one line per key` },
    ];
  });
}

/** Before an entry's key; within a string its quotes would be escaped. */
const KEY = /[{,]\s*"key"\s*:/g;

/** The line of each entry. */
function linesOfKeys(text: string): number[] {
  let line = 1;
  let from = 0;
  return [...text.matchAll(KEY)].map(({ index, 0: found }) => {
    const at = index + found.length;
    line += countLines(text, from, at);
    from = at;
    return line;
  });
}

function lineAt(text: string, at: number): number {
  return 1 + countLines(text, 0, at);
}

function countLines(text: string, from: number, to: number): number {
  return text.slice(from, to).split('\n').length - 1;
}

function isEntry(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { key, id, destination, removed } = value;
  const isText = ['slug', 'name', 'type', 'status'].every((field) => typeof value[field] === 'string');
  const isPlace = destination === null || typeof destination === 'string';
  const isKnown = typeof key === 'string' && key.trim() !== '' && typeof id === 'string' && isUuid(id);
  return isText && isPlace && isKnown && [undefined, true, 'paused'].includes(removed as true);
}

/** Y4: no key has two codes, and no code two keys. A merge that kept both sides may have left a key and its code twice. */
function doubled(entries: readonly LockEntry[], lines: readonly number[]): Fault[] {
  const keys = new Map<string, { key: string; id: string; line: number }>();
  const ids = new Map<string, { key: string; line: number }>();
  return entries.flatMap(({ key, id }, at): Fault[] => {
    const line = lines[at] ?? 0;
    const sameKey = keys.get(foldKey(key));
    const sameId = ids.get(id.toLowerCase());
    if (sameKey?.key === key && sameKey.id === id) return [];
    keys.set(foldKey(key), { key, id, line });
    ids.set(id.toLowerCase(), { key, line });
    const faults: Fault[] = [];
    if (sameKey) {
      const message = `the key ${inQuotes(key)} has a different code on line ${sameKey.line}: keep the line with the correct code`;
      faults.push({ line, message });
    }
    if (sameId) {
      const message = `the code ${quote(id)} has a different key on line ${sameId.line}: keep the line with the correct key`;
      faults.push({ line, message });
    }
    return faults;
  });
}
