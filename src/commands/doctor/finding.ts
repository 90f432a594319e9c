import { Failure, messageOf, ReportedError } from '#base/errors';
import { clean } from '#base/text/clean';
import type { Context } from '#context';
import { type Colors, loadColors } from '#terminal/color';
import { wrapWords } from '#terminal/wrap-words';

export interface Finding {
  check:
    | 'config'
    | 'profile'
    | 'settings'
    | 'base-url'
    | 'key'
    | 'state'
    | 'proxy'
    | 'service'
    | 'clock'
    | 'openapi';
  status: 'ok' | 'warn' | 'fail';
  message: string;
  fix: string | null;
  failure?: unknown;
}

export function sound(check: Finding['check'], message: string): Finding {
  return { check, status: 'ok', message, fix: null };
}

export function doubtful(check: Finding['check'], message: string, fix: string): Finding {
  return { check, status: 'warn', message, fix };
}

export function failed(check: Finding['check'], failure: unknown): Finding {
  const hint = failure instanceof Failure ? failure.hint : undefined;
  return { check, status: 'fail', message: messageOf(failure), fix: hint ?? null, failure };
}

const COLORS = { ok: 'green', warn: 'yellow', fail: 'red' } as const;

const INDENT = ' '.repeat(16);

export async function formatFindings(
  findings: readonly Finding[],
  { color, isTerminal, width }: Context['console'],
): Promise<string> {
  const colors = await loadColors(color);
  const columns = isTerminal ? width : undefined;
  return findings.map((finding) => formatFinding(finding, colors, columns)).join('');
}

function formatFinding(
  { check, status, message, fix }: Finding,
  colors: Colors,
  columns: number | undefined,
): string {
  const text = `${status.padEnd(6)}${check.padEnd(10)}${clean(message)}`;
  const line = wrapWords(text, columns, { indent: INDENT });
  const below = fix ? `${wrapWords(`${INDENT}→ ${clean(fix)}`, columns)}\n` : '';
  return `${line.replace(status, (word) => colors[COLORS[status]](word))}\n${below}`;
}

export function failureOf(findings: readonly Finding[]): ReportedError | undefined {
  const failures = findings.filter(({ status }) => status === 'fail');
  if (failures.length === 0) return undefined;
  const names = failures.map(({ check }) => check).join(', ');
  return new ReportedError(`failed checks: ${names}`, { cause: failures[0]?.failure });
}
