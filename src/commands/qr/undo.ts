import { Failure, UsageError } from '#base/errors';
import { countOf, inQuotes } from '#base/text/quote';
import { readLedger } from '#codes/engine/ledger/open-ledger';
import {
  CREATE_AGAIN,
  chooseRun,
  createRunReader,
  planUndo,
  type RunChanges,
  undoRows,
} from '#codes/engine/plan/undo';
import { isDone } from '#codes/input/outcomes';
import { defineCommand, flag, outputFile, rarely, type Values } from '#commands/define';
import { openOutput, outputOptions } from '#commands/output-options';
import type { Context } from '#context';
import type { Source } from '#files/formats/read/input';
import { NAMED_COLUMNS } from './code-columns.ts';
import { PLAN_OUTPUT } from './plan/plan-records.ts';
import { carryOut, ledgerPlace, previewRows, type RowsVerb } from './rows/carry-out.ts';
import { policyOf } from './rows/flags.ts';
import { noteSummary } from './rows/notes.ts';
import { finishNamed, printNamed } from './rows/run-named.ts';

const options = {
  dryRun: flag('--dry-run', 'Preview the run without making changes'),
  ...rarely({
    exitCode: flag('--exit-code', 'Exit with code 8 for changes', { requires: ['--dry-run'] }),
  }),
  ledger: outputFile('--ledger <file>', 'Ledger of the run (default: in the state directory)'),
  ...outputOptions,
};

type UndoFlags = Values<typeof options>;

export const command = defineCommand({
  description:
    'Undoes a run over a file (--from): RUN, or the last one that changed codes of this workspace.\n\n' +
    'A change by `qr update CODE` is not recorded: set the old value yourself. A field is put back only if it still has the value that ' +
    'the run set; later edits are kept and shown. A code that the run created is paused, never deleted. A code that the run deleted stays ' +
    'deleted.',
  arguments: [{ term: '[run]', description: 'ID of the run, as `qrctl qr undo --dry-run` shows it' }],
  options,
  columns: [{ columns: NAMED_COLUMNS }, ...PLAN_OUTPUT],
  examples: [
    ['qrctl qr undo --dry-run', 'Show the fields that would change back'],
    ['qrctl qr undo', 'Undo the last run of create, update or apply with a file'],
  ],
  async run(context, { args: [name], options }) {
    const output = options.dryRun ? undefined : await openOutput(context, options, NAMED_COLUMNS);
    const run = await findRun(context, name, options);
    const file = { input: SOURCE, checked: { rows: undoRows(run), warnings: [] } };
    const job = { file, flags: options, verb: verbOf(run, options) };
    if (!output) return previewRows(context, job);
    const end = await carryOut(context, job);
    const ends = end.ends.map((one) => [one.code?.slug ?? one.item.row?.id ?? '', one] as const);
    const named = finishNamed(context, end, ends);
    const isGone = end.ends.every((one) => one.outcome === 'gone' || isDone(one));
    if (named.failure instanceof Failure)
      named.failure.hint = isGone
        ? CREATE_AGAIN
        : `See the output for the reasons. To try again, run \`qrctl qr undo ${run.run}\`.`;
    const isChanged = end.ends.some(({ outcome }) => outcome === 'updated');
    const again = isChanged ? ` (to undo this: \`qrctl qr undo ${end.run}\`)` : '';
    const place = named.failure === undefined ? `Run ${run.run} is undone${again}` : undefined;
    await noteSummary(context, end.ends, { warnings: 0, place, thing: 'code' });
    await printNamed(output, named);
  },
});

const SOURCE: Source = { name: 'the run' };

function verbOf(run: RunChanges, flags: UndoFlags): RowsVerb {
  return {
    policy: policyOf('update', flags, { force: true, maxChanges: { percent: 100 } }),
    done: 'put back',
    undoes: run.run,
    plan: (input) => planUndo(input, run),
  };
}

const MOST_LISTED = 5;

async function findRun(context: Context, name: string | undefined, flags: UndoFlags): Promise<RunChanges> {
  const reader = createRunReader();
  await readLedger(await ledgerPlace(context, flags), reader.take);
  const runs = reader.finish();
  const run = chooseRun(runs, name);
  if (run) {
    context.console.note(`${name === undefined ? 'Last run with changes: ' : 'Run '}${describeRun(run)}`);
    return run;
  }
  const known = runs.slice(-MOST_LISTED).reverse();
  const last = runs.at(-1);
  const undone = last?.isDone ? last.undoes : undefined;
  const none =
    undone === undefined
      ? 'no run of this workspace can be undone'
      : `the last run has undone ${undone} already`;
  throw new UsageError(name === undefined ? none : `the ledger has no run ${inQuotes(name)} with changes`, {
    hint:
      known.length > 0
        ? `To undo another run, pass its ID. The last runs, newest first: ${known.map(describeRun).join('; ')}.`
        : 'The ledger has only the runs over files (--from) of this machine. If one used --ledger, pass the same file.',
  });
}

function describeRun({ run, undoes, codes }: RunChanges): string {
  const count = (wanted: string) => [...codes.values()].filter(({ is }) => is === wanted).length;
  const parts = ['created', 'changed', 'deleted'].flatMap((what) =>
    count(what) > 0 ? `${countOf(count(what), 'code')} ${what}` : [],
  );
  const what = undoes === undefined ? '' : `undo of ${undoes}, `;
  return `${run}: ${what}${parts.join(', ')}`;
}
