/** `qr get` */
import { findCode } from '../../codes/find-code.ts';
import { defineCommand } from '../define.ts';
import { outputOptions, printRecord, timezoneOption } from '../output-options.ts';
import { codeOutput } from './code-columns.ts';

export const command = defineCommand({
  description:
    'Shows one code. A slug never seen here costs the listing that finds it; one seen before is asked for directly, as an id is.',
  arguments: [{ term: '<code>', description: 'id (uuid) or slug', complete: 'codes' }],
  options: { ...outputOptions, ...timezoneOption },
  examples: [
    { command: 'qrctl qr get aB3xY', does: 'the code with this slug' },
    { command: 'qrctl qr get 6f1c2f0e-8a53-4a3e-9d53-0d6a2b9a0c11 --format json', does: 'the code with this id, for a script' },
    { command: 'qrctl qr get aB3xY --fields destination --format csv --no-header', does: 'only where it points to' },
  ],
  async run(context, { args: [wanted = ''], options }) {
    const { columns, toRecord } = await codeOutput(context, options, 'record');
    const code = await findCode(await context.service(), wanted);
    context.facts.codes = 1;
    await printRecord(context, toRecord(code), columns, options);
  },
});
