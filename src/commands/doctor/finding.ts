/** What one check of `qrctl doctor` found, and the line that people read of it. */
import { Failure, messageOf } from '../../errors.ts';
import { clean } from '../../output/clean.ts';
import type { Colours } from '../../output/colour.ts';
import type { Formatter } from '../../output/formatter.ts';
import type { Row } from '../../row-sink.ts';

export interface Finding {
  check: 'config' | 'profile' | 'settings' | 'base-url' | 'key' | 'proxy' | 'service' | 'clock' | 'openapi';
  status: 'ok' | 'warn' | 'fail';
  message: string;
  /** What to do about it; null where nothing is wrong. */
  fix: string | null;
  /** Only with `fail`: what another command would have failed with. */
  failure?: unknown;
}

export function sound(check: Finding['check'], message: string): Finding {
  return { check, status: 'ok', message, fix: null };
}

export function doubtful(check: Finding['check'], message: string, fix: string): Finding {
  return { check, status: 'warn', message, fix };
}

/** The failure says itself what is wrong and, in its hint, what to do. */
export function failed(check: Finding['check'], failure: unknown): Finding {
  const hint = failure instanceof Failure ? failure.hint : undefined;
  return { check, status: 'fail', message: messageOf(failure), fix: hint ?? null, failure };
}

const COLOURS = { ok: 'green', warn: 'yellow', fail: 'red' } as const;

/** A line of any length a finding, and one below it with the fix: a table would cut the very fix that is looked for. */
export function createReportFormatter(colours: Colours): Formatter {
  return {
    begin: () => '',
    rows: (findings) => findings.map((finding) => formatFinding(finding, colours)).join(''),
    end: () => '',
  };
}

function formatFinding({ check, status, message, fix }: Row, colours: Colours): string {
  const colour = colours[COLOURS[status === 'fail' || status === 'warn' ? status : 'ok']];
  const line = `${colour(String(status).padEnd(4))}  ${String(check).padEnd(8)}  ${clean(String(message))}\n`;
  return fix ? `${line}                → ${clean(String(fix))}\n` : line;
}
