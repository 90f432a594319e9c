/** `qr update`: its flags, and the change of one code; from-file.ts has those of a file. */
import type { Context } from '../../../context.ts';
import { UsageError } from '../../../errors.ts';
import { isUuid } from '../../../service/checks.ts';
import { findCode } from '../../../service/find-code.ts';
import { CODE_STATUSES, type CodeChanges } from '../../../service/shapes.ts';
import { choice, defineCommand, text, type Values } from '../../define.ts';
import { outputOptions, printRecord } from '../../output-options.ts';
import { bulkOptions, refuseTogether, requireFrom } from '../bulk-flags.ts';
import { codeOutput } from '../code-columns.ts';
import { warnOfDestination } from '../warn-of-destination.ts';

const options = {
  name: text('--name <name>', 'its new name'),
  destination: text('--destination <address>', "where it points to from now on; '' is sent as it is, to empty it", {
    empty: true,
  }),
  status: choice('--status <status>', 'its new status', CODE_STATUSES),
  ...bulkOptions,
  ...outputOptions,
};

type UpdateFlags = Values<typeof options>;

export const command = defineCommand({
  description:
    'Changes name, destination or status of one code, or of each row of a file. Rows say which code by id or slug; an empty cell leaves ' +
    'what is there, and a row that would change nothing costs no request of its own. Safe to repeat.',
  arguments: [{ term: '[code]', description: 'id (uuid) or slug', complete: 'codes' }],
  options,
  examples: [
    { command: 'qrctl qr update aB3xY --destination https://example.com/summer', does: 'point a printed code somewhere else' },
    { command: 'qrctl qr update aB3xY --status paused', does: 'pause it' },
    { command: 'qrctl qr update --from changes.csv --dry-run', does: 'see old and new values of every row' },
    { command: 'qrctl qr update --from changes.csv', does: 'change them; results in changes.results.csv' },
  ],
  async run(context, { args: [code], options }) {
    const { from } = options;
    if (from === undefined) return updateOne(context, code, options);
    const { name, destination, status } = options;
    refuseTogether('--from', { 'a CODE': code, '--name': name, '--destination': destination, '--status': status });
    await (await import('./from-file.ts')).updateFromFile(context, from, options);
  },
});

/** Changes one code and prints it as it is then. One request for an id; a slug one more, or the listing that finds it. */
async function updateOne(context: Context, wanted: string | undefined, flags: UpdateFlags): Promise<void> {
  requireFrom(bulkOptions, flags);
  if (wanted === undefined) throw new UsageError('which code?', { hint: 'qrctl qr update CODE …, or --from FILE for many' });
  const changes = changesOf(flags);
  const { columns, toRecord } = await codeOutput(context, flags, 'record');
  const service = await context.service();
  const id = isUuid(wanted) ? wanted.toLowerCase() : (await findCode(service, wanted)).id;
  const code = await service.updateCode(id, changes);
  if (changes.destination !== undefined) warnOfDestination(context, code);
  await printRecord(context, toRecord(code), columns, flags);
}

function changesOf({ name, destination, status }: UpdateFlags): CodeChanges {
  if (name === undefined && destination === undefined && status === undefined) {
    throw new UsageError('nothing to change', { hint: 'give --name, --destination or --status' });
  }
  if (name?.trim() === '') throw new UsageError('--name is only spaces', { hint: 'give the code a name that can be read' });
  return { name, destination, status };
}
