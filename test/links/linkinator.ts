/** What linkinator says of a list of addresses: a checker by others, for whom links stand in pages. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** `OK 200` or `BROKEN 404` by address as it gives it back; `installed` is the directory it was installed in. */
export async function askLinkinator(
  installed: string,
  urls: readonly string[],
  env: Record<string, string>,
): Promise<(url: string) => string | undefined> {
  const directory = await mkdtemp(join(tmpdir(), 'qrctl-page-'));
  try {
    const links = urls.map(
      (url) => `<a href="${url.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}">x</a>\n`,
    );
    await writeFile(join(directory, 'index.html'), `<!doctype html><title>links</title>${links.join('')}`);
    const bin = join(installed, 'node_modules', '.bin', 'linkinator');
    const args = ['index.html', '--format', 'json', '--timeout', '6000'];
    const options = {
      cwd: directory,
      env: { ...process.env, ...env },
      maxBuffer: 64 * 2 ** 20,
      timeout: 150_000,
    };
    // It ends with 1 where a link is broken, and says all the same.
    const { stdout } = await run(bin, args, options).catch((error: { stdout: string }) => error);
    const { links: found }: { links: { url: string; status: number; state: string }[] } = JSON.parse(stdout);
    const verdicts = new Map(found.map(({ url, status, state }) => [url, `${state} ${status}`]));
    // It gives addresses back without what stands behind #.
    return (url) =>
      verdicts.get(url) ??
      (URL.canParse(url) ? verdicts.get(new URL(url).href.replace(/#.*/, '')) : undefined);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
