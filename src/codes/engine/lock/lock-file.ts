/** Parses and formats lock files. Each key has its own complete line, so that git can merge by line. */

import { UsageError } from '#base/errors';
import { ExcessiveJsonError, parseBounded } from '#base/text/bounded-json';
import { foldKey } from '#base/text/clean';
import { GIT_MARKER } from '#base/text/git-marker';
import { BrokenJsonError, elementsOf, type JsonElement } from '#base/text/json-elements';
import { inQuotes, quote } from '#base/text/quote';
import { letSignalsIn } from '#base/time/time';
import { type Fault, MOST_FAULTS, refuseFaults } from '#files/formats/read/input';
import { isUuid } from '#service/checks';
import { isObject } from '#service/json';
import type { QrCode } from '#service/shapes';
import { isRecordedWorkspace, type RecordedWorkspace } from '#service/workspace';

export interface LockEntry extends Pick<QrCode, 'id' | 'slug' | 'name' | 'type' | 'destination' | 'status'> {
  key: string;
  /** Set if a run reported the key missing. `paused`: qrctl paused its code. `kept`: it was reactivated. */
  removed?: true | 'paused' | 'kept';
  sent?: { name?: string; destination?: string };
}

export interface LockFile {
  workspace: RecordedWorkspace;
  entries: ReadonlyMap<string, LockEntry>;
}

const VERSION = 1;

/** E22: formats equal entries as equal bytes. A last element, `null`, lets every entry end in a comma. */
export function formatLock({ workspace: { baseUrl, key }, entries }: LockFile): string {
  const sorted = [...entries.values()].sort((one, other) => (one.key < other.key ? -1 : 1));
  const lines = sorted.map((entry) => `${JSON.stringify(inOrder(entry))},\n`);
  const head = { version: VERSION, base_url: baseUrl, workspace: key };
  const texts = Object.entries(head).map(([name, value]) => `"${name}": ${JSON.stringify(value)},\n`);
  return `{\n${texts.join('')}"codes": [\n${lines.join('')}null\n]}\n`;
}

export function inOrder({
  key,
  id,
  slug,
  name,
  type,
  destination,
  status,
  removed,
  sent,
}: LockEntry): LockEntry {
  return { key, id, slug, name, type, destination, status, removed, sent };
}

/** Parses the lock file `name`. Throws UsageError if it is invalid. */
export async function parseLock(given: string, name: string, signal?: AbortSignal): Promise<LockFile> {
  const text = given.replace(/^\ufeff/, '');
  const refuse = (faults: readonly Fault[]) => refuseFaults({ name }, faults, { start: RESTORE });
  try {
    const { workspace, codes } = readHead(text, name);
    const { entries, faults } = await readEntries(codes, signal);
    refuse(faults);
    return { workspace, entries };
  } catch (error) {
    if (!(error instanceof BrokenJsonError)) throw error;
    refuse([...conflicts(text)]);
    const joined = joinHeads(text);
    if (joined !== text) return parseLock(joined, name, signal);
    throw new UsageError(`${name}: line ${error.line} ${error.message} (the lock file is damaged)`, {
      hint: RESTORE,
      cause: error,
    });
  }
}

/** Removes the second header if git merged two lock files of one service by line. */
function joinHeads(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  const entries = lines.filter((line) => line.startsWith('{"key":'));
  const head = ['"version":', '"base_url":', '"workspace":'].flatMap(
    (name) => lines.find((line) => line.startsWith(name)) ?? [],
  );
  const urls = new Set(lines.filter((line) => line.startsWith('"base_url":')));
  if (head.length < 3 || urls.size !== 1 || lines.filter((line) => line.startsWith('"codes":')).length < 2)
    return text;
  return [
    '{',
    ...head,
    '"codes": [',
    ...entries.map((line) => (line.endsWith(',') ? line : `${line},`)),
    'null',
    ']}',
    '',
  ].join('\n');
}

const RESTORE = 'Restore the lock file from git. If it is lost, delete it and add --adopt-existing.';

