import { defineCommand } from '../../define.ts';
import { RANGE_FORMS } from '../../range-options.ts';
import { options } from './flags.ts';

export const command = defineCommand({
  description:
    'Counts scans by day, country, device and more, through the same proof as an export, or from files that an export wrote. ' +
    'Without --by it counts by day. Days are days in --timezone. ' +
    `By day, week, month, hour, weekday or code alone it asks for totals where that takes fewer requests than the pages. ${RANGE_FORMS}`,
  arguments: [{ term: '[code...]', description: 'ids or slugs of codes', complete: 'codes' }],
  options,
  examples: [
    { command: 'qrctl scans stats spring-menu --during this-month', does: 'scans of each day' },
    {
      command: 'qrctl scans stats --all --by code --during last-month --compare previous',
      does: 'which code worked, and better than before',
    },
    { command: 'qrctl scans stats --input scans.csv --by country --by device', does: 'from the log on disk, without a request' },
  ],
  async run(context, { args, options }) {
    const { runStats } = await import('./run-stats.ts');
    await runStats(context, args, options);
  },
});
