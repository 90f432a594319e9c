/** Notes a journal that an earlier version kept next to a file of this run. It is not read: codes that exist are found by their values. */
import { existsSync } from 'node:fs';
import type { Context } from '../../../context.ts';

/** Notes the journal beside the results or the lock file at `path`, if there is one. */
export function noteOldJournal({ console }: Pick<Context, 'console'>, path: string | undefined): void {
  const journal = `${path}.journal`;
  if (path === undefined || !existsSync(journal)) return;
  console.note(
    `${journal} is the journal of an earlier version of qrctl and is not read. You can remove it.`,
  );
}
