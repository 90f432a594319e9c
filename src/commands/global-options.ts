/** The flags every command has, before and after its name; their values reach it as `context.settings()`. */
import { GLOBAL_FLAGS as GROUP } from '../cli/help/page.ts';
import { VALUES } from '../settings/values.ts';
import { flag, type OptionDefinition, PERIOD, parsed, text } from './define.ts';

/** A value that is checked while parsing and kept as it was typed, so that flag, profile and `config list` show the same. */
function checked(
  flags: string,
  description: string,
  { parse, forms }: { parse: (raw: string) => unknown; forms: string },
): OptionDefinition<string> {
  const keep = (raw: string) => (parse(raw) === undefined ? undefined : raw);
  return parsed(flags, description, { parse: keep, forms }, { group: GROUP });
}

export const globalOptions = {
  profile: text('--profile <name>', 'the stored profile (key and base URL) to use [variable: QRCTL_PROFILE]', {
    group: GROUP,
    complete: 'profiles',
  }),
  baseUrl: text('--base-url <url>', 'the service, ending in /api/v1 [variable: QRCTL_BASE_URL]', { group: GROUP }),
  maxWait: checked(
    '--max-wait <duration>',
    'give up (exit 6) rather than pause longer than this in all for the rate limit; 0 never pauses',
    VALUES['max-wait'],
  ),
  reserve: checked('--reserve <n|n%>', 'leave that many requests of each window to others', VALUES.reserve),
  concurrency: checked('--concurrency <n>', 'requests in flight at once, 1 to 32 (default: 4)', VALUES.concurrency),
  timeout: parsed('--timeout <duration>', 'time for one request, from connect to last byte (default: 30s)', PERIOD, {
    group: GROUP,
  }),
  retryFor: parsed(
    '--retry-for <duration>',
    'how long in all to keep trying through failed connections and 5xx (exit 7 then); a cron job may say 15m (default: 30s)',
    VALUES['max-wait'],
    { group: GROUP },
  ),
  summary: text('--summary <file>', 'one JSON object about the run, written when it ends, however it ends', {
    group: GROUP,
    complete: 'files',
  }),
  quiet: flag('-q, --quiet', 'no progress, no notes; errors only', { group: GROUP }),
  verbose: flag('-v, --verbose', 'one line a request on standard error', { group: GROUP }),
  color: flag('--no-color', 'no colours', { group: GROUP }),
};

/** What is asked for in place of running a command. */
export const requestOptions = {
  help: flag('-h, --help', 'print help', { group: GROUP }),
  version: flag('-V, --version', 'print the version', { group: GROUP }),
};
