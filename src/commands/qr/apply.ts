import { existsSync } from 'node:fs';
import { countBy } from '#base/collections';
import { UsageError } from '#base/errors';
import { formatClosing } from '#base/run/closing-line';
import { addFile } from '#base/run/run-summary';
import { foldKey } from '#base/text/clean';
import { countOf, formatCount } from '#base/text/quote';
import type { RunEnd } from '#codes/engine/executor/job';
import type { LockFile } from '#codes/engine/lock/lock-file';
import {
  checkLockPlace,
  entriesOf,
  lockPathOf,
  OTHER_LOCK,
  readLock,
  replaceLock,
  useLock,
  writeLock,
} from '#codes/engine/lock/lock-store';
import { baseOf, formatBase } from '#codes/engine/plan/base';
import { judgeNew } from '#codes/engine/plan/judge';
import { everyCode } from '#codes/listing/codes';
import {
  choice,
  defineCommand,
  flag,
  forceOption,
  inGroup,
  outputFile,
  text,
  type Values,
} from '#commands/define';
import { openOutput, outputOptions, refuseExisting } from '#commands/output-options';
import type { Context } from '#context';
import { acquireLock } from '#files/durable/lock';
import { refuseFaults } from '#files/formats/read/input';
import { CODE_STATUSES, type QrCode } from '#service/shapes';
import { checkWorkspace, type RecordedWorkspace } from '#service/workspace';
import { TEMPLATE_COLUMNS } from './code-columns.ts';
import { APPLIED_COLUMNS, PLAN_OUTPUT } from './plan/plan-records.ts';
import { endedRun, openPlanOutput, type PlanPrinter, plannedRun } from './plan/print-plan.ts';
import { BrakeError, carryOut, previewRows, type RowsFile, type RowsVerb } from './rows/carry-out.ts';
import { noteOldJournal } from './rows/earlier-results.ts';
import { changeOptions, decisionOptions, policyOf, ROWS_GROUP, rowsOptions } from './rows/flags.ts';
import { noteWarnings } from './rows/notes.ts';
import { finishRun, readRowsFile } from './rows/run-file.ts';

const options = {
  ...rowsOptions,
  exitCode: { ...rowsOptions.exitCode, rare: undefined },
  offline: { ...rowsOptions.offline, rare: undefined },
  ...inGroup(ROWS_GROUP, {
    key: text('--key <column>', 'Column that contains the keys (default: key)'),
    lock: outputFile('--lock <file>', 'Lock file (default: NAME.lock.json)'),
    init: flag('--init', 'Write existing codes to -o FILE, and a lock file', {
      conflicts: ['--from', '--dry-run', '--offline', '--fields', '--ids'],
    }),
    ...decisionOptions,
    adoptExisting: flag('--adopt-existing', 'Assign existing codes with the values of a row', {
      risky: true,
    }),
    removed: choice('--removed <action>', 'Action for codes whose key was removed (default: report)', [
      'report',
      'pause',
    ]),
    ...changeOptions,
    conflicts: { ...changeOptions.conflicts, description: 'Side that wins (default: file)' },
    force: forceOption,
  }),
  ...outputOptions,
};

type ApplyFlags = Values<typeof options>;

const INIT_COLUMNS = [...TEMPLATE_COLUMNS, { name: 'status', choices: CODE_STATUSES }, { name: 'base' }];

export const command = defineCommand({
  description:
    'Creates and changes codes until they match a file.\n\n' +
    'Each row has a key that never changes. The lock file next to the file records the code of each key: keep both in git. An empty ' +
    'cell leaves a field as it is. Nothing is deleted.\n\n' +
    'A plan that changes or removes more keys than --max-changes is refused (exit 9). If a key may be one of several codes, or its ' +
    'code was deleted, decide with --adopt, --adopt-existing or --as-new.',
  options,
  columns: [{ columns: APPLIED_COLUMNS }, ...PLAN_OUTPUT, { when: '--init', columns: INIT_COLUMNS }],
  examples: [
    ['qrctl qr apply --init -o codes.csv', 'Write a file and a lock file of the existing codes'],
    ['qrctl qr apply --from codes.csv --dry-run', 'Show the codes to create and change'],
    ['qrctl qr apply --from codes.csv', 'Create and change codes, and update codes.lock.json'],
    ['qrctl qr apply --from codes.csv --dry-run --format markdown', 'Print the plan for a pull request'],
  ],
  async run(context, { options }) {
    if (options.init) return initFile(context, options);
    if (options.from === undefined) {
      throw new UsageError('missing --from', {
        hint: 'Add --from FILE, or write a first file with --init -o codes.csv.',
      });
    }
    await applyFile(context, options.from, options);
  },
});

