/**
 * Runs the command lines of each file in `transcripts/`, in one directory and with one workspace, and compares all that they print with the
 * file. To add a line, write `$ qrctl …` into a file and run vitest with `--update`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { splitWords } from '#settings/key-command';
import { useDirectory } from '../support/cli.ts';
import { runHere } from '../support/run-here.ts';
import { useSandbox } from '../support/sandbox.ts';

const DIRECTORY = new URL('transcripts/', import.meta.url);

const FILES: Readonly<Record<string, string | Buffer>> = {
  'list.txt': 'spring-menu\nsummer-menu\n',
  'unknown.txt': 'spring-menu\nnope\n',
  'empty.txt': '',
  'new.csv': 'name,type,destination,store\nOne,url,https://example.com/1,Berlin\nTwo,sms,,Paris\n',
  'faults.csv': 'name,type,destination\n,url,https://example.com/1\nTwo,fax,\nThree,url,http://\n',
  'names.csv': 'name\nOnly a name\n',
  'keyed.csv':
    'key,name,type,destination\na,Alpha,url,https://example.com/a\nb,Beta,url,https://example.com/b\n',
  'stores.csv': 'slug,store,region\nspring-menu,Berlin,North\nsummer-menu,Paris,South\n',
  'body.json': '{"name":"By hand"}',
  'bad.json': '{"name":',
  'notes.txt': 'Dear client,\n',
  'cut.csv.gz': Buffer.from('1f8b0800000000000003', 'hex'),
};

/** `TTY=80` before a line: on a terminal of 80 columns. `cat FILE |`: standard input. `cat FILE` alone prints the file. */
const LINE = /^(?:TTY=(?<tty>\d+) |cat (?<input>\S+) \| )?(?<command>.*)$/;

/** What differs from run to run: IDs of runs, times of today, requests that remain, ports, and measured seconds. */
const FIXED: readonly (readonly [RegExp, string])[] = [
  [/\b\d{8}-\d{4}-[0-9a-f]{6}\b/g, 'RUN'],
  [/\b20(?:2[6-9]|[3-9]\d)-\d\d-\d\d(?:T[\d:.]+Z| \d\d:\d\d(?::\d\d)?)?/g, 'TODAY'],
  [/\b99\d{3}\b/g, '99999'],
  [/127\.0\.0\.1:\d+/g, 'HOST'],
  [/, \d+\.\d s\)/g, ', 0.0 s)'],
  [/\(\d+ ms\)/g, '(0 ms)'],
  [/,100000,\d+$/gm, ',100000,1'],
];

test.each(readdirSync(DIRECTORY))('the command lines in %s print what the file contains', async (name) => {
  const path = new URL(name, DIRECTORY);
  const lines = [...readFileSync(path, 'utf8').matchAll(/^\$ (.+)$/gm)].map(([, line = '']) => line);
  const sandbox = await useSandbox({ codes: 6, scans: 40, limit: 100_000, windowMs: 3_600_000 });
  const cwd = await useDirectory();
  for (const [file, text] of Object.entries(FILES)) await writeFile(join(cwd, file), text);
  const env = { ...sandbox.env, QRCTL_CONFIG_DIR: join(cwd, 'config') };
  let shown = '';
  for (const line of lines) {
    const { tty, input, command = '' } = LINE.exec(line)?.groups ?? {};
    const [program, ...words] = splitWords(command, (reason) => expect.fail(reason));
    const text = async (file = '') => readFile(join(cwd, file), 'utf8');
    const { code, stdout, stderr } =
      program === 'cat'
        ? { code: 0, stdout: await text(words[0]), stderr: '' }
        : await runHere(words, {
            cwd,
            env: { ...env, ...(tty !== undefined && { NO_COLOR: '1' }) },
            ...(tty !== undefined && { tty: Number(tty) }),
            ...(input !== undefined && { input: await text(input) }),
          });
    shown += `$ ${line}\n${stdout}${stderr}${code === 0 ? '' : `[${code}]\n`}\n`;
  }
  const fixed = FIXED.reduce(
    (text, [pattern, word]) => text.replace(pattern, word),
    shown.replaceAll(sandbox.baseUrl, 'https://HOST/api/v1').replaceAll(cwd, 'DIR'),
  );
  await expect(fixed).toMatchFileSnapshot(`transcripts/${name}`);
});
