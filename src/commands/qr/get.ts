import { findCode } from '#codes/listing/find-codes';
import { defineCommand } from '#commands/define';
import { outputOptions, timezoneOption } from '#commands/output-options';
import { resolveNames } from '#commands/short-urls';
import { CODE_OUTPUT, codeOutput } from './code-columns.ts';

export const command = defineCommand({
  description:
    'Shows one code.\n\n' +
    'One request is enough, unless this machine has never seen the slug: then qrctl lists codes up to the code.',
  arguments: [{ term: '<code>', description: 'ID, slug or short URL of the code', complete: 'codes' }],
  options: { ...outputOptions, ...timezoneOption },
  columns: [CODE_OUTPUT],
  examples: [
    ['qrctl qr get spring-menu', 'Show the code with this slug'],
    ['qrctl qr get spring-menu --format json', 'Print the code as JSON for a script'],
    ['qrctl qr get spring-menu --fields destination --format csv --no-header', 'Print only the destination'],
  ],
  async run(context, { args, options }) {
    const { output, toRecord } = await codeOutput(context, options, 'record');
    const [wanted = ''] = await resolveNames(context, args);
    const code = await findCode(await context.service(), wanted);
    context.facts.codes = 1;
    await output.print([toRecord(code)]);
  },
});
