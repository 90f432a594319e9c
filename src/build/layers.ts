/**
 * `npm run layers` writes layers.json, which biome.json extends, and the table of .github/CONTRIBUTING.md.
 */
import { readdirSync } from 'node:fs';

interface Rule {
  group: readonly string[];
  message: string;
}

/** Entries of one layer do not import each other. */
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
    terminal: 'tables, progress, color, prompts, errors',
    sandbox: 'a local service that behaves like the real one',
  },
  { files: 'formats, files that survive kills and power cuts, type on paper' },
  { service: 'the HTTP core: a call, its attempts, a checked response; the rate limit' },
  { base: 'errors and exit codes, text, time, collections, parallel work, facts of a run' },
];

const UNDICI = ['undici', 'undici/**'];

const SHORT: Rule = {
  group: ['../**/*.ts'],
  message: 'Imports from other folders begin with # (package.json).',
};

function commandRules(): [string, readonly Rule[]][] {
  const folders = readdirSync('src/commands', { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const nouns = folders.map(({ name }) => name).sort();
  return nouns.map((noun) => {
    const group = nouns.filter((other) => other !== noun).map((other) => `#commands/${other}/**`);
    return [`commands/${noun}/**`, [{ group, message: 'No command imports another.' }]];
  });
}

const ALGORITHMS: Rule = {
  group: [...UNDICI, '#settings/**', '#terminal/**'],
  message: 'Algorithms take what they need as arguments.',
};

const FURTHER: Readonly<Record<string, readonly Rule[]>> = {
  'service/**': [
    {
      group: ['node:fs', 'node:fs/promises', 'node:tty'],
      message: 'The HTTP core uses no terminal and no files.',
    },
  ],
  'codes/**': [ALGORITHMS],
  'scans/**': [ALGORITHMS],
  'codes/destinations/**': [
    ALGORITHMS,
    {
      group: ['#service/client', '#service/create-service'],
      message: 'Destinations are requested without anything of the service but its sockets.',
    },
  ],
  'sandbox/**': [{ group: [...UNDICI, '#files/**'], message: 'The sandbox shares only shapes.' }],
  ...Object.fromEntries(commandRules()),
};

const isFile = (module: string) => module.endsWith('.ts');
const globOf = (module: string) => (isFile(module) ? module : `${module}/**`);
const importOf = (module: string) =>
  isFile(module) ? `#${module.slice(0, -'.ts'.length)}` : `#${module}/**`;

export function layerRules(): object[] {
  return LAYERS.flatMap((modules, layer) =>
    Object.keys(modules).flatMap((module) => {
      const others = LAYERS.slice(0, layer + 1).flatMap((each) => Object.keys(each));
      const down: Rule = {
        group: others.filter((other) => other !== module).map(importOf),
        message: 'Imports go down only (src/build/layers.ts; npm run layers).',
      };
      const own = Object.keys(FURTHER).filter((glob) => glob.startsWith(`${module}/`));
      return [...new Set([globOf(module), ...own])].map((glob) => {
        const patterns = [SHORT, down, ...(FURTHER[glob] ?? [])].filter(({ group }) => group.length > 0);
        const noRestrictedImports = { level: 'error', options: { patterns } };
        return { includes: [`src/${glob}`], linter: { rules: { style: { noRestrictedImports } } } };
      });
    }),
  );
}

/** Returns the document with the table of `LAYERS`, from its heading to the next empty line. */
export function withLayerTable(document: string): string {
  const rows = LAYERS.flatMap((modules, layer) =>
    Object.entries(modules).map(([module, does]) => {
      const [name, page] = isFile(module) ? [module, module] : [`${module}/`, `${module}/README.md`];
      const path = `[\`src/${name}\`](../src/${page})`;
      return `| ${LAYERS.length - layer} | ${path} | ${does} |\n`;
    }),
  );
  return document.replace(
    /(\| layer \|.*\n\|[-|]+\n)(?:\|.*\n)*/,
    (_, heading: string) => heading + rows.join(''),
  );
}
