/** `scans report` from checked flags to a page. */
import type { Context } from '../../../context.ts';
import { UsageError } from '../../../errors.ts';
import { composeReport } from '../../../report/compose-report.ts';
import type { ReportLogo } from '../../../report/document.ts';
import { renderHtml } from '../../../report/html/render-html.ts';
import { loadLanguage } from '../../../report/languages/load-language.ts';
import { writeWholeFile } from '../../../rows/whole-file.ts';
import { addFile } from '../../../run/run-summary.ts';
import type { Dimension } from '../../../stats/dimensions.ts';
import { readLogo } from '../../read-logo.ts';
import { closingWords } from '../counting/closing-line.ts';
import { countScans } from '../counting/count-scans.ts';
import { planCount } from '../counting/plan-count.ts';
import type { ReportFlags } from './flags.ts';
import { reportFigures } from './report-figures.ts';

const BY: readonly Dimension[] = ['day', 'code', 'country', 'city', 'device', 'os', 'browser', 'weekday', 'hour', 'referrer'];

/** Counts, and writes the page; the file is replaced atomically, only after every code is counted. Throws as listed in errors.ts. */
export async function runReport(context: Context, names: readonly string[], flags: ReportFlags): Promise<void> {
  const path = flags.output;
  if (path === undefined) throw new UsageError('missing --output', { hint: 'Add -o report.html.' });
  if (path !== '-' && !/\.html?$/i.test(path)) {
    throw new UsageError(`--output must end in .html: ${path}`, {
      hint: 'Use a name such as report.html, or use `qrctl scans stats` for data.',
    });
  }
  // Before anything is counted: a wrong file costs no request.
  const logo = flags.logo === undefined ? undefined : await logoOf(context, flags.logo);
  const plan = await planCount(context, names, flags, BY);
  const counted = await countScans(context, plan);
  const [failure] = counted.failures;
  if (failure) throw failure.error;
  const { title, note, language = 'en' } = flags;
  const figures = { ...reportFigures(plan, counted), title, note, logo };
  const page = renderHtml(composeReport(figures, await loadLanguage(language)));
  if (path === '-') await context.console.write(page);
  else {
    await writeWholeFile(path, page, { processes: context.processes });
    addFile(context.facts, path);
  }
  context.console.note(`${await closingWords(context, counted, plan.local.zone)}: ${path === '-' ? 'standard output' : path}`);
}

/** Pixels of the longer side: twice the size on paper or on a screen. */
const LOGO_PIXELS = 480;

async function logoOf(context: Context, path: string): Promise<Omit<ReportLogo, 'alt'>> {
  const [{ drawLogo }, { formatRendering }] = await Promise.all([
    import('../../../image/load-logo.ts'),
    import('../../../image/write-png.ts'),
  ]);
  const drawn = await readLogo(context, path, (bytes, signal) => drawLogo(bytes, LOGO_PIXELS, signal));
  return { png: formatRendering(drawn), width: drawn.width, height: drawn.height };
}
