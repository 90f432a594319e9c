/**
 * Collects texts with spaces that may be part of a path in a message: words of the command line, the working directory, the home directory.
 * A message doesn't distinguish spaces of paths from spaces between words, so these texts keep lines from breaking within a path.
 */
import type { Environment } from './colour.ts';

export interface NamedPlaces {
  /** The words of the command line. */
  argv: readonly string[];
  env: Environment;
  cwd(): string;
}

const VARIABLES = [
  ...['HOME', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA'],
  ...['QRCTL_CONFIG_DIR', 'QRCTL_STATE_DIR', 'XDG_CONFIG_HOME', 'XDG_CACHE_HOME', 'XDG_STATE_HOME'],
];

/** `--output=` or `-o`, with a value glued to it. */
const FLAG = /^(--[\w-]+=|-[a-zA-Z])/;
/** Of `my codes.csv` come `my codes.results.csv` and `my codes.csv.state.json`. */
const EXTENSIONS = /(\.\w{1,8})+$/;

/** Returns these texts, the longest first. A deleted working directory is ignored. */
export function spacedPaths({ argv, env, cwd }: NamedPlaces): string[] {
  const words = argv.flatMap((word) => [word, word.replace(FLAG, '')]);
  const named = [...words, ...words.map((word) => word.replace(EXTENSIONS, ''))];
  const places = [...named, ...VARIABLES.map((name) => env[name] ?? ''), currentDirectory(cwd)];
  return [...new Set(places)]
    .filter((place) => place.trim().includes(' '))
    .sort((a, b) => b.length - a.length);
}

function currentDirectory(cwd: () => string): string {
  try {
    return cwd();
  } catch {
    return '';
  }
}
