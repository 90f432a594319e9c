/** Applies the changes of a file of rows (`qr update --from`). */
import type { CommonChanges } from '../../../codes/input/check-rows.ts';
import type { Context } from '../../../context.ts';
import { policyOf } from '../rows/flags.ts';
import { runFile } from '../rows/run-file.ts';
import type { UpdateFlags } from './flags.ts';

/** Sends what was edited since the list was saved; `common` has the values for rows without their own. Throws as `runFile`. */
export async function updateFromFile(
  context: Context,
  from: string,
  common: CommonChanges,
  flags: UpdateFlags,
): Promise<void> {
  await runFile(context, from, flags, {
    policy: policyOf('update', flags),
    done: 'updated',
    bareNames: true,
    common,
  });
}
