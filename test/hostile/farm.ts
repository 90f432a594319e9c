/** Runs the built command against one hostile server, and judges how it ends. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { EXIT_CODES } from '#base/errors';
import { argv } from '../support/argv.ts';
import { type CliOptions, type CliResult, runCli, startCli, useDirectory } from '../support/cli.ts';
import { useFaultServer } from '../support/fault-server.ts';
import { useSandbox } from '../support/sandbox.ts';
import type { HostileServer } from './honest.ts';
import { ID } from './samples.ts';

const ROWS = Array.from({ length: 5 }, (_, i) => `Poster ${i},url,https://example.com/${i}`);
const TIMEOUT_MS = 2000;
const FAST = ['--timeout', `${TIMEOUT_MS}ms`, '--retry-for', '1s', '--max-wait', '1s'];

/** Every command that sends requests, as a script runs it. */
export const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  'qr list -f table': ['qr', 'list', '-f', 'table'],
  'qr list -f json': ['qr', 'list', '-f', 'json'],
  'qr get': ['qr', 'get', ID, '-f', 'table'],
  'scans export': ['scans', 'export', ID, '-o', 'scans.csv'],
  'scans stats': argv`scans stats ${ID} --by country --by day -f csv --timezone UTC --until 2026-11-01`,
  'qr create --from': ['qr', 'create', '--from', 'rows.csv', '--settle', '100ms'],
  'qr update': ['qr', 'update', ID, '--name', 'New'],
  'qr delete': ['qr', 'delete', ID, '--yes'],
  'qr check': ['qr', 'check', '--allow-private'],
};

export interface Run extends CliResult {
  /** The file that it wrote; empty where it wrote none. */
  file: string;
  wallMs: number;
  processorMs: number;
  peakMb: number;
  requests: number;
}

const PEAK = `--import=data:text/javascript,import{writeFileSync}from'node:fs';process.on('exit',()=>writeFileSync('usage.json',JSON.stringify(process.resourceUsage())))`;

/** For `qr check` the server is a destination, else the service. */
async function prepare(server: HostileServer, command: string) {
  const cwd = await useDirectory();
  await mkdir(cwd, { recursive: true });
  await writeFile(join(cwd, 'rows.csv'), `name,type,destination\n${ROWS.join('\n')}\n`);
  const hostile = await useFaultServer(server.react, server.greet);
  const scheme = server.isTls ? 'https' : 'http';
  const options: CliOptions = { cwd, nodeArgs: [PEAK], timeoutMs: 300_000 };
  if (command !== 'qr check') {
    return {
      hostile,
      options: {
        ...options,
        env: { ...hostile.env, QRCTL_BASE_URL: hostile.baseUrl.replace('http', scheme) },
      },
    };
  }
  const sandbox = await useSandbox({ codes: 0 });
  sandbox.workspace.create({
    name: 'x',
    type: 'url',
    destination: `${scheme}://127.0.0.1:${hostile.port}/menu`,
  });
  return { hostile, options: { ...options, env: sandbox.env } };
}

/** Runs it to its end. */
export async function run(server: HostileServer, command: string): Promise<Run> {
  const { hostile, options } = await prepare(server, command);
  const began = performance.now();
  const result = await runCli([...(COMMANDS[command] ?? []), ...FAST], options);
  const wallMs = performance.now() - began;
  const read = (name: string) => readFile(join(options.cwd ?? '', name), 'utf8').catch(() => '');
  const usage = JSON.parse((await read('usage.json')) || '{}');
  const processorMs = (usage.userCPUTime + usage.systemCPUTime) / 1000;
  const file = (await read('scans.csv')) + (await read('rows.results.csv'));
  return {
    ...result,
    file,
    wallMs,
    processorMs,
    peakMb: usage.maxRSS / 1024,
    requests: hostile.requests.length,
  };
}

/** How many times longer than alone things take on a machine where others want to compute, too. */
function slowness(): number {
  return Math.max(1, (loadavg()[0] ?? 1) / availableParallelism());
}

const SLACK_MS = 5000;
const MOST_PROCESSOR_MS = 5000;
/** Of a response of many megabytes, beside that. */
const PROCESSOR_MS_A_REQUEST = 250;
const MOST_MB = 500;
const MOST_STDERR = 20_000;
const LONGEST_LINE = 2000;
const STACK =
  /^ {2,}at |node:internal|AssertionError|unhandled|a bug in qrctl|a defect of qrctl|\)\{return /im;

/** What is wrong with an end, one line each. `honest` is how the same command ended with a service that is as it should be. */
export function judge(server: HostileServer, command: string, ended: Run, honest: Run): string[] {
  const { code, stdout, stderr, file, wallMs, processorMs, peakMb, requests } = ended;
  // Each request may take --timeout; then --retry-for, --max-wait, and the rows of a bulk file that are looked for twice.
  const boundMs = TIMEOUT_MS * requests + 2000 + (command === 'qr create --from' ? 10_000 : 0);
  const isRight =
    server.isRight || command === 'qr check' || (stdout === honest.stdout && file === honest.file);
  const wrongs = [
    !EXIT_CODES.some(({ exit }) => exit === code) && `exit ${code}`,
    code === 0 &&
      !isRight &&
      `exit 0, and what it says is not right: ${stdout.slice(0, 300)}${file.slice(0, 300)}`,
    command === 'qr check' && ![0, 7, 8].includes(code) && `exit ${code} for a destination`,
    code !== 0 && stderr.trim() === '' && `exit ${code} without a word`,
    STACK.test(stderr) && `a stack: ${stderr.slice(0, 2000)}`,
    stderr.length > MOST_STDERR && `${stderr.length} characters on standard error`,
    stderr.split('\n').some(({ length }) => length > LONGEST_LINE) && 'a line without end on standard error',
    /svc_live_test/.test(stdout + stderr + file) && 'the key is shown',
    wallMs > boundMs + SLACK_MS * slowness() && `${Math.round(wallMs)} ms for ${requests} requests`,
    !(processorMs < MOST_PROCESSOR_MS + PROCESSOR_MS_A_REQUEST * requests) &&
      `${Math.round(processorMs)} ms of the processor`,
    !(peakMb < MOST_MB) && `${Math.round(peakMb)} MB`,
  ];
  return wrongs.filter((wrong) => wrong !== false).map((wrong) => `${command}: ${wrong}`);
}

/** Ends it by SIGTERM after so long; resolves to what is wrong with that, if anything. */
export async function terminate(
  server: HostileServer,
  command: string,
  afterMs: number,
): Promise<string | undefined> {
  const { options } = await prepare(server, command);
  const running = await startCli([...(COMMANDS[command] ?? []), ...FAST], options);
  const isOver = await Promise.race([
    running.done.then(() => true),
    new Promise((resolve) => setTimeout(resolve, afterMs)),
  ]);
  const began = performance.now();
  if (!isOver) running.child.kill('SIGTERM');
  const { code, stderr } = await running.done;
  const tookMs = performance.now() - began;
  const what = `${command}, SIGTERM after ${Math.round(afterMs)} ms`;
  if (!isOver && tookMs > 2000 * slowness()) return `${what}: ended ${Math.round(tookMs)} ms later`;
  // Before its own handler is there the system ends it, with the same number.
  if (!EXIT_CODES.some(({ exit }) => exit === code)) return `${what}: exit ${code}`;
  return STACK.test(stderr) ? `${what}: a stack: ${stderr.slice(0, 2000)}` : undefined;
}
