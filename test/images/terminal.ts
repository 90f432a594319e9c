/** The image of a terminal: shown by tmux at 80 columns, drawn as a light and as a dark theme would, and read by zbarimg. */
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startSandbox } from './sandbox.ts';

/** Gray of text and ground where nothing else is said, and of the sixteen colors that themes change: none of them may be needed. */
const THEMES = {
  light: { text: 90, ground: 250, named: 200 },
  dark: { text: 180, ground: 20, named: 60 },
} as const;
type Theme = (typeof THEMES)[keyof typeof THEMES];

/** Pixels of half a cell. */
const SCALE = 6;

/** How many themes it is not read in. */
export async function checkTerminal(directory: string): Promise<number> {
  const sandbox = await startSandbox(1, join(directory, 'config-terminal'));
  try {
    const slug = sandbox.run(['qr', 'list', '--fields', 'slug', '-f', 'csv', '--no-header']).trim();
    const address = `https://qr.example/${slug}`;
    const shown = await capture(
      `qr image ${slug} --short-url https://qr.example/{slug}`,
      address,
      sandbox.env,
    );
    const wrong = Object.entries(THEMES).filter(([name, theme]) => {
      const path = join(directory, `terminal-${name}`);
      writeFileSync(`${path}.pgm`, draw(shown, theme));
      execFileSync('convert', [`${path}.pgm`, `${path}.png`]);
      const read = spawnSync('zbarimg', ['-q', '--nodbus', '--raw', `${path}.png`], {
        encoding: 'utf8',
      }).stdout.trim();
      console.log(
        `a terminal of 80 columns in a ${name} theme by zbarimg: ${read === address ? 'read' : `"${read}"`}`,
      );
      return read !== address;
    });
    return wrong.length;
  } finally {
    sandbox.end();
  }
}

/** The lines of the screen with their colors, once `awaited` stands there. */
async function capture(
  words: string,
  awaited: string,
  env: Record<string, string | undefined>,
): Promise<string[]> {
  const tmux = (...args: string[]) =>
    execFileSync('tmux', ['-L', `qrctl-${process.pid}`, ...args], { encoding: 'utf8', env });
  tmux(
    '-f',
    '/dev/null',
    'new-session',
    '-d',
    '-x',
    '80',
    '-y',
    '50',
    `${process.execPath} bin/qrctl.js ${words}; cat`,
  );
  try {
    for (let tries = 0; tries < 600; tries++) {
      if (tmux('capture-pane', '-p').includes(awaited))
        return tmux('capture-pane', '-e', '-p', '-N').split('\n');
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`tmux never showed ${awaited}`);
  } finally {
    tmux('kill-server');
  }
}

const HALVES: Readonly<Record<string, readonly [upper: boolean, lower: boolean]>> = {
  ' ': [false, false],
  '▀': [true, false],
  '▄': [false, true],
  '█': [true, true],
};

/** A PGM; a letter is a gray cell. */
function draw(lines: readonly string[], theme: Theme): Buffer {
  const width = 80;
  // tmux tells a color once, for all that follows.
  const colors = { text: theme.text as number, ground: theme.ground as number };
  const halves = lines.flatMap((line) => {
    const [upper, lower] = [
      new Uint8Array(width).fill(theme.ground),
      new Uint8Array(width).fill(theme.ground),
    ];
    for (const [at, { sign, text, ground }] of cellsOf(line, theme, colors).slice(0, width).entries()) {
      const [above, below] = HALVES[sign] ?? [true, true];
      upper[at] = above ? text : ground;
      lower[at] = below ? text : ground;
    }
    return [upper, lower];
  });
  const rows = halves.flatMap((row) => {
    const wide = Buffer.from([...row].flatMap((gray) => new Array<number>(SCALE).fill(gray)));
    return new Array<Buffer>(SCALE).fill(wide);
  });
  return Buffer.concat([Buffer.from(`P5 ${width * SCALE} ${rows.length} 255\n`), ...rows]);
}

/** As grays; what is in force. */
interface Colors {
  text: number;
  ground: number;
}

/** The cells of a line: what stands in each, and both its colors (ECMA-48, and xterm's palette of 256). Leaves the colors in force. */
function cellsOf(line: string, theme: Theme, colors: Colors): (Colors & { sign: string })[] {
  const cells: (Colors & { sign: string })[] = [];
  for (const [, codes, sign] of line.matchAll(/\u001b\[([\d;]*)m|([^\u001b])/gu)) {
    if (sign !== undefined) cells.push({ sign, ...colors });
    const numbers = (codes ?? '').split(';').map(Number);
    for (let at = 0; codes !== undefined && at < numbers.length; at++) {
      const code = numbers[at] ?? 0;
      if (code === 0) Object.assign(colors, theme);
      else if (code === 39) colors.text = theme.text;
      else if (code === 49) colors.ground = theme.ground;
      else if (code === 38 || code === 48) {
        const color = numbers[at + 2] ?? 0;
        const gray = color === 16 ? 0 : color === 231 ? 255 : theme.named;
        if (code === 38) colors.text = gray;
        else colors.ground = gray;
        at += 2;
      }
    }
  }
  return cells;
}
