import { EXIT_CODES } from '#base/errors';
import { ACTIONS, OUTCOMES, PLAN_WORDS } from '#base/run/outcomes';
import { describeValues } from '#cli/manual';
import type { Options } from '#commands/define';
import { lineOptions } from '#commands/global-options';
import { outputOptions, timezoneOption } from '#commands/output-options';
import { ENDINGS, FORMAT_MEANINGS } from '#files/formats/formats';
import { CODE_TYPES } from '#service/shapes';

export type Block =
  | string
  | { list: readonly (readonly [term: string, meaning: string])[] }
  | { lines: readonly string[] };

export interface Topic {
  name: string;
  title: string;
  blocks: readonly Block[];
}

function flagList(options: Options): Block {
  const termOf = (flags: string) => (flags.startsWith('--') ? `    ${flags}` : flags);
  return { list: Object.values(options).map((one) => [termOf(one.flags), describeValues(one)] as const) };
}

export const FLAGS_TOPIC: Topic = {
  name: 'flags',
  title: 'Flags for every command',
  blocks: [
    'Every command accepts these flags, before or after its name:',
    flagList(lineOptions),
    'A duration is a number with a unit: 500ms, 30s, 15m, 24h, 7d, 2w.',
    'A flag overrides an environment variable, and a variable overrides the profile. See `qrctl help environment`.',
  ],
};

export const ENVIRONMENT: readonly (readonly [names: string, meaning: string])[] = [
  [
    'QRCTL_API_KEY',
    'API key to use instead of the stored key. No flag accepts a key, because other users can read arguments.',
  ],
  [
    'QRCTL_API_KEY_FILE',
    'File that contains only the API key (Docker, Kubernetes); other users must not be able to change it',
  ],
  [
    'CREDENTIALS_DIRECTORY',
    'Directory set by systemd. The credential qrctl-api-key in this directory is used as the API key.',
  ],
  ['QRCTL_BASE_URL', 'Base URL of the service, ending in /api/v1, like --base-url'],
  ['QRCTL_PROFILE', 'Stored profile to use, like --profile'],
  ['QRCTL_CONFIG_DIR', 'Directory of config.json (default: see `qrctl config path`)'],
  [
    'QRCTL_STATE_DIR',
    'Directory of the ledgers, which remember requests of runs over files (default: the state directory of the system)',
  ],
  ['NO_COLOR', 'Never use color'],
  ['FORCE_COLOR', 'Always use color, or never if 0 or false'],
  ['TERM', 'If dumb, use no color and no progress bar'],
  [
    'ACCESSIBLE',
    'If 1, adapt output to screen readers (same as the setting accessible): one line of progress every 30 seconds, no redrawing, no bars or blocks',
  ],
  ['CI', 'Never prompt or draw a progress bar'],
  [
    'GITHUB_ACTIONS',
    'If true, also annotate failed rows at their lines in the input file, and read no input through a link out of GITHUB_WORKSPACE',
  ],
  ['HTTPS_PROXY, HTTP_PROXY', 'Proxy for requests'],
  ['NO_PROXY', 'Hosts and networks (10.0.0.0/8) to connect to without the proxy'],
  ['NODE_EXTRA_CA_CERTS', 'File with additional trusted certificates'],
];

const OUTCOME_LIST: readonly (readonly [words: string, meaning: string])[] = [
  ...Object.entries(OUTCOMES).map(([outcome, meaning]) => {
    const actions = Object.entries(ACTIONS).flatMap(([action, done]) => (done === outcome ? action : []));
    return [[...actions, outcome].join(', '), meaning] as const;
  }),
  ...Object.entries(PLAN_WORDS),
];