const NO_ENTRIES: LockFile['entries'] = new Map();

async function applyFile(context: Context, from: string, flags: ApplyFlags): Promise<void> {
  const { adoptExisting = false, removed = 'report', key: keyColumn } = flags;
  const policy = policyOf('apply', flags, { adoptExisting, removed });
  const verb: RowsVerb = { policy, done: 'applied', keyColumn };
  const lockPath = placeOfLock(context, from, flags);
  const file = await readRowsFile(context, from, flags, verb);
  context.facts.rows = file.checked.rows.length;
  if (flags.offline) return checkFile(context, file, lockPath, flags);
  if (flags.dryRun) {
    const lock = await readLock(lockPath, context.signal);
    if (lock) await workspaceOf(context, lock, lockPath);
    return previewRows(context, { file, flags, verb, lock: lock?.entries ?? NO_ENTRIES });
  }
  await checkLockPlace(lockPath);
  noteOldJournal(context, lockPath);
  noteWarnings(context, file.input, file.checked.warnings);
  const printer = await openPlanOutput(context, flags, true);
  try {
    const held = await holdLock(context, lockPath, Infinity);
    await apply(context, lockPath, { file, flags, verb }, printer).finally(() => held.release());
  } finally {
    await printer.discard?.();
  }
}

async function apply(
  context: Context,
  lockPath: string,
  { file, flags, verb }: { file: RowsFile; flags: ApplyFlags; verb: RowsVerb },
  printer: PlanPrinter,
): Promise<void> {
  const { input } = file;
  let before = await readLock(lockPath, context.signal);
  const workspace = await workspaceOf(context, before, lockPath);
  const lock = before?.entries ?? NO_ENTRIES;
  const write = async (ends: RunEnd['ends']) => {
    const next = { workspace, entries: entriesOf(ends, lock) };
    await writeLock(lockPath, next, before, context.processes);
    before = next;
  };
  const job = { file, flags, verb, lock, beforeEnd: write };
  const end = await carryOut(context, job).catch(async (error) => {
    if (error instanceof BrakeError)
      await printer.print(plannedRun(error.plan, { name: input.name, verb: 'apply' }));
    throw error;
  });
  await write(end.ends);
  const isWritten = existsSync(lockPath);
  if (isWritten) addFile(context.facts, lockPath);
  const place = isWritten ? `Lock file: ${lockPath}` : undefined;
  const finish = { verb: 'apply' as const, thing: 'key', place, isResumable: true };
  await finishRun(context, file, end, finish, (failure) =>
    printer.print(endedRun(end.plan, end.ends, { name: input.name, verb: 'apply', failure })),
  );
}

function holdLock({ clock, signal, console }: Context, path: string, waitMs?: number) {
  const onWait = () => console.note(`Waiting for another run that is using ${path}`);
  return acquireLock(path, { clock, signal, onWait, waitMs });
}

function placeOfLock({ files }: Context, from: string, { lock }: ApplyFlags): string {
  const path = lock ?? (from === '-' ? undefined : lockPathOf(from));
  if (path === undefined)
    throw new UsageError('--from - requires --lock', {
      hint: 'Add --lock FILE, or save the rows in a file.',
    });
  useLock(files, path);
  return path;
}

/**
 * Returns the workspace to record in the lock file. Throws UsageError for another workspace. If the file has
 * codes and a key, keeps the recorded key, because users with different keys share the file.
 */
