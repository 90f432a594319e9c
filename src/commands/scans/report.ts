import { join } from 'node:path';
import { UsageError } from '#base/errors';
import { addFile } from '#base/run/run-summary';
import { countOf, inQuotes, joinSome } from '#base/text/quote';
import { filterOptions } from '#commands/code-choice';
import {
  CODE_ARGUMENTS,
  choice,
  defineCommand,
  directory,
  inputFile,
  outputFile,
  parsed,
  rarely,
  text,
  texts,
  type Values,
} from '#commands/define';
import { FILES_JOINED } from '#commands/input-option';
import { RANGE_FORMS } from '#commands/range-options';
import { readLogo } from '#commands/read-given';
import type { Context } from '#context';
import { checkWholeFile, makeOutputDirectory, writeWholeFile } from '#files/formats/whole-file';
import type { ReportFigures } from '#scans/report/compose-report';
import { LANGUAGES } from '#scans/report/languages/plurals';
import { PAPERS } from '#scans/report/pdf/palette';
import { reportFigures } from '#scans/report/report-figures';
import { DIMENSIONS, type Dimension, groupOf } from '#scans/stats/dimensions';
import type { Counted } from '#scans/stats/figure';
import {
  type CountPlan,
  closingWords,
  countOptions,
  countScans,
  figuresInput,
  noteCount,
  planCount,
} from './count.ts';
import type { PartOfReport } from './split-report.ts';

