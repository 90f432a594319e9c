/** The flags every command has, before and after its name; their values reach it as `context.settings()`. */
import { VALUES } from '../settings/values.ts';
import { flag, type OptionDefinition, PERIOD, parsed, text } from './define.ts';

/** The heading that they stand under. */
const GLOBAL_FLAGS = 'Global flags:';

/** A value that is checked while parsing and kept as it was typed, so that flag, profile and `config list` show the same. */
function checked(
  flags: string,
  description: string,
  { parse, forms }: { parse: (raw: string) => unknown; forms: string },
): OptionDefinition<string> {
  const keep = (raw: string) => (parse(raw) === undefined ? undefined : raw);
  return parsed(flags, description, { parse: keep, forms }, { group: GLOBAL_FLAGS });
}

export const globalOptions = {
  profile: text('--profile <name>', 'the stored profile (key and base URL) to use [variable: QRCTL_PROFILE]', {
    group: GLOBAL_FLAGS,
    complete: 'profiles',
  }),
  baseUrl: text('--base-url <url>', 'the service, ending in /api/v1 [variable: QRCTL_BASE_URL]', { group: GLOBAL_FLAGS }),
  maxWait: checked(
    '--max-wait <duration>',
    'give up (exit 6) rather than pause longer than this in all for the rate limit; 0 never pauses',
    VALUES['max-wait'],
  ),
  reserve: checked('--reserve <n|n%>', 'leave that many requests of each window to others', VALUES.reserve),
  concurrency: checked('--concurrency <n>', 'requests in flight at once, 1 to 32 (default: 4)', VALUES.concurrency),
  timeout: parsed('--timeout <duration>', 'time for one request, from connect to last byte (default: 30s)', PERIOD, {
    group: GLOBAL_FLAGS,
  }),
  retryFor: parsed(
    '--retry-for <duration>',
    'how long in all to keep trying through failed connections and 5xx (exit 7 then); a cron job may say 15m (default: 30s)',
    VALUES['max-wait'],
    { group: GLOBAL_FLAGS },
  ),
  summary: text('--summary <file>', 'one JSON object about the run, written when it ends, however it ends', {
    group: GLOBAL_FLAGS,
    complete: 'files',
  }),
  quiet: flag('-q, --quiet', 'no progress, no notes; errors only', { group: GLOBAL_FLAGS }),
  verbose: flag('-v, --verbose', 'one line a request on standard error', { group: GLOBAL_FLAGS }),
  color: flag('--no-color', 'no colours', { group: GLOBAL_FLAGS }),
};

/** What is asked for in place of running a command. */
export const requestOptions = {
  help: flag('-h, --help', 'print help', { group: GLOBAL_FLAGS }),
  version: flag('-V, --version', 'print the version', { group: GLOBAL_FLAGS }),
};
