/** Wraps text, but not inside paths and commands, which could not be copied with a line break. */
import { orUndefined } from '#base/errors';
import { displayWidth } from '#base/text/display-width';

const INDENT = '  ';

const NARROWEST = 20;

const PART = '\0';

const COMMAND = /`[^`]+`/g;

interface Wrapping {
  indent?: string;
  whole?: () => readonly string[];
}

export function wrapWords(
  text: string,
  columns: number | undefined,
  { indent = INDENT, whole }: Wrapping = {},
): string {
  if (columns === undefined || columns < NARROWEST) return text;
  const wrap = (line: string) => {
    const commands = line.match(COMMAND) ?? [];
    const joined = [...(whole?.() ?? []), ...commands].reduce(
      (rest, part) => rest.replaceAll(part, part.replaceAll(' ', PART)),
      line,
    );
    return wrapLine(joined, columns, indent).replaceAll(PART, ' ');
  };
  return text.split('\n').map(wrap).join('\n');
}

function wrapLine(line: string, columns: number, indent: string): string {
  const [own = ''] = /^ */.exec(line) ?? [];
  const lines: string[] = [];
  let current = own;
  for (const word of line.slice(own.length).split(' ')) {
    const isFirst = current.trim() === '';
    const longer = isFirst ? current + word : `${current} ${word}`;
    if (isFirst || widthOf(longer) <= columns) {
      current = longer;
      continue;
    }
    lines.push(current);
    current = own + indent + word;
  }
  return [...lines, current].join('\n');
}

function widthOf(text: string): number {
  return displayWidth(text.replaceAll(PART, ' '));
}

const VARIABLES = `HOME USERPROFILE APPDATA LOCALAPPDATA QRCTL_CONFIG_DIR QRCTL_STATE_DIR
  XDG_CONFIG_HOME XDG_CACHE_HOME XDG_STATE_HOME`.split(/\s+/);

const FLAG = /^(--[\w-]+=|-[a-zA-Z])/;
/** Extensions to remove, because messages also name files next to an argument (`my codes.results.csv`). */
const EXTENSIONS = /(\.\w{1,8})+$/;

/** Returns texts with spaces that may be part of a path in a message, longest first. */
export function spacedPaths({ argv, env, cwd }: Pick<NodeJS.Process, 'argv' | 'env' | 'cwd'>): string[] {
  const words = argv.flatMap((word) => [word, word.replace(FLAG, '')]);
  const named = [...words, ...words.map((word) => word.replace(EXTENSIONS, ''))];
  const places = [...named, ...VARIABLES.map((name) => env[name] ?? ''), orUndefined(cwd) ?? ''];
  return [...new Set(places)]
    .filter((place) => place.trim().includes(' '))
    .sort((a, b) => b.length - a.length);
}
