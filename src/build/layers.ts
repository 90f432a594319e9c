/**
 * The layers of `src/`, from the top down: a module imports modules of its own folder and of layers below. `npm run layers` writes from this
 * list the linter's rules (src/build/layers.json, which biome.json extends) and the table of docs/architecture.md.
 */
import { readdirSync } from 'node:fs';

interface Rule {
  group: readonly string[];
  message: string;
}

/** What each folder and file of `src/` does. Those of one layer do not import each other. */
export const LAYERS: readonly Readonly<Record<string, string>>[] = [
  { build: 'builds the program, and starts the build' },
  { 'main.ts': 'argv → command → exit code' },
  { 'app.ts': 'the program that `main.ts` loads' },
  { cli: 'reads the command line: tree of commands, refusals, suggestions, help, completion' },
  { commands: 'one folder per noun, one file or folder per verb: flags, checks, one call, one print' },
  { 'context.ts': 'the context of a command: console, settings, service, clock, signal' },
  {
    codes:
      'listing, files of rows, the engine that carries them out, dated changes, images, checks of destinations',
    scans: 'export, logs that grow, datasets, statistics, reports, verification, tail, backups',
  },
  {
    settings: 'flag > variable > profile > default; keys',
    terminal: 'tables, progress, color, prompts, errors, the summary of a run',
    sandbox: 'a local service that behaves like the real one',
  },
  { files: 'formats, files that survive kills and power cuts, type on paper' },
  { service: 'the HTTP core: a call, its attempts, a checked response; the rate limit' },
  { base: 'errors and exit codes, text, time, collections, parallel work, facts of a run' },
];

const FILES = ['node:fs', 'node:fs/promises', 'node:tty'];
const UNDICI = ['undici', 'undici/**'];

/** Returns the folders of commands, one per noun, by the relative path of `src/commands`. */
function nounsIn(path: string): string[] {
  const entries = readdirSync('src/commands', { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => `${path}/${name}/**`);
}

/** Imports that files must not have in addition, and why. Each glob is below one module. */
const ALSO: readonly (Rule & { files: string })[] = [
  { files: 'service/**', group: FILES, message: 'The HTTP core uses no terminal and no files.' },
  ...['codes/**', 'scans/**'].map((files) => ({
    files,
    group: [...UNDICI, '**/settings/**', '**/terminal/**'],
    message: 'Algorithms take what they need as arguments.',
  })),
  {
    files: 'codes/destinations/**',
    group: ['**/service/client.ts', '**/service/create-service.ts'],
    message: 'Destinations are requested without anything of the service but its sockets.',
  },
  {
    files: 'sandbox/**',
    group: [...UNDICI, '**/files/**'],
    message: 'The sandbox shares only shapes.',
  },
  { files: 'commands/*/*.ts', group: nounsIn('..'), message: 'No command imports another.' },
  { files: 'commands/*/*/*.ts', group: nounsIn('../..'), message: 'No command imports another.' },
];

const isFile = (module: string) => module.endsWith('.ts');

/** Returns the overrides of Biome's configuration that enforce the layers. Of two that match a file, the later one applies. */
export function layerRules(): object[] {
  return LAYERS.flatMap((modules, layer) =>
    Object.keys(modules).flatMap((module) => {
      const above = LAYERS.slice(0, layer + 1).flatMap((each) =>
        Object.keys(each).filter((other) => other !== module),
      );
      const down: Rule = {
        group: above.map((other) => (isFile(other) ? `**/${other}` : `**/${other}/**`)),
        message: 'Imports go down only (src/build/layers.ts; npm run layers).',
      };
      const all = isFile(module) ? module : `${module}/**`;
      const also = ALSO.filter(({ files }) => files.startsWith(`${module}/`));
      const globs = [all, ...also.map(({ files }) => files).filter((files) => files !== all)];
      return globs.map((glob) => {
        const own = also.filter(({ files }) => files === all || files === glob);
        return overrideOf(glob, [down, ...own.map(({ group, message }) => ({ group, message }))]);
      });
    }),
  );
}

/** Returns the document with its table of layers, between the heading of the table and the next empty line, as in `LAYERS`. */
export function withLayerTable(document: string): string {
  const rows = LAYERS.flatMap((modules, layer) =>
    Object.entries(modules).map(([module, does]) => {
      const path = isFile(module)
        ? `[\`src/${module}\`](../src/${module})`
        : `[\`src/${module}/\`](../src/${module}/README.md)`;
      return `| ${LAYERS.length - layer} | ${path} | ${does} |\n`;
    }),
  );
  return document.replace(
    /(\| layer \|.*\n\|[-|]+\n)(?:\|.*\n)*/,
    (_, heading: string) => heading + rows.join(''),
  );
}

function overrideOf(files: string, rules: readonly Rule[]): object {
  const patterns = rules.filter(({ group }) => group.length > 0);
  return {
    includes: [`src/${files}`],
    linter: { rules: { style: { noRestrictedImports: { level: 'error', options: { patterns } } } } },
  };
}
