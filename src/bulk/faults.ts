/** Everything wrong with a bulk file, gathered so that one run tells it all. */
import { UsageError } from '../errors.ts';

export interface Fault {
  line?: number | undefined;
  column?: string | undefined;
  message: string;
}

/** Throws UsageError (exit 2, nothing sent) listing every fault, one a line, top to bottom; returns when there is none. */
export function refuseFaults(file: string, faults: readonly Fault[]): void {
  if (faults.length === 0) return;
  const sorted = [...faults].sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
  const count = sorted.length === 1 ? '1 fault' : `${sorted.length} faults`;
  throw new UsageError([`${file}: ${count}, nothing was sent`, ...sorted.map((fault) => `  ${formatFault(fault)}`)].join('\n'), {
    hint: 'mend the file and run this again; --template prints one to start from',
  });
}

/** `line 3, column type: …` */
export function formatFault({ line, column, message }: Fault): string {
  const place = [line === undefined ? '' : `line ${line}`, column === undefined ? '' : `column ${column}`]
    .filter(Boolean)
    .join(', ');
  return place ? `${place}: ${message}` : message;
}

const LONGEST_SHOWN = 60;

/** A cell as a message shows it: quoted, escaped and cut. */
export function showValue(value: unknown): string {
  const text = JSON.stringify(typeof value === 'bigint' ? `${value}` : value) ?? 'nothing';
  return text.length <= LONGEST_SHOWN ? text : `${text.slice(0, LONGEST_SHOWN)}…`;
}
