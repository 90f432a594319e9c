/** Anything thrown, as the few lines a person reads or the one line a script parses. */
import { ClosedPipeError, exitCodeOf, Failure, type FailureDetails } from '../errors.ts';
import { sourceStack } from '../run/source-stack.ts';
import { cleanJson, cleanLines } from '../text/clean.ts';
import { redactKeys } from '../text/key.ts';
import { withoutLongParts } from '../text/quote.ts';
import type { Colours } from './colour.ts';
import { wrapWords } from './wrap-words.ts';

export interface ErrorStyle {
  /** One line of JSON in place of the text: where `--format` is json or ndjson. */
  json: boolean;
  /** With the stack of what is a defect of ours. */
  verbose: boolean;
  /** False with `--no-color`. */
  color?: boolean | undefined;
}

/** The terminal it is read on; without one nothing is wrapped or coloured. */
export interface ErrorPlace {
  columns?: number | undefined;
  colours?: Colours;
  /** Texts with spaces at which a message is not broken; see wrapWords. */
  wholePaths?: () => readonly string[];
}

const DEFECT_HINT = 'This is a bug in qrctl. Run the same command with `--verbose` and report the output.';

/**
 * What to print on standard error for `error`, line end included; nothing for a closed pipe, which is a quiet end.
 * JSON: `{"error":{"message","code","status","exit","hint"}}`, code and status null where the service sent none.
 */
export function renderError(
  error: unknown,
  { json, verbose }: ErrorStyle,
  { columns, colours, wholePaths: whole }: ErrorPlace = {},
): string {
  if (error instanceof ClosedPipeError) return '';
  const { message, hint, code, status } = readable(describe(error));
  if (json) {
    const fields = { message, code: code ?? null, status: status ?? null, exit: exitCodeOf(error), hint: hint ?? null };
    return `${cleanJson(JSON.stringify({ error: fields }))}\n`;
  }
  const lines = [`qrctl: ${cleanLines(message)}`];
  if (hint) lines.push(`  ${cleanLines(labeled(hint))}`);
  if (verbose && !(error instanceof Failure) && error instanceof Error && error.stack)
    lines.push(`  ${cleanLines(redactKeys(sourceStack(error.stack)))}`);
  const text = wrapWords(lines.join('\n'), columns, { whole });
  return `${colours ? text.replace('qrctl:', colours.red('qrctl:')) : text}\n`;
}

/** Somebody may have typed a key where a name belongs, or a file where its name belongs; and what a defect says is not known. */
function readable({ message, hint, code, status }: FailureDetails & { message: string }) {
  const said = (text: string) => withoutLongParts(redactKeys(text));
  const ifAny = (text: string | undefined) => (text === undefined ? undefined : said(text));
  return { status, message: said(message), hint: ifAny(hint), code: ifAny(code) };
}

/** Returns the hint with the label "hint:" on its last line: the action to take, behind the context that a command adds. */
function labeled(hint: string): string {
  return hint.startsWith('usage: ') ? hint : hint.replace(/[^\n]*$/, (action) => `hint: ${action}`);
}

function describe(error: unknown): FailureDetails & { message: string } {
  if (error instanceof Failure) return error;
  const message = error instanceof Error ? error.message || error.name : String(error);
  return { message: `unexpected failure: ${message}`, hint: DEFECT_HINT };
}
