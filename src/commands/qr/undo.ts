/** `qr undo`: puts back the changes of a run over a file, except for later edits. */
import { UsageError } from '../../base/errors.ts';
import { countOf, inQuotes } from '../../base/text/quote.ts';
import { readLedger } from '../../codes/engine/ledger/open-ledger.ts';
import {
  chooseRun,
  createRunReader,
  planUndo,
  type RunChanges,
  undoRows,
} from '../../codes/engine/plan/undo.ts';
import { reasonOf } from '../../codes/engine/results/explain.ts';
import { failureOfRun } from '../../codes/engine/results/run-failure.ts';
import type { Context } from '../../context.ts';
import type { Source } from '../../files/formats/read/input.ts';
import { defineCommand, flag, rarely, text, type Values } from '../define.ts';
import { openOutput, outputOptions } from '../output-options.ts';
import { NAMED_COLUMNS } from './code-columns.ts';
import { PLAN_COLUMNS } from './plan/plan-records.ts';
import { carryOut, ledgerPlace, previewRows } from './rows/carry-out.ts';
import { policyOf } from './rows/flags.ts';
import { noteStop, noteSummary } from './rows/notes.ts';

import type { RowsVerb } from './rows/verb.ts';

const options = {
  dryRun: flag('--dry-run', 'Preview the run without making changes'),
  ...rarely({
    exitCode: flag('--exit-code', 'Exit with code 8 for changes', { requires: ['--dry-run'] }),
  }),
  ledger: text('--ledger <file>', 'Ledger of the run (default: in the state directory)', {
    complete: 'files',
    writes: true,
  }),
  ...outputOptions,
};

export const command = defineCommand({
  description:
    'Undoes the changes of a run over a file: of RUN, or of the last one in this workspace.\n\n' +
    'A field is put back only if it still has the value that the run set; later edits are kept and shown. A code that the run created is ' +
    'paused, never deleted. Deleted codes stay deleted.',
  arguments: [{ term: '[run]', description: 'ID of the run, as `qrctl qr undo --dry-run` shows it' }],
  options,
  columns: async () => [{ columns: NAMED_COLUMNS }, { when: '--dry-run', columns: PLAN_COLUMNS }],
  examples: [
    ['qrctl qr undo --dry-run', 'Show the fields that would change back'],
    ['qrctl qr undo', 'Undo the last bulk create, update, apply or delete'],
  ],
  async run(context, { args: [name], options }) {
    const output = options.dryRun ? undefined : await openOutput(context, options, NAMED_COLUMNS);
    const run = await findRun(context, name, options);
    const file = { input: SOURCE, checked: { rows: undoRows(run), warnings: [] } };
    if (!output) return previewRows(context, file, options, verbOf(run, options));
    const end = await carryOut(context, file, options, verbOf(run, options));
    const { ends } = end;
    noteStop(context, end, false, 'code');
    const failure = failureOfRun(ends, {
      verb: 'update',
      file: SOURCE,
      stop: end.stop,
      resultsPath: undefined,
      isUnproven: end.isUnproven,
    });
    const records = ends.map((each) => {
      const { id, slug = null } = each.code ?? each.item.row ?? {};
      return { code: slug ?? id, id, slug, outcome: each.outcome, error: reasonOf(each) ?? null };
    });
    await output.print(records, { thing: 'code' });
    await noteSummary(context, ends, { warnings: 0, place: `Run ${run.run} is undone`, thing: 'code' });
    if (failure !== undefined) throw failure;
  },
});

const SOURCE: Source = { name: 'the run' };

function verbOf(run: RunChanges, flags: Values<typeof options>): RowsVerb {
  return {
    policy: policyOf('update', flags, { force: true, maxChanges: { percent: 100 } }),
    done: 'put back',
    undoes: run.run,
    byCode: {
      faults: () => [],
      plan: (input) => planUndo(input, run),
      itemsByRow: (items) => items,
      endsByRow: (ends) => ends,
      isNews: () => true,
      columns: PLAN_COLUMNS,
    },
  };
}

/** Number of runs that an error lists. */
const MOST_LISTED = 5;

/** Finds a run in the ledger. Throws UsageError if there is none. */
async function findRun(
  context: Context,
  name: string | undefined,
  flags: Pick<Values<typeof options>, 'ledger'>,
): Promise<RunChanges> {
  const reader = createRunReader();
  await readLedger(await ledgerPlace(context, flags), reader.take);
  const runs = reader.runs();
  const run = chooseRun(runs, name);
  if (run) {
    context.console.note(`Run ${describeRun(run)}`);
    return run;
  }
  const known = runs.slice(-MOST_LISTED).reverse().map(describeRun);
  throw new UsageError(
    name === undefined
      ? 'no run of this workspace is left to undo'
      : `the ledger has no run ${inQuotes(name)} with changes`,
    {
      hint:
        known.length > 0
          ? `The last runs, newest first: ${known.join('; ')}.`
          : 'The ledger of this machine has only runs over files. If one used --ledger, pass the same file.',
    },
  );
}

function describeRun({ run, codes }: RunChanges): string {
  const count = (wanted: string) => [...codes.values()].filter(({ is }) => is === wanted).length;
  const parts = ['created', 'changed', 'deleted'].flatMap((what) =>
    count(what) > 0 ? `${countOf(count(what), 'code')} ${what}` : [],
  );
  return `${run}: ${parts.join(', ')}`;
}
