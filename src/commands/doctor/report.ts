/** The findings as people read them: lines of any length, where a table would cut the very fix that is looked for. */
import { clean } from '../../output/clean.ts';
import type { Colours } from '../../output/colour.ts';
import type { Formatter } from '../../output/formatter.ts';
import type { Row } from '../../row-sink.ts';

const COLOURS = { ok: 'green', warn: 'yellow', fail: 'red' } as const;

/** A line a finding, and one below it with the fix where there is one. */
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