const options = {
  ...countOptions,
  ...rarely({ top: countOptions.top }),
  ...rarely(filterOptions),
  language: choice('--language <language>', 'Language of the report (default: en)', LANGUAGES),
  title: text('--title <text>', 'Title of the report'),
  splitBy: text('--split-by <column>', 'Write a report per value of a --join column', {
    requires: ['--join', '--output-dir'],
  }),
  output: outputFile('-o, --output <file>', 'Write the report to FILE (.html or .pdf)', {
    conflicts: ['--output-dir'],
  }),
  ...rarely({
    outputDir: directory('--output-dir <dir>', 'Write the reports of --split-by to DIR', {
      requires: ['--split-by'],
    }),
    as: choice('--as <format>', 'Format of --split-by (default: html)', ['html', 'pdf'], {
      requires: ['--split-by'],
    }),
    addBy: {
      ...texts('--add-by <dimension>', 'Dimension to add to the usual ones'),
      choices: DIMENSIONS,
    },
    note: text('--note <text>', 'Text below the title; empty lines separate paragraphs'),
    footer: text('--footer <text>', 'Text at the end of the report'),
    accent: parsed('--accent <color>', 'Color of charts and marks, such as #0057b8', {
      parse: (raw) => (/^#[0-9a-f]{6}$/i.test(raw) ? raw.toLowerCase() : undefined),
      forms: 'a color such as #0057b8',
    }),
    logo: inputFile('--logo <file>', 'PNG or SVG logo above the title'),
    paper: choice('--paper <paper>', 'Paper size of a PDF report (default: a4)', PAPERS),
  }),
};

const DEFAULT_BY: readonly Dimension[] = [
  'day',
  'code',
  'country',
  'city',
  'device',
  'os',
  'browser',
  'weekday',
  'hour',
  'referrer',
];

const DEFAULT_TOP = 10;

const LOGO_PIXELS = 480;

export const command = defineCommand({
  description:
    'Writes a report of scans as one HTML page or a PDF.\n\n' +
    `${FILES_JOINED} ${RANGE_FORMS}\n\n` +
    'Both contain the same charts and figures. The page contains no scripts and loads nothing from the network. It works on phones, ' +
    'on A4 paper and with screen readers. The PDF has real text, bookmarks, and tags for screen readers.\n\n' +
    'The counts are verified as complete, like an export, or come from exported files. The same scans always produce the same ' +
    'file.',
  arguments: CODE_ARGUMENTS,
  options,
  examples: [
    [
      'qrctl scans report --all --during last-month -o october.html',
      "Report last month's scans of every code",
    ],
    [
      'qrctl scans report --all --during last-month --language de -o oktober.pdf',
      'Write the same report in German as a PDF',
    ],
    [
      'qrctl scans report --input scans.csv --title "Spring campaign" -o report.html',
      'Report on the scans in a file, without requests',
    ],
  ],
  async run(context, { args, options: flags }) {
    const path = flags.outputDir === undefined ? checkOutput(flags) : undefined;
    if (path === undefined && flags.paper !== undefined && flags.as !== 'pdf')
      throw new UsageError('--paper requires --as pdf', { hint: 'Add --as pdf, or omit --paper.' });
    if (path !== undefined && path !== '-') await checkWholeFile(path);
    const logo = flags.logo === undefined ? undefined : await loadLogo(context, flags.logo);
    const plan = { ...(await planCount(context, args, flags, DEFAULT_BY)), needsLabels: true };
    // Counts by day for the report, and on the service also by code, to find codes without scans.
    const needed = plan.logs ? [groupOf('day')] : [groupOf('day'), groupOf('code')];
    const groups = [
      ...plan.groups,
      ...needed.filter(({ by }) => !plan.groups.some((group) => group.by === by)),
    ];
    const parts = await partsOf(context, { ...plan, groups }, flags, path);
    const all: Counted[] = [];
    for (const part of parts) {
      const untilMs = plan.span.untilMs ?? all[0]?.span.untilMs;
      const counted = await countScans(context, { ...part.plan, span: { ...plan.span, untilMs } });
      const [failure] = counted.failures;
      if (failure) throw failure.error;
      all.push(counted);
    }
    const [first, ...others] = all;
    if (!first) return;
    noteCount(context, plan, first);
    for (const [at, part] of parts.entries()) {
      const counted = all[at] ?? first;
      const ofPart = { ...part.plan, groups: plan.sections };
      const figures = {
        ...reportFigures(ofPart, counted, figuresInput(ofPart, counted, flags.top ?? DEFAULT_TOP)),
        title: flags.title ?? part.value,
        note: flags.note,
        footer: flags.footer,
        accent: flags.accent,
        logo,
      };
      const rendered = await render(context, figures, flags, part.path);
      if (part.path === '-') await context.console.write(rendered);
      else {
        await writeWholeFile(part.path, rendered, { processes: context.processes });
        addFile(context.facts, part.path);
      }
    }
    const zone = path === undefined ? undefined : plan.local.zone;
    context.console.note(await closingWords(context, plan, [first, ...others], zone, placeOf(parts, flags)));
  },
});

function placeOf(parts: readonly unknown[], { outputDir, output }: ReportFlags): string | undefined {
  if (outputDir !== undefined) return `${countOf(parts.length, 'report')}: ${outputDir}`;
  return output === '-' ? undefined : `Report: ${output}`;
}

async function partsOf(
  context: Context,
  plan: CountPlan,
  { outputDir, as = 'html' }: ReportFlags,
  path = '',
): Promise<(PartOfReport & { path: string })[]> {
  if (outputDir === undefined || plan.splitBy === undefined) return [{ plan, value: undefined, path }];
  const { namesOfFiles, splitReport } = await import('./split-report.ts');
  const parts = await splitReport(context, plan, plan.splitBy);
  const names = namesOfFiles(parts.map(({ value = '' }) => value));
  const paths = names.map((name) => join(outputDir, `${name}.${as}`));
  context.files.use(...paths.map((each) => ({ flag: '--output-dir', path: each, writes: true })));
  await makeOutputDirectory(outputDir);
  for (const each of paths) await checkWholeFile(each);
  return parts.map((part, at) => ({ ...part, path: paths[at] ?? '' }));
}

type ReportFlags = Values<typeof options>;

const isPdf = (path: string) => /\.pdf$/i.test(path);

function checkOutput({ output: path, paper }: ReportFlags): string {
  if (path === undefined)
    throw new UsageError('missing --output', { hint: 'Add -o report.html or -o report.pdf.' });
  if (isPdf(path)) return path;
  if (path !== '-' && !/\.html?$/i.test(path))
    throw new UsageError(`--output must end in .html or .pdf: ${path}`, {
      hint: 'Use a name such as report.html, or use `qrctl scans stats` for data.',
    });
  if (paper !== undefined)
    throw new UsageError('--paper requires an --output that ends in .pdf', {
      hint: 'Omit --paper, or use a name such as report.pdf.',
    });
  return path;
}

async function render(
  { console }: Context,
  figures: ReportFigures,
  { language = 'en', paper = 'a4' }: ReportFlags,
  path: string,
): Promise<string | Buffer> {
  const [{ composeReport }, { loadLanguage }] = await Promise.all([
    import('#scans/report/compose-report'),
    import('#scans/report/languages/load-language'),
  ]);
  const report = composeReport(figures, await loadLanguage(language));
  if (!isPdf(path)) return (await import('#scans/report/html/render-html')).renderHtml(report);
  const { renderPdf } = await import('#scans/report/pdf/render-pdf');
  const { bytes, lossy } = await renderPdf(report, paper);
  const kindOf = (text: string) => (report.note.includes(text) ? 'note' : 'name');
  const named = lossy.map(
    (text) => `the ${text === report.title ? 'title' : kindOf(text)} ${inQuotes(text)}`,
  );
  if (lossy.length > 0)
    console.note(
      `Omitted characters that the PDF fonts lack from ${joinSome(named, { most: 5, separator: ', ' })}`,
    );
  return bytes;
}

async function loadLogo(context: Context, path: string) {
  const [{ drawLogo }, { formatRendering }] = await Promise.all([
    import('#codes/images/load-logo'),
    import('#codes/images/write-png'),
  ]);
  const drawn = await readLogo(context, path, (bytes, signal) => drawLogo(bytes, LOGO_PIXELS, signal));
  return { png: formatRendering(drawn), width: drawn.width, height: drawn.height };
}
