/** `scans report` from checked flags to a page or a PDF. */
import { UsageError } from '../../../base/errors.ts';
import { addFile } from '../../../base/run/run-summary.ts';
import { inQuotes, joinSome } from '../../../base/text/quote.ts';
import type { Context } from '../../../context.ts';
import { checkWholeFile, writeWholeFile } from '../../../files/formats/whole-file.ts';
import { composeReport } from '../../../scans/report/compose-report.ts';
import type { ReportDocument, ReportLogo } from '../../../scans/report/document.ts';
import { renderHtml } from '../../../scans/report/html/render-html.ts';
import { loadLanguage } from '../../../scans/report/languages/load-language.ts';
import type { Paper } from '../../../scans/report/pdf/palette.ts';
import { type Dimension, groupOf } from '../../../scans/stats/dimensions.ts';
import { readLogo } from '../../read-given.ts';
import { closingWords, countScans } from '../counting/count-scans.ts';
import { planCount } from '../counting/plan-count.ts';
import type { ReportFlags } from './flags.ts';
import { reportFigures } from './report-figures.ts';

const BY: readonly Dimension[] = [
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

/** Counts, and writes the report; the file is replaced atomically, only after every code is counted. Throws as listed in errors.ts. */
export async function runReport(
  context: Context,
  names: readonly string[],
  flags: ReportFlags,
): Promise<void> {
  const output = reportOutput(flags);
  if (output.path !== '-') await checkWholeFile(output.path);
  // Before anything is counted: a wrong file costs no request.
  const logo = flags.logo === undefined ? undefined : await logoOf(context, flags.logo);
  const plan = { ...(await planCount(context, names, flags, BY)), needsLabels: true };
  // Codes without scans are named, whatever the report is by. Files don't list codes.
  const groups = plan.logs
    ? plan.groups
    : [...plan.groups.filter(({ kind }) => kind !== 'code'), groupOf('code')];
  const counted = await countScans(context, { ...plan, groups });
  const [failure] = counted.failures;
  if (failure) throw failure.error;
  const { sinceMs } = plan.span;
  if (sinceMs !== undefined && sinceMs >= counted.nowMs)
    context.console.warn('the period of the report is in the future');
  const { title, note, language = 'en' } = flags;
  const figures = { ...reportFigures(plan, counted), title, note, logo };
  const report = composeReport(figures, await loadLanguage(language));
  const { path } = output;
  const rendered =
    output.format === 'pdf' ? await renderPages(context, report, output.paper) : renderHtml(report);
  if (path === '-') await context.console.write(rendered);
  else {
    await writeWholeFile(path, rendered, { processes: context.processes });
    addFile(context.facts, path);
  }
  context.console.note(
    `${await closingWords(context, counted, plan.local.zone)}: ${path === '-' ? 'standard output' : path}`,
  );
}

type ReportOutput = { path: string; format: 'html' } | { path: string; format: 'pdf'; paper: Paper };

/** Returns the output that the flags specify; the extension of the path is its format. Throws UsageError for any other. */
function reportOutput({ output: path, paper }: Pick<ReportFlags, 'output' | 'paper'>): ReportOutput {
  if (path === undefined)
    throw new UsageError('missing --output', { hint: 'Add -o report.html or -o report.pdf.' });
  if (/\.pdf$/i.test(path)) return { path, format: 'pdf', paper: paper ?? 'a4' };
  if (path !== '-' && !/\.html?$/i.test(path)) {
    throw new UsageError(`--output must end in .html or .pdf: ${path}`, {
      hint: 'Use a name such as report.html, or use `qrctl scans stats` for data.',
    });
  }
  if (paper !== undefined) {
    throw new UsageError('--paper requires an --output that ends in .pdf', {
      hint: 'Omit --paper, or use a name such as report.pdf.',
    });
  }
  return { path, format: 'html' };
}

async function renderPages(context: Context, report: ReportDocument, paper: Paper): Promise<Buffer> {
  const { renderPdf } = await import('../../../scans/report/pdf/render-pdf.ts');
  const { bytes, lossy } = await renderPdf(report, paper);
  if (lossy.length > 0) {
    const named = lossy.map((text) => `the ${kindOf(text, report)} ${inQuotes(text)}`);
    context.console.note(
      `Omitted characters that the PDF fonts lack from ${joinSome(named, { most: 5, separator: ', ' })}`,
    );
  }
  return bytes;
}

function kindOf(text: string, { title, note }: ReportDocument): string {
  return text === title ? 'title' : note.includes(text) ? 'note' : 'name';
}

/** Pixels of the longer side: twice the size on paper or on a screen. */
const LOGO_PIXELS = 480;

async function logoOf(context: Context, path: string): Promise<Omit<ReportLogo, 'alt'>> {
  const [{ drawLogo }, { formatRendering }] = await Promise.all([
    import('../../../codes/images/load-logo.ts'),
    import('../../../codes/images/write-png.ts'),
  ]);
  const drawn = await readLogo(context, path, (bytes, signal) => drawLogo(bytes, LOGO_PIXELS, signal));
  return { png: formatRendering(drawn), width: drawn.width, height: drawn.height };
}
