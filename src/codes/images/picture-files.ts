/** Names the files of images, and hashes those that exist. */
import { createHash } from 'node:crypto';
import { inDirectory } from '../../files/durable/held-directory.ts';
import { nodeDisk } from '../../files/durable/node-disk.ts';
import { systemCode } from '../../files/durable/path-errors.ts';
import { realPath } from '../../files/durable/trusted-file.ts';
import { createFileNames, type FileNames } from '../listing/file-names.ts';
import type { EncodedCode } from './encode-codes.ts';
import type { Manifest } from './manifest.ts';
import type { PictureFormat } from './picture.ts';

/** One file to draw. */
export interface PictureFile {
  readonly encoded: EncodedCode;
  readonly format: PictureFormat;
  /** In the directory. */
  readonly file: string;
}

/** Names the files in the order of the codes; `unsafe` counts the codes that are named by ID although slugs were requested. */
export function nameFiles(
  encoded: readonly EncodedCode[],
  formats: readonly PictureFormat[],
  by: FileNames,
): { files: PictureFile[]; unsafe: number } {
  const codes = encoded.map(({ code }) => code);
  const nameOf = createFileNames(codes, by);
  const files = encoded.flatMap((one): PictureFile[] => {
    const name = nameOf(one.code);
    return formats.map((format) => ({ encoded: one, format, file: `${name}.${format}` }));
  });
  return { files, unsafe: by === 'slug' ? codes.filter((code) => nameOf(code) !== code.slug).length : 0 };
}

/** More than any image has: the largest PNG takes 5 MiB. */
const MOST_BYTES = 64 * 2 ** 20;

/** Returns the SHA-256 of each existing file by name. */
export async function hashFiles(
  directory: string,
  files: readonly PictureFile[],
): Promise<Map<string, string>> {
  const wanted = new Set(files.map(({ file }) => file));
  const hashes = new Map<string, string>();
  try {
    await inDirectory(nodeDisk, await realPath(nodeDisk, directory), async ({ at, names }) => {
      for (const name of (await names()).filter((found) => wanted.has(found))) {
        // A directory, a pipe, a link or an oversized file is not an image of qrctl.
        const bytes = await nodeDisk.readFile(at(name), MOST_BYTES).catch(() => undefined);
        hashes.set(name, bytes ? createHash('sha256').update(bytes).digest('hex') : '');
      }
    });
  } catch (error) {
    if (systemCode(error) !== 'ENOENT' && systemCode(error) !== 'ENOTDIR') throw error;
  }
  return hashes;
}

/** I5: returns whether the file may be replaced: an earlier run wrote its current content, or it doesn't exist. */
export function isOurs({ rows }: Manifest, file: string, hash: string | undefined): boolean {
  return hash === undefined || rows.get(file)?.sha256 === hash;
}
