/** Writes a file of codes and its lock file from the existing codes (`qr apply --init`). */
import { UsageError } from '../../../base/errors.ts';
import { addFile } from '../../../base/run/run-summary.ts';
import { countOf } from '../../../base/text/quote.ts';
import { foldKey, type LockEntry } from '../../../codes/engine/lock/lock-file.ts';
import {
  checkLockPlace,
  lockPathOf,
  readLock,
  useLock,
  writeLock,
} from '../../../codes/engine/lock/lock-store.ts';
import { baseOf, formatBase } from '../../../codes/engine/plan/base.ts';
import { everyCode } from '../../../codes/listing/codes.ts';
import type { Context } from '../../../context.ts';
import { ifPresent } from '../../../files/durable/disk.ts';
import { acquireLock } from '../../../files/durable/lock.ts';
import { nodeDisk } from '../../../files/durable/node-disk.ts';
import { CODE_STATUSES, CODE_TYPES, type QrCode } from '../../../service/shapes.ts';
import { printRecords } from '../../output-options.ts';
import type { ApplyFlags } from './flags.ts';

/** Columns of the file that `--init` writes. */
export const COLUMNS = [
  { name: 'key' },
  { name: 'name' },
  { name: 'type', choices: CODE_TYPES },
  { name: 'destination' },
  { name: 'status', choices: CODE_STATUSES },
  { name: 'base' },
];

/** Costs the listing. Throws UsageError if one of the files exists, unless `--overwrite`. */
export async function initFile(context: Context, flags: ApplyFlags): Promise<void> {
  const { output, overwrite = false } = flags;
  if (output === undefined || output === '-') {
    throw new UsageError('--init requires --output FILE', { hint: 'Add -o codes.csv.' });
  }
  if (flags.fields !== undefined || flags.ids || flags.format === 'markdown' || /\.md$/i.test(output)) {
    throw new UsageError('--init writes a file with all columns', {
      hint: 'Omit --fields, --ids and --format markdown, and use the extension .csv.',
    });
  }
  const lockPath = flags.lock ?? lockPathOf(output);
  const { clock, signal, processes, console, files } = context;
  useLock(files, lockPath);
  await checkLockPlace(lockPath);
  const onWait = () => console.note(`Waiting for another run that is using ${lockPath}`);
  const held = await acquireLock(lockPath, { clock, signal, onWait });
  try {
    if (!overwrite) for (const path of [output, lockPath]) await refuseExisting(path);
    const service = await context.service();
    const codes = await everyCode(service, service.concurrency, 'round');
    const keyOf = createKeys(codes);
    const rows = codes.map((code) => ({ ...code, key: keyOf(code), base: formatBase(baseOf(code)) }));
    context.facts.codes = codes.length;
    await printRecords(context, rows, COLUMNS, {
      ...flags,
      format: flags.format as undefined,
      fields: COLUMNS.map(({ name }) => name),
    });
    const entries = rows.map(({ key, id, slug, name, type, destination, status }): [string, LockEntry] => {
      return [key, { key, id, slug, name, type, destination, status }];
    });
    const next = { workspace: await service.workspace.record(), entries: new Map(entries) };
    const before = overwrite ? undefined : await readLock(nodeDisk, lockPath, signal);
    await writeLock(lockPath, { next, before, disk: nodeDisk, processes });
    addFile(context.facts, lockPath);
    console.note(`Wrote ${countOf(codes.length, 'code')} to ${output} and the lock file to ${lockPath}`);
  } finally {
    await held.release();
  }
}

async function refuseExisting(path: string): Promise<void> {
  if ((await ifPresent(nodeDisk.stat(path)).catch(() => undefined)) === undefined) return;
  throw new UsageError(`cannot write ${path}: the file exists`, {
    hint: 'Specify a different file with --output, or add --overwrite to replace this file.',
  });
}

/** The slug of each code is its key; the id where slugs differ by case only, which nobody could tell apart. */
function createKeys(codes: readonly QrCode[]): (code: QrCode) => string {
  const counts = new Map<string, number>();
  for (const { slug } of codes) counts.set(foldKey(slug), (counts.get(foldKey(slug)) ?? 0) + 1);
  return ({ id, slug }) => (counts.get(foldKey(slug)) === 1 && slug.trim() !== '' ? slug : id);
}
