/**
 * nginx, haproxy and squid as processes of the running test: each with a configuration and a directory of its own, on a free port of
 * the loopback, and gone when the test is (or its process, however that ends).
 */
import { spawn } from 'node:child_process';
import { chownSync, existsSync, readdirSync } from 'node:fs';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { useDirectory } from '../support/cli.ts';

/** Where run.mjs has unpacked them; without it they are not asked for. */
const ROOT = process.env.QRCTL_TEST_MIDDLEBOXES;
const SHARE = ROOT !== undefined && existsSync(join(ROOT, 'usr/share/squid')) ? ROOT : '/';

/** No box runs as root: squid refuses to, and no test needs it. */
const NOBODY = 65_534;
const asNobody = process.getuid?.() === 0 ? [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : [];

type BoxName = 'nginx' | 'haproxy' | 'squid';

export interface Box {
  /** It listens on 127.0.0.1 there. */
  readonly port: number;
  /** What it has written to its log so far: a line a request, and its complaints. */
  log(): Promise<string>;
}

interface NginxConfig {
  http?: string;
  server: string;
  listen?: string;
}

/** Whether a box is at hand and asked for. */
export function hasBox(name: BoxName): boolean {
  return ROOT !== undefined && pathOf(name) !== undefined;
}

/** A port that was free a moment ago. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

/**
 * nginx with one server: `http` stands before it, `server` in it, `listen` (such as `ssl`) behind its port. Its access log has
 * `METHOD URI STATUS STATUSES-OF-THE-SERVICE`.
 */
export async function startNginx({ http = '', server, listen = '' }: NginxConfig): Promise<Box> {
  const port = await freePort();
  const directory = await boxDirectory();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${directory}/${name};`,
  );
  const config = join(directory, 'nginx.conf');
  await writeFile(
    config,
    `daemon off; master_process off; pid ${directory}/pid;
    events { worker_connections 256; }
    http {
      ${temporary.join(' ')}
      log_format passed '$request_method $request_uri $status $upstream_status';
      access_log ${directory}/log passed;
      proxy_http_version 1.1;
      ${http}
      server { listen 127.0.0.1:${port} ${listen}; ${server} }
    }`,
  );
  return startBox('nginx', ['-c', config, '-e', 'stderr', '-p', directory], { port, directory });
}

/** haproxy with the given sections; PORT in them becomes the port it listens on. */
export async function startHaproxy(sections: string): Promise<Box> {
  const port = await freePort();
  const directory = await boxDirectory();
  const config = join(directory, 'haproxy.cfg');
  await writeFile(
    config,
    `global\n  log stderr format raw local0\n${sections.replaceAll('PORT', `127.0.0.1:${port}`)}\n`,
  );
  return startBox('haproxy', ['-db', '-f', config], { port, directory });
}

/** squid as a forward proxy for this machine; `config` stands before what lets it through. */
export async function startSquid(config = ''): Promise<Box> {
  const port = await freePort();
  const directory = await boxDirectory();
  const file = join(directory, 'squid.conf');
  await writeFile(
    file,
    `http_port 127.0.0.1:${port}
pid_filename none
cache_log stdio:/dev/stderr
access_log stdio:${directory}/log
logfile_rotate 0
coredump_dir ${directory}
mime_table ${SHARE}/usr/share/squid/mime.conf
icon_directory ${SHARE}/usr/share/squid/icons
error_directory ${SHARE}/usr/share/squid-langpack/en
unlinkd_program ${boxProgram('usr/lib/squid/unlinkd')}
pinger_enable off
shutdown_lifetime 0 seconds
visible_hostname squid.test
${config}
http_access allow all
`,
  );
  return startBox('squid', ['-N', '-f', file], { port, directory });
}

/** A file that a box may read, in a directory of its own. */
export async function boxFile(name: string, text: string): Promise<string> {
  const path = join(await boxDirectory(), name);
  await writeFile(path, text);
  return path;
}

/** The path of a program that belongs to a box, such as squid's check of passwords. */
export function boxProgram(path: string): string {
  return [ROOT ?? '/', '/'].map((root) => join(root, path)).find((file) => existsSync(file)) ?? path;
}

async function boxDirectory(): Promise<string> {
  const directory = await useDirectory();
  await chmod(directory, 0o755);
  if (asNobody.length > 0) chownSync(directory, NOBODY, NOBODY);
  return directory;
}

async function startBox(
  name: BoxName,
  args: string[],
  { port, directory }: { port: number; directory: string },
): Promise<Box> {
  const libraries = ROOT === undefined ? [] : librariesOf(ROOT);
  // The kernel ends it with this process: a run that is killed leaves none behind.
  const words = [...asNobody, '--pdeathsig', 'KILL', pathOf(name) ?? name, ...args];
  const child = spawn('setpriv', words, {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, LD_LIBRARY_PATH: libraries.join(delimiter) },
  });
  const said: Buffer[] = [];
  child.stdout.on('data', (chunk) => said.push(chunk));
  child.stderr.on('data', (chunk) => said.push(chunk));
  let ended = false;
  const end = new Promise<void>((resolve) =>
    child.once('close', () => resolve()).once('error', () => resolve()),
  );
  end.then(() => {
    ended = true;
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await end;
  });
  while (!(await accepts(port))) {
    if (ended) throw new Error(`${name} ended at once:\n${Buffer.concat(said)}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return {
    port,
    log: async () => (await readFile(join(directory, 'log'), 'utf8').catch(() => '')) + Buffer.concat(said),
  };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

function pathOf(name: BoxName): string | undefined {
  return [ROOT ?? '/', '/'].map((root) => join(root, 'usr/sbin', name)).find((path) => existsSync(path));
}

/** Debian keeps libraries in a directory named by machine and system. */
function librariesOf(root: string): string[] {
  return ['lib', 'usr/lib']
    .map((name) => join(root, name))
    .filter((path) => existsSync(path))
    .flatMap((path) => [path, ...readdirSync(path).map((name) => join(path, name))])
    .filter((path) => /-linux-gnu\w*$/.test(path));
}
