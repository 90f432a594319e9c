/** Questions that a run leaves, and those that rows, listing and ledger could have answered. */
import { FIELDS } from '#codes/engine/plan/model';
import type { End, Job } from './run.ts';
import type { RowReport } from './sheet.ts';
import { count, type Truth } from './truth.ts';
import { fieldOf, isEqual, isSame } from './values.ts';

const QUESTIONS: ReadonlySet<string> = new Set(['edited', 'conflict', 'gone', 'undecided']);

/** Counts questions, and needless ones: the truth leaves one answer that could have been known. */
export function judgeQuestions(truth: Truth, { reports }: End, job: Job): void {
  const { tally } = truth;
  const isAsking = ({ outcome }: RowReport) =>
    QUESTIONS.has(outcome) || (outcome === 'exists' && job.policy.verb === 'apply');
  const asked = reports.filter(isAsking);
  if (asked.length > 0) count(tally, 'question: runs');
  for (const one of asked) {
    count(tally, `question: ${one.outcome}`);
    const why = findNeedless(truth, one, job);
    if (why !== undefined) count(tally, `needless: ${why}`);
  }
}

function findNeedless(
  { service, excluded }: Truth,
  { row, item, outcome }: RowReport,
  { memory, sheet }: Job,
): string | undefined {
  if (excluded.has(row.token) || sheet.sorted) return undefined;
  const { claims, unclear, repeated } = memory.view();
  const live = service.live();
  const own = live.filter(({ tokens, code }) => tokens.has(row.token) && service.get(code.id));
  if (outcome === 'gone')
    return item.goneId !== undefined && service.get(item.goneId) ? 'gone, but it is there' : undefined;
  if (outcome === 'conflict' && item.code) {
    const model = service.codes.get(item.code.id);
    const claim = claims.get(item.code.id);
    const isOurs = item.changes
      .filter(({ what }) => what === 'conflict')
      .every(({ field }) => {
        const current = model ? fieldOf(model.code, field) : '';
        const { [field]: seen } = row.seen;
        return (
          (seen !== undefined && isSame(field, seen, current)) ||
          claim?.changes[field].at(-1)?.stored === current
        );
      });
    if (!isOurs) return undefined;
    return row.base || claim ? 'conflict about our own change' : undefined;
  }
  if (outcome === 'undecided') {
    const [only] = own;
    if (
      own.length === 1 &&
      only &&
      claims.get(only.code.id)?.origin === 'made' &&
      !unclear.concat(repeated).some(({ values }) => isEqual(values, row))
    )
      return 'undecided, but the ledger has its code';
    return undefined;
  }
  const isInStep =
    item.code &&
    FIELDS.every(
      (field) => row[field] === '' || isSame(field, row[field], fieldOf(item.code as never, field)),
    );
  return outcome === 'edited' && item.how !== 'none' && isInStep ? 'edited, but equal' : undefined;
}
