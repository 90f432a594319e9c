import { countOf, inQuotes, quote } from '#base/text/quote';
import { droppedUtm } from '#base/text/utm';
import { findDestinationProblem, isDead } from '#codes/destinations/destination';
import type { Fault } from '#files/formats/read/input';
import type { PlanItem, Policy, Row } from './model.ts';
import { lacksUtm } from './values.ts';

interface Judged {
  faults: readonly Fault[];
  warnings: readonly Fault[];
}

export function judgeItem(item: PlanItem, policy: Policy): Judged {
  const { row, action, code, changes } = item;
  if (!row) return { faults: [], warnings: [] };
  if (action === 'create') {
    const judged = judgeNew(row, policy.force);
    const isKnown = policy.verb === 'create' && row.id === undefined && row.slug === undefined;
    return isKnown ? { ...judged, warnings: [] } : judged;
  }
  const ofSlug = warningsOfSlug(row, item);
  if (!code || policy.verb === 'delete') return { faults: [], warnings: ofSlug };
  const changed = new Set<string>(
    changes.filter(({ what }) => what !== 'keep' && what !== 'drift').map(({ field }) => field),
  );
  const doubts = row.doubts.filter(
    ({ field }) => changed.has(field) && (field !== 'destination' || code.type === 'url'),
  );
  const { faults, warnings } = sortOut(doubts);
  const ofType = faultsOfType(row, code.type);
  warnings.push(...ofSlug);
  if (policy.verb === 'update') return { faults, warnings: [...warnings, ...ofType] };
  return { faults: [...ofType, ...faults], warnings };
}

/** Warns if no code has the slug of a row with an ID. A slug of another code is a fault instead. */
function warningsOfSlug({ line, slug }: Row, { code, how }: PlanItem): Fault[] {
  if (how !== 'id' || slug === undefined || !code || slug === code.slug) return [];
  const message = `no code has the slug ${inQuotes(slug)}; the ID is used, whose slug is ${quote(code.slug)}`;
  return [{ line, column: 'slug', message }];
}

export function judgeNew(row: Row, force: boolean): Judged {
  const { line, wish, type, typeFault, doubts, noDestination } = row;
  const { faults, warnings } = sortOut(doubts.filter(({ field }) => field !== 'destination'));
  if (typeFault) return { faults: [typeFault, ...faults], warnings };
  if (wish.name === undefined)
    faults.push({ line, column: 'name', message: 'is empty: a new code needs a name' });
  const problem = findDestinationProblem(wish.destination, type);
  if (!problem) return { faults, warnings };
  if (noDestination) return { faults: [...faults, noDestination], warnings };
  const fault: Fault = { line, column: 'destination', message: problem.words };
  if (isDead(problem) && !force) faults.push({ ...fault, mayForce: true });
  else warnings.push(fault);
  return { faults, warnings };
}

function sortOut(doubts: Row['doubts']): { faults: Fault[]; warnings: Fault[] } {
  return {
    faults: doubts.filter(({ isOdd }) => !isOdd).map(({ fault }) => fault),
    warnings: doubts.filter(({ isOdd }) => isOdd).map(({ fault }) => fault),
  };
}

function faultsOfType({ line, type, key }: Row, known: string): Fault[] {
  if (type === undefined || type.toLowerCase() === known.toLowerCase()) return [];
  const what = key === undefined ? 'it' : inQuotes(key);
  return [
    {
      line,
      column: 'type',
      message: `the type of a code can't be changed: ${what} is ${quote(known)}, not ${quote(type)}`,
    },
  ];
}

export function warningsOfTags(items: readonly PlanItem[], { verb }: Policy): Fault[] {
  if (verb !== 'update') return [];
  const untagged = items.filter(({ row, code }) => row && code && lacksUtm(row, code)).length;
  const warnings: Fault[] = [];
  if (untagged > 0) {
    const without =
      untagged === 1 ? 'code has no web address, so it gets' : 'codes have no web address, so they get';
    warnings.push({ message: `${untagged} ${without} no UTM tags` });
  }
  const dropped = items.flatMap(({ code, send: { destination } }) => {
    const tags = droppedUtm(code?.destination ?? '', destination ?? '');
    return tags.length > 0 ? [tags.map((tag) => tag.replace(/=.*/s, '').toLowerCase())] : [];
  });
  if (dropped.length === 0) return warnings;
  const what =
    dropped.length === 1 ? 'a new destination lacks' : `${countOf(dropped.length, 'new destination')} lack`;
  const names = [...new Set(dropped.flat())].sort().join(', ');
  warnings.push({ message: `${what} UTM tags of the old one (${names}); to keep them, add --keep-utm` });
  return warnings;
}
