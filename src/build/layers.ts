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
    modules: ['report', 'verify', 'watch'],
    does: 'statistics as a report in a language, as HTML or PDF; logs compared with the service; codes compared with their own past',
  },
  {
    modules: ['image', 'stats', 'check', 'plan', 'apply', 'deletion', 'tail', 'sandbox'],
    does: 'images that scan; statistics; checks of destinations; dated changes; codes that follow a file; backups before deletion; new scans as they arrive, across restarts; the sandbox',
  },
  { modules: ['dataset'], does: 'a directory of Parquet parts' },
  { modules: ['bulk', 'append'], does: 'rows to requests; files that grow by the new scans' },
  { modules: ['once', 'complete'], does: 'each row exactly once; each scan exactly once' },
  { modules: ['codes'], does: 'CODE arguments, listing, lookup, cache, destinations, UTM tags' },
  { modules: ['settings'], does: 'flag > variable > profile > default' },
  { modules: ['terminal'], does: 'tables, progress, color, prompts, errors, the summary of a run' },
  {
    modules: ['files'],
    does: 'formats, each read and written in one folder; files that survive kills and power cuts; type on paper',
  },
  { modules: ['service'], does: 'the HTTP core: a call, its attempts, a checked response, the rate limit' },
  { modules: ['base'], does: 'errors and exit codes, text, time, collections, work in parallel, facts of a run' },
];

const FILES = ['node:fs', 'node:fs/promises', 'node:tty'];
const UNDICI = ['undici', 'undici/**'];

/** Further imports that a module must not have, and why. */
const ALSO: readonly (Rule & { modules: readonly string[] })[] = [
  { modules: ['service'], group: FILES, message: 'The HTTP core uses no terminal and no files.' },
  {
    modules: ['complete', 'append', 'dataset', 'once', 'bulk', 'plan', 'apply', 'tail'],
    group: [...UNDICI, '**/settings/**', '**/terminal/**'],
    message: 'Algorithms take what they need as arguments.',
  },
  {
    modules: ['sandbox'],
    group: [...UNDICI, '**/complete/**', '**/once/**', '**/files/**'],
    message: 'The sandbox shares only shapes.',
  },
  {
    modules: ['check'],
    group: ['**/service/client.ts', '**/service/create-service.ts', '**/complete/**', '**/settings/**'],
    message: 'Destinations are requested without anything of the service but its sockets.',
  },
  {
    modules: ['commands'],
    group: ['../auth/**', '../config/**', '../qr/**', '../scans/**'],
    message: 'No command imports another.',
  },
];

const isFile = (module: string) => module.endsWith('.ts');

/** Returns the overrides of Biome's configuration that enforce the layers. */
export function layerRules(): object[] {
  return LAYERS.flatMap(({ modules }, layer) =>
    modules.map((module) => {
      const above = LAYERS.slice(0, layer + 1).flatMap((each) => each.modules.filter((other) => other !== module));
      const own = ALSO.filter((also) => also.modules.includes(module)).map(({ group, message }) => ({ group, message }));
      const imports: Rule = {
        group: above.map((other) => (isFile(other) ? `**/${other}` : `**/${other}/**`)),
        message: 'Imports go down only (src/build/layers.ts; npm run layers).',
      };
      const patterns: Rule[] = above.length > 0 ? [imports, ...own] : own;
      return {
        includes: [isFile(module) ? `src/${module}` : `src/${module}/**`],
        linter: { rules: { style: { noRestrictedImports: { level: 'error', options: { patterns } } } } },
      };
    }),
  );
}
