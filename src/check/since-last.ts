/** What a run reports that is to tell only news: what turned broken, or whole again, since the run before. */

/** A row as it is compared: of this run, or as the file of the last run has it. */
export interface ComparedRow {
  id: string;
  destination: string | null;
  /** It counts as a failure by what this run fails on. */
  failing: boolean;
  /** Its certificate ends soon. */
  ending: boolean;
}

/**
 * Whether a row is news. One that nobody has seen before is where it fails; one that failed and fails still is not, unless it leads somewhere
 * else by now; a certificate is told once.
 */
export function isNews(now: ComparedRow, before: ComparedRow | undefined): boolean {
  if (before === undefined) return now.failing || now.ending;
  if (now.failing !== before.failing) return true;
  return (now.failing && now.destination !== before.destination) || (now.ending && !before.ending);
}
