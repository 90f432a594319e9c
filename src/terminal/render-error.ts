import { ClosedPipeError, exitCodeOf, Failure, type FailureDetails } from '#base/errors';
import { cleanJson, cleanLines } from '#base/text/clean';
import { redactKeys } from '#base/text/key';
import { withoutLongParts } from '#base/text/quote';
import type { Colors } from './color.ts';
import { sourceStack } from './source-stack.ts';
import { wrapWords } from './wrap-words.ts';

export interface ErrorStyle {
  json: boolean;
  verbose: boolean;
  color?: boolean;
}

interface ErrorPlace {
  columns?: number;
  colors?: Colors;
  wholePaths?: () => readonly string[];
}

const DEFECT_HINT = 'This is a bug in qrctl. Run the same command with --verbose and report the output.';

export function renderError(
  error: unknown,
  { json, verbose }: ErrorStyle,
  { columns, colors, wholePaths: whole }: ErrorPlace = {},
): string {
  if (error instanceof ClosedPipeError) return '';
  const { message, hint, code, status } = readable(describe(error));
  if (json) {
    const exit = exitCodeOf(error);
    const fields = { message, code: code ?? null, status: status ?? null, exit, hint: hint ?? null };
    return `${cleanJson(JSON.stringify({ error: fields }))}\n`;
  }
  const lines = [`qrctl: ${cleanLines(message)}`];
  if (hint !== undefined) lines.push(`  ${cleanLines(labeled(hint))}`);
  if (verbose && !(error instanceof Failure) && error instanceof Error && error.stack)
    lines.push(`  ${cleanLines(redactKeys(sourceStack(error.stack)))}`);
  const text = wrapWords(lines.join('\n'), columns, { whole });
  return `${colors ? text.replace('qrctl:', colors.red('qrctl:')) : text}\n`;
}

function readable({ message, hint, code, status }: FailureDetails & { message: string }) {
  const shorten = (text: string) => withoutLongParts(redactKeys(text));
  return { status, message: shorten(message), hint: hint && shorten(hint), code: code && shorten(code) };
}

function labeled(hint: string): string {
  return hint.startsWith('usage: ') ? hint : hint.replace(/[^\n]*$/, (action) => `hint: ${action}`);
}

function describe(error: unknown): FailureDetails & { message: string } {
  if (error instanceof Failure) return error;
  const message = error instanceof Error ? error.message || error.name : String(error);
  return { message: `unexpected failure: ${message}`, hint: DEFECT_HINT };
}
