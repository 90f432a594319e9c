/** Two decoders that the product does not use. */
import { spawnSync } from 'node:child_process';
import type { Level } from '#codes/images/encode';

/** A code that is drawn as NAME.FORMAT and rendered as NAME.png. */
export interface Case {
  readonly name: string;
  readonly text: string;
  readonly level: Level;
  readonly mm: number;
}

const BATCH = 100;

/** What was read of NAME.png in a folder, by name. */
type Read = (folder: string, cases: readonly Case[]) => Map<string, string>;

export const DECODERS: readonly [string, Read][] = [
  ['zbarimg', readByZbar],
  ['ZXingReader', readByZxing],
];

const RUN = { encoding: 'utf8', maxBuffer: 2 ** 28, env: { ...process.env, LC_ALL: 'C.UTF-8' } } as const;

function readByZbar(folder: string, cases: readonly Case[]): Map<string, string> {
  const found = new Map<string, string>();
  for (let at = 0; at < cases.length; at += BATCH) {
    const files = cases.slice(at, at + BATCH).map(({ name }) => `${name}.png`);
    const { stdout } = spawnSync(
      'zbarimg',
      ['-q', '--nodbus', '--xml', '-Sdisable', '-Sqrcode.enable', ...files],
      {
        cwd: folder,
        ...RUN,
      },
    );
    for (const [, file = '', inner = ''] of stdout.matchAll(
      /<source href='([^']*)\.png'>([\s\S]*?)<\/source>/g,
    )) {
      const data = /<data><!\[CDATA\[([\s\S]*?)\]\]><\/data>/.exec(inner)?.[1];
      if (data !== undefined) found.set(file, data);
    }
  }
  // Text that is not ASCII comes as Base64 in XML, and broken; alone it comes as it is.
  for (const { name } of cases.filter(({ text }) => /[^ -~]/.test(text))) {
    const { stdout } = spawnSync(
      'zbarimg',
      ['-q', '--nodbus', '--raw', '-Sdisable', '-Sqrcode.enable', `${name}.png`],
      {
        cwd: folder,
        ...RUN,
      },
    );
    if (stdout !== '') found.set(name, stdout.replace(/\n$/, ''));
  }
  return found;
}

function readByZxing(folder: string, cases: readonly Case[]): Map<string, string> {
  const found = new Map<string, string>();
  for (let at = 0; at < cases.length; at += BATCH) {
    const files = cases.slice(at, at + BATCH).map(({ name }) => `${name}.png`);
    const { stdout } = spawnSync('ZXingReader', ['-1', '-format', 'QRCode', ...files], {
      cwd: folder,
      ...RUN,
    });
    for (const [, file = '', data = ''] of stdout.matchAll(/^(c\d+)\.png QRCode "(.*)"$/gm)) {
      // It writes what is not ASCII as `<U+6771>`.
      found.set(
        file,
        data.replace(/<U\+([0-9A-F]+)>/g, (_, hex) => String.fromCodePoint(Number.parseInt(hex, 16))),
      );
    }
  }
  return found;
}
