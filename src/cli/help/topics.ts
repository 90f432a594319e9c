/** What `qrctl help TOPIC` explains, and the sections of qrctl(1). One text, laid out for the terminal and for man. */
import { EXIT_CODES } from '../../errors.ts';
import { ENDINGS, FORMAT_MEANINGS } from '../../rows/formats.ts';

/** A paragraph, a list of terms and their meanings, or lines to type or read as they stand. */
export type Block = string | { list: readonly (readonly [term: string, meaning: string])[] } | { lines: readonly string[] };

export interface Topic {
  name: string;
  title: string;
  blocks: readonly Block[];
}

export const TOPICS: readonly Topic[] = [
  {
    name: 'exit-codes',
    title: 'Exit codes',
    blocks: [
      { list: EXIT_CODES.map(({ exit, meaning }) => [String(exit), meaning] as const) },
      'An error is told on standard error: what failed, on what, and the next command to try. With --format json or ndjson it is ' +
        'one line of JSON, whose code and status are null where the service sent none:',
      { lines: ['{"error":{"message":…,"code":…,"status":…,"exit":…,"hint":…}}'] },
      'A closed pipe (| head) ends a command quietly with 0. A full disk never does.',
    ],
  },
  {
    name: 'formatting',
    title: 'Formatting',
    blocks: [
      'Standard output carries data and nothing else; notes, progress, prompts and errors go to standard error.',
      { list: Object.entries(FORMAT_MEANINGS) },
      `--output FILE takes the format from its extension where --format is absent: ${ENDINGS.join(', ')}, each also ` +
        'with .gz, which compresses; .xlsx is a workbook, with times in the time zone of the profile. FILE appears when it is complete; on any failure it is as it was.',
      '--fields a,b,c chooses columns and their order. --ids prints only ids, one a line. --no-header leaves out the row of names.',
      "In CSV, cells that a spreadsheet would take for a formula get a leading ', and so do those that begin with ' before one; every " +
        '--from takes one off again. --raw-cells turns that off, for reading too; --excel adds what Excel needs to read UTF-8 and line ' +
        'ends; --delimiter puts semicolons or tabs between cells. JSON and NDJSON are always the exact values.',
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
    name: 'environment',
    title: 'Environment',
    blocks: [
      'A flag beats a variable, and a variable beats the profile.',
      {
        list: [
          ['QRCTL_API_KEY', 'the key, in place of the stored one; no flag takes a key, because arguments are public'],
          ['QRCTL_BASE_URL', 'the service, ending in /api/v1; as --base-url'],
          ['QRCTL_PROFILE', 'the stored profile to use; as --profile'],
          ['QRCTL_CONFIG_DIR', "where config.json is, in place of the system's place (see qrctl config path)"],
          ['NO_COLOR, FORCE_COLOR', 'never colours, always colours; TERM=dumb means no colours and no progress bar'],
          ['CI', 'nobody is asked anything, and no progress bar is drawn'],
          ['HTTPS_PROXY, HTTP_PROXY', 'the proxy to go through'],
          ['NO_PROXY', 'hosts to reach directly'],
          ['NODE_EXTRA_CA_CERTS', 'a file with certificates of authorities to trust as well'],
        ],
      },
      'A stored key is sent only to the base URL it was stored with; QRCTL_API_KEY goes to whichever is in force.',
    ],
  },
  {
    name: 'rate-limits',
    title: 'Rate limits',
    blocks: [
      'The service counts the requests of a workspace in windows of a minute, for all its keys, people and machines together: 60 on ' +
        'the Free plan, 300 on Pro, 1000 on Business. Alone in its workspace qrctl never asks for more than is left: it waits for the ' +
        "next window, by the service's clock, and then goes on. In company it waits when it is told to. Nothing fails, nothing is lost.",
      {
        list: [
          ['--max-wait 10m', 'give up with exit code 6 rather than wait longer than that in all; 0 never waits'],
          ['--reserve 20', 'leave 20 requests of each window to others; --reserve 10% leaves a tenth'],
          ['--concurrency 8', 'requests in flight at once, 1 to 32; the limit counts requests, not how fast they come'],
        ],
      },
      'A page holds 500 scans or 100 codes, so 100,000 scans are 200 requests.',
      {
        lines: ['qrctl auth status', 'qrctl scans export --all --dry-run', 'qrctl config set reserve 10%'],
      },
    ],
  },
  {
    name: 'automation',
    title: 'Automation',
    blocks: [
      'In scripts: give the key as QRCTL_API_KEY, the format as a flag, and look at the exit code (qrctl help exit-codes). Without a ' +
        'terminal nothing is asked: what would be asked needs --yes, or fails with 2.',
      'New scans into one file, from cron; it can be killed at any moment and never holds a scan twice:',
      { lines: ['0 * * * *  qrctl scans export spring-menu -o scans.csv --append -q'] },
      'Create the codes of a spreadsheet; run it again until it exits with 0, and each row exists once:',
      { lines: ['qrctl qr create --from codes.csv'] },
      'In CI, where no journal is kept between runs:',
      { lines: ['qrctl qr create --from codes.csv --skip-existing --format json'] },
      'Pause every code whose name holds a word; -r runs nothing where there is none:',
      {
        lines: ['qrctl qr list --name Easter --ids |', '  xargs -r qrctl qr update --status paused'],
      },
      'A shell with -e, as CI has it, ends at the first exit code that is not caught:',
      {
        lines: ['rc=0', 'qrctl qr create --from codes.csv || rc=$?'],
      },
      'Try any of it against a local service first:',
      { lines: ['qrctl sandbox'] },
    ],
  },
];
