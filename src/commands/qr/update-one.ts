/** `qr update CODE` */
import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import type { OutputFlags } from '../../output/plan.ts';
import { isUuid } from '../../service/checks.ts';
import { findCode } from '../../service/codes.ts';
import type { CodeChanges } from '../../service/shapes.ts';
import { printRecord } from '../output-options.ts';
import type { BulkFlags } from './bulk-options.ts';
import { codeOutput } from './code-columns.ts';
import { requireFrom } from './flag-rules.ts';

interface UpdateFlags extends CodeChangesGiven, BulkFlags, OutputFlags {}

type CodeChangesGiven = { [K in keyof CodeChanges]?: CodeChanges[K] | undefined };

/** Changes one code and prints it as it is then. One request for an id; a slug costs the listing that finds it. */
export async function updateOne(context: Context, wanted: string | undefined, flags: UpdateFlags): Promise<void> {
  requireFrom({ '--results': flags.results, '--dry-run': flags.dryRun, '--fail-fast': flags.failFast });
  if (wanted === undefined) throw new UsageError('which code?', { hint: 'qrctl qr update CODE …, or --from FILE for many' });
  const changes = changesOf(flags);
  const { columns, dress } = await codeOutput(context, flags, 'record');
  const { concurrency } = await context.settings();
  const service = await context.service();
  const id = isUuid(wanted) ? wanted.toLowerCase() : (await findCode(service, wanted, { concurrency })).id;
  const code = await service.updateCode(id, changes);
  await printRecord(context, dress(code), columns, flags);
}

function changesOf({ name, destination, status }: UpdateFlags): CodeChanges {
  if (name === undefined && destination === undefined && status === undefined) {
    throw new UsageError('nothing to change', { hint: 'give --name, --destination or --status' });
  }
  if (name?.trim() === '') throw new UsageError('--name is only spaces', { hint: 'give the code a name that can be read' });
  return {
    ...(name !== undefined && { name }),
    ...(destination !== undefined && { destination }),
    ...(status !== undefined && { status }),
  };
}
