/** Service in memory, with a clock of its own in seconds. It may normalize, shorten, be late, lag behind itself, and lose responses. */
import { FIELDS, type Field } from '#codes/engine/plan/model';
import type { CodeChanges, NewCode, QrCode } from '#service/shapes';
import type { Random } from './random.ts';
import { canon, MOST_OF_NAME } from './values.ts';

/** What only the model knows about a code. */
export interface ModelCode {
  /** Replaced at each change: a listing that was read stays as it was. */
  code: QrCode;
  /** Body of its POST. */
  readonly sent: NewCode;
  /** Hidden identities of the rows that have this code. */
  readonly tokens: Set<number>;
  /** Second from which on GET finds it, and from which on listings have it. */
  readonly existsAt: number;
  readonly listedAt: number;
  /** Number of the sheet whose run set a field last; 0: a user directly on the service. */
  readonly setBy: Record<Field, number>;
  isDeleted: boolean;
}

export interface Traits {
  readonly normalizes: boolean;
  readonly shortens: boolean;
  /** Probability that a request fails, and that a code or its place in listings is late. */
  readonly faults: number;
  readonly late: number;
}

/** Result of a POST. `lost`: applied, or to be applied later, or not at all. */
type Posted =
  | { readonly is: 'made'; readonly made: ModelCode }
  | { readonly is: 'not' }
  | { readonly is: 'lost' };

export interface ModelService {
  now: number;
  /** Nothing fails and nothing is late. */
  isCalm: boolean;
  /** Every code there ever was, by id, oldest first. */
  readonly codes: Map<string, ModelCode>;
  readonly traits: Traits;
  post(values: NewCode, token: number, by: number): Posted;
  /** Returns the code, or undefined if it was not changed; `isLost`: it may have been. */
  patch(
    id: string,
    set: CodeChanges,
    by: number,
  ): { readonly code: QrCode | undefined; readonly isLost: boolean };
  delete(id: string): void;
  get(id: string): QrCode | undefined;
  list(): Map<string, QrCode>;
  /** Codes that are there, or are about to be. */
  live(): ModelCode[];
}

/** Longest time until a code appears, in seconds; shorter than the time that a run waits. */
const MOST_LATE = 9;

/** Returns an empty service. */
export function createService(random: Random, traits: Traits): ModelService {
  const codes = new Map<string, ModelCode>();
  const stored = (field: Field, value: string) => {
    const text = traits.normalizes ? canon(field, value) : value;
    return traits.shortens && field === 'name' ? text.slice(0, MOST_OF_NAME) : text;
  };
  const make = (
    values: NewCode,
    token: number,
    by: number,
    existsAt: number,
    listedAt: number,
  ): ModelCode => {
    const number = codes.size + 1;
    const at = timeOf(service.now);
    const code: QrCode = {
      id: `00000000-0000-4000-8000-${number.toString(16).padStart(12, '0')}`,
      slug: `s${number}`,
      name: stored('name', values.name),
      type: values.type ?? 'url',
      destination: values.destination === undefined ? null : stored('destination', values.destination),
      status: 'active',
      created_at: at,
      updated_at: at,
    };
    const setBy = { name: by, destination: by, status: by };
    const made = {
      code,
      sent: values,
      tokens: new Set([token]),
      existsAt,
      listedAt,
      setBy,
      isDeleted: false,
    };
    codes.set(code.id, made);
    return made;
  };
  const service: ModelService = {
    now: 1,
    isCalm: false,
    codes,
    traits,
    post(values, token, by) {
      service.now += 1;
      const delay = () => (!service.isCalm && random.chance(traits.late) ? 1 + random.below(MOST_LATE) : 0);
      if (service.isCalm || !random.chance(traits.faults))
        return { is: 'made', made: make(values, token, by, service.now, service.now + delay()) };
      const fault = random.below(4);
      if (fault === 0) return { is: 'not' };
      if (fault === 1) return { is: 'lost' };
      const at = service.now + (fault === 3 ? delay() : 0);
      make(values, token, by, at, at + (at === service.now ? delay() : 0));
      return { is: 'lost' };
    },
    patch(id, set, by) {
      service.now += 1;
      const isFailing = !service.isCalm && random.chance(traits.faults / 4);
      const model = codes.get(id);
      if (isFailing && random.chance(0.5)) return { code: undefined, isLost: true };
      if (!model || !service.get(id)) return { code: undefined, isLost: false };
      const code = { ...model.code, updated_at: timeOf(service.now) };
      for (const field of FIELDS) {
        const value = set[field];
        if (value === undefined) continue;
        code[field] = stored(field, value);
        model.setBy[field] = by;
      }
      model.code = code;
      return { code: isFailing ? undefined : code, isLost: isFailing };
    },
    delete(id) {
      service.now += 1;
      const model = codes.get(id);
      if (model) model.isDeleted = true;
    },
    get(id) {
      const model = codes.get(id);
      return model && !model.isDeleted && model.existsAt <= service.now ? model.code : undefined;
    },
    list() {
      service.now += 1;
      const listing = new Map<string, QrCode>();
      for (const [id, model] of codes)
        if (!model.isDeleted && model.listedAt <= service.now) listing.set(id, model.code);
      return listing;
    },
    live: () => [...codes.values()].filter(({ isDeleted }) => !isDeleted),
  };
  return service;
}

const FIRST_SECOND = Date.UTC(2026, 4, 1);

/** Formats a second of the service's clock. */
function timeOf(second: number): string {
  return new Date(FIRST_SECOND + second * 1000).toISOString();
}
