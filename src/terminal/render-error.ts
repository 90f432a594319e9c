/** Renders anything thrown, as a few lines of text or as one line of JSON. */
import { ClosedPipeError, exitCodeOf, Failure, type FailureDetails } from '../base/errors.ts';
import { cleanJson, cleanLines } from '../base/text/clean.ts';
import { redactKeys } from '../base/text/key.ts';
import { withoutLongParts } from '../base/text/quote.ts';
import type { Colours } from './colour.ts';
import { sourceStack } from './source-stack.ts';
import { wrapWords } from './wrap-words.ts';

export interface ErrorStyle {
  /** One line of JSON in place of the text: where `--format` is json or ndjson. */
  json: boolean;
  /** Includes the stack of an internal error. */
  verbose: boolean;
  /** False with `--no-color`. */
  color?: boolean | undefined;
}

/** Terminal for the text; without one, nothing is wrapped or colored. */
export interface ErrorPlace {
  columns?: number | undefined;
  colours?: Colours;
  /** Texts with spaces at which a message is not broken; see wrapWords. */
  wholePaths?: () => readonly string[];
}

const DEFECT_HINT = 'This is a bug in qrctl. Run the same command with --verbose and report the output.';

/**
 * Returns the text for standard error, with a final line end; empty for a closed pipe, which is a silent end. JSON:
 * `{"error":{"message","code","status","exit","hint"}}`; code and status are null if the service sent none.
 */
export function renderError(
  error: unknown,
  { json, verbose }: ErrorStyle,
  { columns, colours, wholePaths: whole }: ErrorPlace = {},
): string {
  if (error instanceof ClosedPipeError) return '';
  const { message, hint, code, status } = readable(describe(error));
  if (json) {
    const fields = {
      message,
      code: code ?? null,
      status: status ?? null,
      exit: exitCodeOf(error),
      hint: hint ?? null,
    };
    return `${cleanJson(JSON.stringify({ error: fields }))}\n`;
  }
  const lines = [`qrctl: ${cleanLines(message)}`];
  if (hint) lines.push(`  ${cleanLines(labeled(hint))}`);
  if (verbose && !(error instanceof Failure) && error instanceof Error && error.stack)
    lines.push(`  ${cleanLines(redactKeys(sourceStack(error.stack)))}`);
  const text = wrapWords(lines.join('\n'), columns, { whole });
  return `${colours ? text.replace('qrctl:', colours.red('qrctl:')) : text}\n`;
}

/** Redacts keys and shortens long parts, which a user may have typed in place of a name, or an internal error may contain. */
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
