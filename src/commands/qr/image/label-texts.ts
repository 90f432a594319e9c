/** The codes of labels with their captions: the slug, the name, nothing, or the cell of a column of `--from`. */
import { UsageError } from '../../../base/errors.ts';
import { nearest } from '../../../base/text/nearest.ts';
import { joinSome, quote } from '../../../base/text/quote.ts';
import type { Context } from '../../../context.ts';
import { fold, type Input } from '../../../files/formats/read/input.ts';
import type { QrCode } from '../../../service/shapes.ts';
import { chooseCodes } from '../../choose-codes.ts';
import { createFilter } from '../../code-choice.ts';
import type { ImageFlags } from './flags.ts';

export interface LabelText {
  code: QrCode;
  caption: string;
}

const OF_CODE: Readonly<Record<string, (code: QrCode) => string>> = {
  slug: ({ slug }) => slug,
  name: ({ name }) => name,
  none: () => '',
};

/** Returns one label per code, in the order of `chooseCodes`, and throws like it; UsageError for a column that the file lacks. */
export async function chooseLabels(
  context: Context,
  names: readonly string[],
  flags: ImageFlags,
  caption: string,
): Promise<LabelText[]> {
  const ofCode = Object.hasOwn(OF_CODE, caption) ? OF_CODE[caption] : undefined;
  if (ofCode)
    return (await chooseCodes(context, names, flags)).map((code) => ({ code, caption: ofCode(code) }));
  const { from } = flags;
  if (from === undefined) {
    throw new UsageError(`--caption ${quote(caption)} requires --from`, {
      hint: 'Use --caption slug, name or none, or specify a file with this column (--from).',
    });
  }
  const { readRowsOfFile } = await import('../../codes-of-file.ts');
  let column = caption;
  const rows = await readRowsOfFile(context, { ...flags, from }, (file) => {
    column = columnOf(file, caption);
  });
  const isChosen = createFilter(flags);
  return rows
    .filter(({ code }) => isChosen(code))
    .map(({ code, row }) => ({ code, caption: textOf(row.values.get(column)) }));
}

function columnOf({ name, columns, isBare }: Input, caption: string): string {
  const own = isBare ? [] : columns;
  const found =
    own.find((column) => column === caption) ?? own.find((column) => fold(column) === fold(caption));
  if (found !== undefined) return found;
  const meant = nearest(fold(caption), own.map(fold));
  const known =
    own.length > 0
      ? `Available columns: ${joinSome(own.map(quote), { most: 10, separator: ', ' })}.`
      : 'The file has no columns.';
  throw new UsageError(`${name} has no column ${quote(caption)} for --caption`, {
    hint: meant === undefined ? known : `Did you mean ${quote(meant)}?`,
  });
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string'
    ? value
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value);
}
