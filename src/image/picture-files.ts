/** Names the files of images, and hashes those that exist. */
import { createHash } from 'node:crypto';
import { nodeDisk } from '../durable/disk.ts';
import { inDirectory } from '../durable/held-directory.ts';
import { systemCode } from '../durable/path-errors.ts';
import { realPath } from '../durable/trusted-file.ts';
import { UsageError } from '../errors.ts';
import { isUuid } from '../service/checks.ts';
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

/** Safe on every file system, and no device of Windows. */
const SAFE = /^(?!(?:con|prn|aux|nul|com\d|lpt\d)$)[a-z0-9][a-z0-9_-]{0,99}$/i;

/** Names the files in the order of the codes. Uses the ID instead of a slug that is unsafe or differs from another only in case. */
export function nameFiles(
  encoded: readonly EncodedCode[],
  formats: readonly PictureFormat[],
  by: 'id' | 'slug',
): { files: PictureFile[]; unsafe: number } {
  const often = new Map<string, number>();
  for (const { code } of encoded) often.set(code.slug.toLowerCase(), (often.get(code.slug.toLowerCase()) ?? 0) + 1);
  let unsafe = 0;
  const files = encoded.flatMap((one): PictureFile[] => {
    const { id, slug } = one.code;
    if (!isUuid(id)) throw new UsageError(`cannot use the ID ${JSON.stringify(id)} as a file name: not a UUID`);
    const isFit = SAFE.test(slug) && !isUuid(slug) && often.get(slug.toLowerCase()) === 1;
    if (by === 'slug' && !isFit) unsafe++;
    const name = by === 'slug' && isFit ? slug : id.toLowerCase();
    return formats.map((format) => ({ encoded: one, format, file: `${name}.${format}` }));
  });
  return { files, unsafe };
}

/** More than any picture has: the largest PNG takes 5 MiB. */
const MOST_BYTES = 64 * 2 ** 20;

/** Returns the SHA-256 of each existing file by name. */
export async function hashFiles(directory: string, files: readonly PictureFile[]): Promise<Map<string, string>> {
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
