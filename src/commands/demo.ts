import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalError } from '#base/errors';
import { DAY_MS } from '#base/time/time';
import type { Context } from '#context';
import { cannotOpen } from '#files/durable/path-errors';
import type { SandboxOptions } from '#sandbox/options';
import { defineCommand } from './define.ts';

const CODES_CSV = `name,type,destination
Summer menu,menu,https://www.example.com/menu
"Poster ""Sommerfest"", hall 3",url,https://www.example.com/fest?from=poster
東京ポップアップ,landing_page,https://www.example.com/tokyo
Guest wifi,wifi,
`;

const STDERR = 2;

const SHOW: SandboxOptions = {
  codes: 3,
  scans: 2000,
  plan: 'free',
  limit: 15,
  windowMs: 3000,
  live: 40,
  liveScansOfNewCode: 100,
};

const HEAD_LINES = 4;

export const command = defineCommand({
  description:
    'Runs a demo of qrctl commands against a local sandbox.\n\n' +
    'The demo creates codes from a CSV file, lists them, exports their scans to a file, and creates a report from the file. It reaches the rate ' +
    'limit on purpose. It takes about ten seconds and requires neither a key nor a network.\n\n' +
    'The files stay in a new temporary directory. The path of the export is printed on standard output.',
  options: {},
  examples: [
    ['qrctl demo', 'Watch the demo'],
    ['qrctl demo --quiet', 'Run the demo without explanations'],
  ],

  async run(context) {
    const { startSandbox } = await import('#sandbox/sandbox');
    const { clock, console } = context;
    const endsAtMs = Math.floor(clock.now() / DAY_MS) * DAY_MS;
    const directory = await makeTemporary();
    const sandbox = await startSandbox({ ...SHOW, endsAtMs, clock });
    const config = join(directory, '.config');
    const access = {
      QRCTL_BASE_URL: sandbox.baseUrl,
      QRCTL_API_KEY: sandbox.apiKey,
      QRCTL_CONFIG_DIR: config,
      QRCTL_STATE_DIR: config,
    };
    try {
      await show(context, directory, access);
      await console.write(`${join(directory, 'scans.csv')}\n`);
    } finally {
      await sandbox.close();
      (await context.codeCache(sandbox)).remove();
      await rm(config, { recursive: true, force: true });
    }
    console.note('');
    console.note('Next, try your own commands against a local service with `qrctl sandbox`,');
    console.note('or connect to your workspace with `qrctl auth login --base-url https://…/api/v1`.');
  },
});

async function makeTemporary(): Promise<string> {
  try {
    return await mkdtemp(join(tmpdir(), 'qrctl-demo-'));
  } catch (cause) {
    throw cannotOpen(`create a directory in ${tmpdir()}`, cause, 'set TMPDIR to another directory');
  }
}

async function show(context: Context, directory: string, access: Record<string, string>): Promise<void> {
  const tell = (...lines: string[]) => {
    for (const line of lines) context.console.note(line);
  };
  const run = (line: string) => runCommand(context, directory, access, line);
  await writeFile(join(directory, 'codes.csv'), CODES_CSV);
  tell(
    `A sandbox is running: ${SHOW.codes} codes with ${SHOW.scans} scans each, and ${SHOW.limit} requests per 3 seconds.`,
  );
  tell('Create codes from a spreadsheet:', '', '$ cat codes.csv', ...CODES_CSV.trimEnd().split('\n'));
  const create = 'qr create --from codes.csv --format table --fields name,slug,outcome';
  await run(create);

  tell(
    '',
    'Run the command again, as you would after a crash. Every row already exists, so no code is created.',
  );
  await run(create);
  await run('qr list --format table --fields slug,name,type,status');

  tell('', 'Export every scan to one file while new ones arrive. At the rate limit, qrctl waits:');
  await run('scans export --all --output scans.csv');
  const scans = await readFile(join(directory, 'scans.csv'), 'utf8');
  tell('', `$ head -${HEAD_LINES} scans.csv`, ...scans.split('\n', HEAD_LINES));
  tell('', 'Create a report from that file, without requests:');
  await run('scans report --input scans.csv --title Posters --output report.html');
  tell('', `All files are in ${directory}. Open report.html in a browser. The export is:`);
}

async function runCommand(
  context: Context,
  cwd: string,
  access: Record<string, string>,
  line: string,
): Promise<void> {
  context.console.note('');
  context.console.note(`$ qrctl ${line}`);
  const ownSettings = ([name]: [string, unknown]) => !name.startsWith('QRCTL_');
  const env = { ...Object.fromEntries(Object.entries(context.env).filter(ownSettings)), ...access };
  const { command: executable, args: first } = context.self;
  // Standard output that is not a terminal gets only the path of the export, because scripts read it.
  const elsewhere = context.flags.quiet ? 'ignore' : STDERR;
  const stdio = ['ignore', context.console.isTerminal ? 'inherit' : elsewhere, 'inherit'] as const;
  const child = spawn(executable, [...first, ...line.split(' ')], {
    cwd,
    env,
    stdio: [...stdio],
    signal: context.signal,
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', (error) => (context.signal.aborted ? undefined : reject(error)));
    child.once('close', resolve);
  });
  context.signal.throwIfAborted();
  if (code !== 0)
    throw new LocalError(`\`qrctl ${line}\` failed with exit code ${code}`, {
      hint: `See the files in ${cwd}.`,
    });
}
