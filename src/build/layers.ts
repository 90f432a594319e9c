/**
 * The layers of `src/`, from the top down: a module imports modules of its own folder and of layers below. `npm run layers` writes the
 * linter's rules (src/build/layers.json, which biome.json extends) from this list; a test compares it with the table of docs/architecture.md.
 */
interface Layer {
  /** Folders of `src/`, or files directly in it; those of one layer do not import each other. */
  modules: readonly string[];
  does: string;
}

interface Rule {
  group: readonly string[];
  message: string;
}

export const LAYERS: readonly Layer[] = [
  { modules: ['build'], does: 'builds the program, and starts the build' },
  { modules: ['main.ts'], does: 'argv → command → exit code' },
  { modules: ['app.ts'], does: 'the program that `main.ts` loads' },
  { modules: ['cli'], does: 'reads the command line: tree of commands, suggestions, help, completion' },
  { modules: ['commands'], does: 'flags, checks, one call, one print; one folder or file per command' },
  { modules: ['context.ts'], does: 'the context of a command: console, settings, service, clock, signal' },
  {
    modules: ['codes', 'scans'],
    does: 'codes: listing, files of rows, changes, images, destinations; scans: exports, logs, datasets, statistics, reports, comparisons',
  },
  {
    modules: ['settings', 'terminal', 'sandbox'],
    does: 'flag > variable > profile > default; tables, progress, color, prompts, errors; the sandbox',
  },
  {
    modules: ['files'],
    does: 'formats, each read and written in one folder; files that survive kills and power cuts; type on paper',
  },
  { modules: ['service'], does: 'the HTTP core: a call, its attempts, a checked response, the rate limit' },
  { modules: ['base'], does: 'errors and exit codes, text, time, collections, work in parallel, facts of a run' },
];

const FILES = ['node:fs', 'node:fs/promises', 'node:tty'];
const UNDICI = ['undici', 'undici/**'];

const NOUNS = '{auth,config,doctor,qr,scans}';

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
  { files: 'commands/*/*.ts', group: [`../${NOUNS}/**`], message: 'No command imports another.' },
  { files: 'commands/*/*/*.ts', group: [`../../${NOUNS}/**`], message: 'No command imports another.' },
];

const isFile = (module: string) => module.endsWith('.ts');

/** Returns the overrides of Biome's configuration that enforce the layers. Of two that match a file, the later one applies. */
export function layerRules(): object[] {
  return LAYERS.flatMap(({ modules }, layer) =>
    modules.flatMap((module) => {
      const above = LAYERS.slice(0, layer + 1).flatMap((each) => each.modules.filter((other) => other !== module));
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

function overrideOf(files: string, rules: readonly Rule[]): object {
  const patterns = rules.filter(({ group }) => group.length > 0);
  return {
    includes: [`src/${files}`],
    linter: { rules: { style: { noRestrictedImports: { level: 'error', options: { patterns } } } } },
  };
}
