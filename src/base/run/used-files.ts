import { type BigIntStats, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { orUndefined, UsageError } from '#base/errors';

interface UsedFile {
  /** Flag that specifies the file, or the file that its name is derived from. */
  flag?: string;
  what?: string;
  path: string;
  writes: boolean;
}

export type UsedFiles = ReturnType<typeof createUsedFiles>;

export function createUsedFiles() {
  const used = new Map<string, UsedFile>();
  const refused = new Set<string | undefined>();
  return {
    use(...files: UsedFile[]): void {
      for (const file of files) {
        const identity = identityOf(file.path);
        const other = identity === undefined ? undefined : used.get(identity);
        if (other && (other.writes || file.writes) && other.flag !== file.flag) {
          for (const { flag } of [file, other]) refused.add(flag);
          throw refusal(file, other);
        }
        if (identity !== undefined && !other?.writes) used.set(identity, file);
      }
    },
    isRefused: (flag: string): boolean => refused.has(flag),
  };
}

function refusal(file: UsedFile, other: UsedFile): UsageError {
  const nameOf = ({ what, flag = '' }: UsedFile) => what ?? flag;
  const movable = [file, other].find(({ what, writes }) => writes && what === undefined) ?? file;
  const isCase = basename(file.path) !== basename(other.path) && statOf(file.path) === undefined;
  const fault = isCase ? "can't differ only in case from" : "can't be the same file as";
  return new UsageError(`${nameOf(file)} ${fault} ${nameOf(other)}: ${file.path}`, {
    hint: `Specify a different file with ${movable.flag}.`,
  });
}

/** Identifies a file, by directory and name if it is missing. Ignores `-`, devices and directories. */
function identityOf(path: string): string | undefined {
  if (path === '-') return undefined;
  const found = statOf(path);
  if (found) return found.isFile() ? `${found.dev}:${found.ino}` : undefined;
  // Doesn't use `resolve`, because the system follows a link before it applies `..`.
  const directory = statOf(dirname(path));
  const place = directory ? `${directory.dev}:${directory.ino}` : dirname(path);
  return `${place}/${basename(path).normalize().toLowerCase()}`;
}

function statOf(path: string): BigIntStats | undefined {
  return orUndefined(() => statSync(path, { bigint: true }));
}
