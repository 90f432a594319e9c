import { CODE_STATUSES, CODE_TYPES } from '../../service/shapes.ts';
import { choices, defineCommand, integer, type OptionDefinition, parseOrRefuse, texts } from '../define.ts';
import { outputOptions, printRecords } from '../output-options.ts';
import { parseSort, SORT_FORMS, type Sort } from './list-filters.ts';

export const command = defineCommand({
  description:
    'Lists the codes of the workspace: every one, unless --limit says otherwise. The service has no filters, so they are applied here, ' +
    'after reading all codes; each may be repeated, and a code passes with any of the values.',
  options: {
    status: choices('--status <status>', 'only codes of this status', CODE_STATUSES),
    type: choices('--type <type>', 'only codes of this type', CODE_TYPES),
    name: texts('--name <text>', 'only codes with this in their name, in either case'),
    limit: integer('--limit <n>', 'at most so many', { min: 1 }),
    sort: {
      flags: '--sort <field[:desc]>',
      description: "order by a field (default: the service's order)",
      parse: (raw) => parseOrRefuse(raw, parseSort, SORT_FORMS),
    } satisfies OptionDefinition<Sort>,
    ...outputOptions,
  },
  examples: [
    { command: 'qrctl qr list', does: 'every code' },
    { command: 'qrctl qr list --status active --name menu --sort name', does: 'active codes with "menu" in their name' },
    { command: 'qrctl qr list --sort created_at:desc --limit 10', does: 'the ten newest' },
    { command: 'qrctl qr list -o codes.csv --excel', does: 'a file for Excel' },
    { command: 'qrctl qr list --ids --status expired', does: 'ids for another command' },
  ],
  async run(context, { options }) {
    const [{ codeOutput }, { listCodes }] = await Promise.all([import('./code-columns.ts'), import('./list-codes.ts')]);
    const { columns, dress } = await codeOutput(context, options, 'list');
    const { concurrency } = await context.settings();
    const service = await context.service();
    async function* records() {
      for await (const codes of listCodes(service, options, concurrency)) yield codes.map(dress);
    }
    await printRecords(context, records(), columns, options, 'no codes');
  },
});
