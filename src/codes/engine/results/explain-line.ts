import { countOf, inQuotes, joinSome, quote } from '#base/text/quote';
import type { How, LedgerView, Listing, PlanItem } from '#codes/engine/plan/model';
import { isAlike, rowValues, valuesKey } from '#codes/engine/plan/values';
import { placeOf, type Source } from '#files/formats/read/input';
import { groupQuestions, nameCodes, reasonOf, type Verb, waysOf } from './explain.ts';

const STEP: Readonly<Partial<Record<How, number>>> = {
  id: 1,
  slug: 1,
  key: 2,
  ledger: 3,
  lost: 4,
  equal: 5,
  guess: 6,
};

export function explainLine(
  item: PlanItem,
  file: Source,
  { listing, ledger, verb }: { listing: Listing; ledger: LedgerView; verb: Verb },
): string[] {
  const { row, how } = item;
  if (!row) return [];
  const { id, slug, key } = row;
  const values = rowValues(row);
  const same = valuesKey(values);
  const codes = [...listing.codes.values()];
  const named = codes.filter((code) =>
    id === undefined ? code.slug === slug : code.id.toLowerCase() === id,
  );
  const claims = [...ledger.claims.values()];
  const nameClaims = (found: typeof claims) =>
    joinSome(
      found.map(({ id, origin }) => {
        const code = listing.codes.get(id);
        const verb = origin === 'made' ? 'created' : origin;
        return `an earlier run ${verb} ${code ? nameCodes([code]) : `${id}, which no longer exists`}`;
      }),
      { most: 3, separator: '; ' },
    );
  const ofKey = claims.filter((claim) => claim.key === key);
  const ofValues = claims.filter(({ rows }) => rows.some((one) => valuesKey(one) === same));
  const unclear = ledger.unclear.filter((sending) =>
    sending.key === undefined ? valuesKey(sending.values) === same : sending.key === key,
  );
  const equal = codes.filter((code) => valuesKey(code) === same);
  const alike = codes.filter((code) => isAlike(code, values) && !equal.includes(code));
  const cells = id ?? slug;
  const step = STEP[how];
  return [
    `${placeOf(file, row.line)}: ${inQuotes(values.name)} (${values.type ?? 'url'}${values.destination === undefined ? '' : `, ${values.destination}`})`,
    `1. ID and slug: ${cells === undefined ? 'the row has neither' : nameCodes(named) || `no code has ${quote(cells)}`}`,
    `2. Key: ${key === undefined ? 'the row has none' : nameClaims(ofKey) || `no earlier run knows ${inQuotes(key)}`}`,
    `3. Ledger of this machine: ${nameClaims(ofValues) || 'no earlier run knows these values'}`,
    `4. Lost responses: ${unclear.length > 0 ? `${countOf(unclear.length, 'request')} for this row received no clear response` : 'none'}`,
    `5. Codes with the same values: ${nameCodes(equal) || 'none'}`,
    `6. Codes with the same name or destination: ${nameCodes(alike) || 'none'}`,
    `Result${step === undefined ? '' : ` (step ${step})`}: ${describeResult(item, verb)}`,
  ];
}

function describeResult(item: PlanItem, verb: Verb): string {
  const reason = reasonOf({ item });
  const because = reason === undefined ? '' : `: ${reason}`;
  const groups = groupQuestions([{ item }]);
  if (groups.some(({ question }) => question !== 'exists' || verb === 'apply'))
    return `nothing is sent until you decide${because}. ${waysOf(groups, verb).join(' ')}`;
  if (item.isWaiting) return `a new code is created only if none exists or resembles it${because}`;
  if (item.action === 'create') return `a new code is created${because}`;
  if (item.action !== 'update') return `nothing is sent${because || ': row and code agree'}`;
  const sent = item.changes.filter(({ field }) => item.send[field] !== undefined);
  const fields = sent.map(({ field, old, new: value }) => `${field} from ${quote(old)} to ${quote(value)}`);
  return `the code is changed: ${fields.join('; ')}`;
}
