/** Opens where a plan is printed, in any of its formats, before anything is sent. */
import { addFile } from '../../../base/run/run-summary.ts';
import type { Context } from '../../../context.ts';
import type { Column } from '../../../files/formats/columns.ts';
import { writeWholeFile } from '../../../files/formats/whole-file.ts';
import { loadColours } from '../../../terminal/colour.ts';
import { wrapWords } from '../../../terminal/wrap-words.ts';
import { openSink, planOutput, writeAll } from '../../output-options.ts';
import type { ApplyFlags } from './flags.ts';
import { formatBlocks } from './plan-blocks.ts';
import { countItems } from './plan-counts.ts';
import { formatMarkdown } from './plan-markdown.ts';
import { recordsOf, type ShownItem } from './plan-records.ts';

interface PlanPrinter {
  print(items: readonly ShownItem[], unmanaged: number): Promise<void>;
  discard(): Promise<void>;
}

/** Markdown has the counts and only the keys that change, and blocks take the place of a table, unless columns are chosen. */
export async function openPlanOutput(
  context: Context,
  flags: ApplyFlags,
  columns: readonly Column[],
  name: string,
): Promise<PlanPrinter> {
  const plan = await planOutput(context, flags, columns, 'list');
  if (plan.format === 'markdown' && !plan.chosen)
    return textPrinter(context, plan.path, (items, unmanaged) => formatMarkdown(items, { name, unmanaged }));
  if (plan.format !== 'table' || plan.chosen) {
    const sink = await openSink(context, plan);
    return {
      async print(items) {
        await writeAll(sink, [items.flatMap(recordsOf)]);
        if (plan.path !== undefined) addFile(context.facts, plan.path);
      },
      discard: sink.discard,
    };
  }
  const { console } = context;
  const isShown = console.isTerminal && plan.path === undefined;
  const colours = await loadColours(console.colour && plan.path === undefined);
  const width = isShown ? console.width : Number.POSITIVE_INFINITY;
  return textPrinter(context, plan.path, (items, unmanaged) => {
    const blocks = formatBlocks(items, { colours, width });
    return `${blocks}${blocks === '' ? '' : '\n'}${wrapWords(countItems(items, unmanaged), isShown ? width : undefined)}\n`;
  });
}

function textPrinter(
  { console, processes, facts }: Context,
  path: string | undefined,
  format: (items: readonly ShownItem[], unmanaged: number) => string,
): PlanPrinter {
  return {
    async print(items, unmanaged) {
      const text = format(items, unmanaged);
      if (path === undefined) return console.write(console.harmless(text));
      await writeWholeFile(path, text, { processes });
      addFile(facts, path);
    },
    discard: async () => undefined,
  };
}
