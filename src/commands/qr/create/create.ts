/** `qr create`: its flags, and which of its forms they ask for. */
import { defineCommand } from '../../define.ts';
import { refuseTogether, requireFrom } from '../bulk-flags.ts';
import { fileOptions, options } from './flags.ts';

export const command = defineCommand({
  description:
    'Creates one code and prints it, or one for each row of a file. The file has the columns name, type and destination, in any order; ' +
    'other columns come back in the results untouched. Each row is created exactly once, however often the command is killed and run ' +
    'again with the same files: a journal beside the results remembers what was sent. You can insert, delete, sort and add rows between runs. ' +
    'A row that was edited since its code was created is held back until --apply-edits changes that code or --as-new creates a new one.',
  options,
  examples: [
    { command: 'qrctl qr create --name "Spring menu" --destination https://example.com/menu', does: 'one code' },
    { command: 'qrctl qr create --template > codes.csv', does: 'a file to fill in' },
    { command: 'qrctl qr create --from codes.csv', does: 'a code for each row; results in codes.results.csv' },
    { command: 'qrctl qr create --from codes.csv --dry-run', does: 'what that would do, and what it costs' },
    { command: 'qrctl qr create --from codes.json --skip-existing --format json', does: 'in CI, without a journal kept' },
  ],
  async run(context, { options }) {
    if (options.template) return (await import('./one.ts')).printTemplate(context, options);
    if (options.from === undefined) {
      requireFrom(fileOptions, options);
      return (await import('./one.ts')).createOne(context, options);
    }
    refuseTogether('--from', { '--name': options.name, '--type': options.type, '--destination': options.destination });
    await (await import('./from-file.ts')).createFromFile(context, options.from, options);
  },
});
