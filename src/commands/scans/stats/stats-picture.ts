/** Figures for people: a table per dimension, with bars and a sparkline. */
import type { Context } from '../../../context.ts';
import type { OutputPlan } from '../../../rows/plan-output.ts';
import { writeWholeFile } from '../../../rows/whole-file.ts';
import { loadColours } from '../../../terminal/colour.ts';
import { drawFigures, type Picture } from './draw-figures.ts';

/** Of a file, which has no width of its own. */
const FILE_WIDTH = 100;

/** Prints to the terminal, in its width, or into the file of the plan. */
export async function printPicture(context: Context, { path }: OutputPlan, picture: Picture): Promise<void> {
  const { console, env, processes } = context;
  const toTerminal = console.isTerminal && path === undefined;
  const text = drawFigures(picture, {
    width: toTerminal ? console.width : FILE_WIDTH,
    style: console.isAccessible && path === undefined ? 'words' : env.TERM === 'dumb' ? 'ascii' : 'blocks',
    colours: await loadColours(console.colour && path === undefined),
  });
  if (path === undefined) await console.write(console.harmless(text));
  else await writeWholeFile(path, text, { processes });
}