export const TOPICS: readonly Topic[] = [
  FLAGS_TOPIC,
  {
    name: 'output',
    title: 'Output flags',
    blocks: [
      'Commands that print records have these flags:',
      flagList({ ...outputOptions, ...timezoneOption }),
      'Scans have the format parquet (.parquet) instead of markdown. `qrctl help COMMAND --full` lists the flags of one command, and ' +
        '`qrctl help formatting` explains the formats.',
    ],
  },
  {
    name: 'exit-codes',
    title: 'Exit codes',
    blocks: [
      { list: EXIT_CODES.map(({ exit, meaning }) => [String(exit), meaning] as const) },
      'qrctl prints errors to standard error, most with a hint about the next step. With --format json or ndjson, an error is one line of JSON. ' +
        'Its code and status are null if the service sent none:',
      { lines: ['{"error":{"message":…,"code":…,"status":…,"exit":…,"hint":…}}'] },
      'If a pipe is closed (`| head`), the command exits with code 0. If the disk of an output is full, the command never exits with code 0.',
    ],
  },
  {
    name: 'formatting',
    title: 'Output formats',
    blocks: [
      'The default format on a terminal is table. Otherwise, it is csv for lists and json for a single record.',
      'Standard output contains data only. Notes, progress, prompts and errors go to standard error.',
      { list: Object.entries(FORMAT_MEANINGS) },
      `Without --format, --output FILE uses the format of the file extension: ${ENDINGS.join(', ')}, each also with .gz to compress it. ` +
        "An .xlsx file is a workbook with times in the profile's time zone. FILE is replaced only when the output is complete. " +
        'If the command fails, FILE is unchanged. A file that later runs need, such as a lock file or a log of --append, is never replaced.',
      'Use --fields a,b,c to choose and order columns, --ids to print only IDs, and --no-header to omit the header row of CSV.',
      "In CSV, qrctl adds a leading ' to cells that a spreadsheet would run as a formula, and --from removes it. " +
        'To turn off both, use --raw-cells. ' +
        'For Excel, use --excel, which adds a byte order mark, CRLF line ends and, for scans, local times. JSON and NDJSON always contain the exact values.',
      'Results, manifests, summaries and dry runs use these outcomes. For an action, the word that --dry-run prints is first:',
      { list: OUTCOME_LIST },
      'qr check, scans watch and scans verify have their own outcomes.',
      {
        lines: [
          'qrctl qr list --fields slug,name,status',
          'qrctl qr list --format json | jq -r ".[].slug"',
          'qrctl scans export --all -o scans.csv.gz',
        ],
      },
    ],
  },
  {
    name: 'time-ranges',
    title: 'Time ranges',
    blocks: [
      'A range includes --since and excludes --until. Without --until, it ends at the time of the first response, measured by the ' +
        'service. Both flags accept these values:',
      {
        list: [
          ['2026-10-31', 'Midnight at the start of this day, in --timezone'],
          ['2026-10-31T18:00', 'Time in --timezone; append Z or an offset such as +02:00 to override it'],
          ['24h', 'Time before now: 30s, 15m, 24h, 7d, 2w'],
          ['now, today, yesterday', 'Current time, or midnight at the start of the day'],
        ],
      },
      'To select a whole period, use --during instead:',
      {
        list: [
          ['2026, 2026-Q4, 2026-10', 'Year, quarter, month'],
          ['2026-W42, 2026-10-31', 'ISO week, day'],
          ['today, yesterday', 'Day'],
          ['this-month, last-week', 'this- or last- with week, month, quarter or year'],
        ],
      },
      'The default for --timezone is the time zone of the profile or, if none is set, of the machine. The default for the days and months of ' +
        '--partition-by is UTC.',
      {
        lines: [
          'qrctl scans stats --all --since 7d',
          'qrctl scans export --all --during last-month -o last-month.csv',
        ],
      },
    ],
  },
  {
    name: 'types',
    title: 'Types of codes',
    blocks: [
      `A code has one of these types: ${CODE_TYPES.join(', ')}.`,
      'The destination of a code of type url is a web address. The service does not allow changing the type of a code.',
      {
        lines: [
          'qrctl qr create --name Lunch --type menu --destination https://example.com',
          'qrctl qr list --type menu',
        ],
      },
    ],
  },
  {
    name: 'environment',
    title: 'Environment variables',
    blocks: [
      'A flag overrides a variable, and a variable overrides the profile.',
      { list: ENVIRONMENT },
      'qrctl uses the first key in this order: QRCTL_API_KEY, QRCTL_API_KEY_FILE, the credential, the profile (key or key-command). ' +
        'The key of a profile is sent only to the base URL that it was stored with. Other keys are sent to any base URL that you specify.',
    ],
  },
  {
    name: 'rate-limits',
    title: 'Rate limits',
    blocks: [
      'The service counts the requests of a workspace per minute, for all keys and clients together: 60 on the Free plan, 300 on Pro, ' +
        '1000 on Business. qrctl tracks the remaining requests and waits for the next minute instead of exceeding the limit. If other clients use the ' +
        'workspace, qrctl waits when the service returns 429, then retries. No data is lost.',
      {
        list: [
          [
            '--max-wait 10m',
            'Exit with code 6 instead of waiting longer than 10 minutes in total (0: never wait)',
          ],
          [
            '--reserve 20',
            'Reserve 20 requests per minute for other clients; 10% reserves a tenth of the limit',
          ],
          [
            '--concurrency 8',
            'Send 8 requests at once (at most 32); the rate limit counts requests, not connections',
          ],
        ],
      },
      'A page has up to 500 scans or 100 codes, so 100,000 scans take 200 requests.',
      { lines: ['qrctl auth status', 'qrctl scans export --all --dry-run', 'qrctl config set reserve 10%'] },
    ],
  },
  {
    name: 'automation',
    title: 'Automation',
    blocks: [
      'In scripts, set the key with QRCTL_API_KEY or QRCTL_API_KEY_FILE and the format with --format, and check the exit code (see `qrctl help exit-codes`). ' +
        'Without a terminal, qrctl never prompts: a command that needs confirmation requires --yes, or exits with code 2.',
      'Append new scans to one file from cron. Even if you kill the command, the file never contains a scan twice:',
      { lines: ['0 * * * *  qrctl scans export spring-menu -o scans.csv --append -q'] },
      'Create codes from a spreadsheet, also in CI. If it exits with code 6 or 7, run it again. Each row gets exactly one code, also if no ' +
        'file is kept between runs: codes that exist are not created again.',
      { lines: ['qrctl qr create --from codes.csv --format json'] },
      'Check a pull request that changes a file of codes. Code 9 means that a decision is needed, and 8 that a run would change something:',
      { lines: ['qrctl qr apply --from codes.csv --dry-run --exit-code'] },
      'Pause every code whose name contains a word. With -r, xargs runs nothing if no code matches:',
      { lines: ['qrctl qr list --name Easter --ids |', '  xargs -r qrctl qr update --status paused'] },
      'Store the exit code in a shell with -e (as in CI), which otherwise stops at the first failure:',
      { lines: ['rc=0', 'qrctl qr create --from codes.csv || rc=$?'] },
      'Try all of this against a local service first:',
      { lines: ['qrctl sandbox'] },
    ],
  },
];

export const TOPIC_WORDS: readonly { name: string; summary: string }[] = [
  ...TOPICS.map(({ name, title }) => ({ name, summary: title })),
  { name: 'licenses', summary: 'Licenses of the bundled libraries' },
  { name: 'man', summary: 'Man page of a command in roff format, for `man -l -`' },
];