async function workspaceOf(
  context: Context,
  before: LockFile | undefined,
  path: string,
): Promise<RecordedWorkspace> {
  const { workspace, getCode } = await context.service();
  if (!before) return workspace.record();
  const knownIds = [...before.entries.values()].map(({ id }) => id);
  const { workspace: recorded } = before;
  const elsewhere = OTHER_LOCK;
  const answer = await checkWorkspace({ path, recorded, workspace, knownIds, getCode, elsewhere });
  return answer === 'same' || (recorded.key !== undefined && knownIds.length > 0)
    ? recorded
    : workspace.record();
}

async function checkFile(
  context: Context,
  { input, checked }: RowsFile,
  lockPath: string,
  flags: ApplyFlags,
): Promise<void> {
  const entries = (await readLock(lockPath, context.signal))?.entries ?? NO_ENTRIES;
  const { rows } = checked;
  const fresh = rows.filter(({ key = '' }) => !entries.has(key));
  const judged = fresh
    .filter(({ id, slug }) => id === undefined && slug === undefined)
    .map((row) => judgeNew(row, flags.force ?? false));
  const warnings = [...checked.warnings, ...judged.flatMap((one) => one.warnings)];
  const faults = judged.flatMap((one) => one.faults);
  refuseFaults(input, flags.strict ? [...faults, ...warnings] : faults);
  noteWarnings(context, input, warnings);
  const keys = new Set(rows.map(({ key }) => key));
  const counts = [
    `Checked ${countOf(rows.length, 'row')}`,
    `${formatCount(rows.length - fresh.length)} in the lock file`,
    `${formatCount(fresh.length)} new`,
    `${formatCount([...entries.keys()].filter((key) => !keys.has(key)).length)} removed`,
  ];
  const done = `${counts.join(', ')}, no faults`;
  context.console.note(formatClosing(done, ['0 requests'], `File: ${input.name}`));
}

async function initFile(context: Context, flags: ApplyFlags): Promise<void> {
  const { output, overwrite = false } = flags;
  if (output === undefined || output === '-') {
    throw new UsageError('--init requires --output FILE', { hint: 'Add -o codes.csv.' });
  }
  if (flags.format === 'markdown' || /\.md$/i.test(output)) {
    const name = 'Use a name that ends in .csv with --output.';
    throw new UsageError('--init writes a file for use with --from, which does not read Markdown', {
      hint: flags.format === 'markdown' ? 'Omit --format markdown.' : name,
    });
  }
  const lockPath = flags.lock ?? lockPathOf(output);
  const { processes, console, files } = context;
  useLock(files, lockPath);
  await checkLockPlace(lockPath);
  const held = await holdLock(context, lockPath);
  try {
    if (!overwrite) for (const path of [output, lockPath]) refuseExisting(path);
    const list = await openOutput(
      context,
      { ...flags, format: flags.format as undefined, fields: INIT_COLUMNS.map(({ name }) => name) },
      INIT_COLUMNS,
    );
    const service = await context.service();
    const codes = await everyCode(service, 'round');
    const keyOf = createKeys(codes);
    const rows = codes.map((code) => ({ ...code, key: keyOf(code), base: formatBase(baseOf(code)) }));
    context.facts.codes = codes.length;
    await list.print(rows);
    const entries = new Map(rows.map((row) => [row.key, row]));
    const next = { workspace: await service.workspace.record(), entries };
    await replaceLock(lockPath, next, processes);
    addFile(context.facts, lockPath);
    const cost = [countOf(service.stats().requests, 'request')];
    const place = `File: ${output}, lock file: ${lockPath}`;
    console.note(formatClosing(`Wrote ${countOf(codes.length, 'code')}`, cost, place));
  } finally {
    await held.release();
  }
}

function createKeys(codes: readonly QrCode[]): (code: QrCode) => string {
  const counts = countBy(codes, ({ slug }) => foldKey(slug));
  return ({ id, slug }) => (counts.get(foldKey(slug)) === 1 && slug.trim() !== '' ? slug : id);
}
