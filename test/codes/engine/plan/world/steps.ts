/** What people do by chance, in every history. */
import type { Policy } from '#codes/engine/plan/model';
import type { Random } from './random.ts';
import type { Sheet } from './sheet.ts';

/** Steps of a history, each as often as it is there. */
export const STEPS = [
  ...Array<'run'>(5).fill('run'),
  ...(['decide', 'decide', 'edit', 'edit', 'edit', 'edit', 'service', 'service'] as const),
  ...(['list', 'results', 'merge', 'copy sheet', 'delete codes', 'spoil memory', 'other file'] as const),
];

/** Outcomes that tell the user that the code is the row's. */
export const FOUND: ReadonlySet<string> = new Set(['created', 'updated', 'adopted', 'unchanged', 'exists']);

/** Returns the verb and the flags that a person uses for a sheet; `mayBeEmpty`: a sheet without rows may have keys. */
export function somePolicy(random: Random, { rows }: Sheet, mayBeEmpty = false): Policy {
  const hasIds = rows.length > 0 && rows.every(({ id }) => id !== undefined);
  const hasKeys = (mayBeEmpty || rows.length > 0) && rows.every(({ key }) => key !== undefined);
  const verbs = [
    ...(hasIds ? (['update', 'update'] as const) : []),
    ...(hasKeys ? (['apply', 'apply'] as const) : []),
  ];
  const verb = random.pick([...verbs, 'create' as const]);
  return {
    verb,
    conflicts:
      verb === 'apply' && !random.chance(0.2)
        ? 'file'
        : random.pick(['ask', 'ask', 'ask', 'service'] as const),
    isDated: false,
    applyEdits: verb === 'create' && random.chance(0.4),
    adoptExisting: verb === 'apply' && random.chance(0.3),
    removed: random.chance(0.2) ? 'pause' : 'report',
    maxChanges: undefined,
    force: false,
    decisions: { adopt: new Map(), asNew: new Map(), asNewAll: verb === 'create' && random.chance(0.06) },
  };
}
