import { exitCodeOf, Failure, messageOf, type RowProblem } from '#base/errors';
import { redactKeys } from '#base/text/key';
import { formatInstant, instantOrNull } from '#base/time/time';

export interface RunFacts {
  codes?: number;
  rows?: number;
  added?: number;
  range?: { sinceMs: number | undefined; untilMs: number };
  watermarkMs?: number;
  files?: readonly string[];
  outcomes?: Readonly<Record<string, number>>;
  /** Failed rows, for annotations. The summary omits them. */
  problems?: readonly RowProblem[];
  problemsOfCode?: (id: string, message: string) => readonly RowProblem[];
}

export function addFile(facts: RunFacts, path: string): void {
  facts.files = [...new Set([...(facts.files ?? []), path])];
}

export function addRows(facts: RunFacts, added: number): void {
  facts.rows = (facts.rows ?? 0) + added;
  facts.added = (facts.added ?? 0) + added;
}

export interface RunEnd {
  command: string;
  startedMs: number;
  finishedMs: number;
  error: unknown;
  profile: string | undefined;
  stats: { requests: number; retries: number; pauses: number; pausedMs: number } | undefined;
  facts: RunFacts;
}

/** Formats a run as a line of JSON. Every summary has the same keys, and times in UTC. */
export function formatRunSummary(end: RunEnd): string {
  const { command, startedMs, finishedMs, error, profile, stats, facts } = end;
  const { codes = null, rows = null, added = null, range, watermarkMs, files = [], outcomes = null } = facts;
  const { requests = 0, retries = 0, pauses = 0, pausedMs = 0 } = stats ?? {};
  const summary = {
    command,
    started: formatInstant(startedMs),
    finished: formatInstant(finishedMs),
    exit: error === undefined ? 0 : exitCodeOf(error),
    error: error === undefined ? null : errorOf(error),
    profile: profile ?? null,
    codes,
    rows,
    added,
    range: range ? { since: instantOrNull(range.sinceMs), until: formatInstant(range.untilMs) } : null,
    watermark: instantOrNull(watermarkMs),
    requests,
    retries,
    pauses,
    paused_ms: Math.round(pausedMs),
    files,
    outcomes,
  };
  // A user may have typed an API key as the name of a profile or file.
  return `${JSON.stringify(summary, (_, value) => (typeof value === 'string' ? redactKeys(value) : value))}\n`;
}

function errorOf(error: unknown) {
  const { hint = null, code = null, status = null } = error instanceof Failure ? error : {};
  return { message: messageOf(error), code, status, hint };
}