const MOST_MEMBERS = 100;
const CODES = /^"codes"\s*:\s*(?=\[)/;

function readHead(text: string, name: string) {
  let codes: JsonElement | undefined;
  const members: [string, unknown][] = [];
  if (text.trim() === '') throw new UsageError(`${name} is not valid JSON: it is empty`, { hint: RESTORE });
  if (!/^\s*\{/.test(text) && conflicts(text).next().done) throw notALock(name);
  for (const member of elementsOf(text, '{')) {
    const found = CODES.exec(member.text)?.[0];
    if (found !== undefined) codes = { text: member.text.slice(found.length), line: member.line };
    else members.push(...Object.entries(Object(parseElement({ ...member, text: `{${member.text}}` }))));
    if (members.length > MOST_MEMBERS) throw notALock(name);
  }
  const { version, base_url, workspace: key } = Object.fromEntries(members);
  if (typeof version === 'number' && version > VERSION)
    throw new UsageError(`${name} was written by a newer version of qrctl`, {
      hint: 'Use the latest version of qrctl.',
    });
  const workspace = { baseUrl: base_url, key };
  if (version !== VERSION || !codes || !isRecordedWorkspace(workspace)) throw notALock(name);
  return { workspace: workspace as RecordedWorkspace, codes };
}

function notALock(name: string): UsageError {
  return new UsageError(`${name} is not a lock file of \`qr apply\``, {
    hint: 'Specify a different file with --lock.',
  });
}

const PARSED_AT_ONCE = 1000;

/** E22: parses the entries one by one until there are MOST_FAULTS faults. */
async function readEntries(codes: JsonElement, signal: AbortSignal | undefined) {
  const entries = new Map<string, LockEntry>();
  const faults: Fault[] = [];
  const findDouble = createDoubleFinder();
  let count = 0;
  for (const element of elementsOf(codes.text, '[', codes.line)) {
    if (++count % PARSED_AT_ONCE === 0) await letSignalsIn(signal);
    const { line } = element;
    const entry = parseElement(element);
    if (entry === null) continue;
    if (isEntry(entry)) {
      faults.push(...findDouble(entry, line));
      entries.set(entry.key, inOrder(entry));
    } else faults.push({ line, message: 'is not a complete entry (key, id, slug and values)' });
    if (faults.length >= MOST_FAULTS) break;
  }
  return { entries, faults };
}

function parseElement({ text, line }: JsonElement): unknown {
  try {
    return parseBounded(text);
  } catch (error) {
    throw new BrokenJsonError(
      error instanceof ExcessiveJsonError ? error.message : 'is not valid JSON',
      line,
    );
  }
}

/** Finds conflict markers without splitting the text, to save memory. */
function* conflicts(text: string): Generator<Fault> {
  let line = 1;
  let from = 0;
  let count = 0;
  for (const { 0: marker, index } of text.matchAll(new RegExp(GIT_MARKER, 'gm'))) {
    for (let end = text.indexOf('\n', from); end >= 0 && end < index; end = text.indexOf('\n', from)) {
      line += 1;
      from = end + 1;
    }
    const message = `is a git conflict marker (${marker}): resolve the merge and keep one line per key`;
    yield { line, message };
    if (++count >= MOST_FAULTS) return;
  }
}

function isEntry(value: unknown): value is LockEntry {
  if (!isObject(value)) return false;
  const { key, id, destination, removed, sent } = value;
  const isText = ['slug', 'name', 'type', 'status'].every((field) => typeof value[field] === 'string');
  const isPlace = destination === null || typeof destination === 'string';
  const isKnown = typeof key === 'string' && key.trim() !== '' && typeof id === 'string' && isUuid(id);
  const isSent =
    sent === undefined || (isObject(sent) && Object.values(sent).every((text) => typeof text === 'string'));
  return (
    isSent && isText && isPlace && isKnown && [undefined, true, 'paused', 'kept'].includes(removed as true)
  );
}

/** E22: returns a function that finds keys with two codes, and codes with two keys. */
function createDoubleFinder(): (entry: LockEntry, line: number) => Fault[] {
  const keys = new Map<string, { key: string; id: string; line: number }>();
  const ids = new Map<string, { key: string; line: number }>();
  return ({ key, id }, line) => {
    const sameKey = keys.get(foldKey(key));
    const sameId = ids.get(id.toLowerCase());
    if (sameKey?.key === key && sameKey.id === id) return [];
    keys.set(foldKey(key), { key, id, line });
    ids.set(id.toLowerCase(), { key, line });
    const fault = (what: string, other: string, first: { line: number } | undefined): Fault[] => {
      const message = `the ${what} has a different ${other} on line ${first?.line}: keep the line with the correct ${other}`;
      return first ? [{ line, message }] : [];
    };
    return [...fault(`key ${inQuotes(key)}`, 'code', sameKey), ...fault(`code ${quote(id)}`, 'key', sameId)];
  };
}
