/** Rules of the linter (src/build/layers.json) from the table of layers in .github/CONTRIBUTING.md. */
import { readdirSync } from 'node:fs';

interface Rule {
  group: readonly string[];
  message: string;
}

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

export function layersOf(page: string): { module: string; layer: number }[] {
  const rows = page.matchAll(/^\| (\d+) \| \[`src\/([\w.]+)/gm);
  return Array.from(rows, ([, layer, module = '']) => ({ module, layer: Number(layer) }));
}

export function layerRules(page: string): object[] {
  const layers = layersOf(page);
  return layers.flatMap(({ module, layer }) => {
    const others = layers.filter((other) => other.module !== module && other.layer >= layer);
    const down: Rule = {
      group: others.map((other) => importOf(other.module)),
      message: 'Imports go down only (.github/CONTRIBUTING.md).',
    };
    const own = Object.keys(FURTHER).filter((glob) => glob.startsWith(`${module}/`));
    return [...new Set([globOf(module), ...own])].map((glob) => {
      const patterns = [SHORT, down, ...(FURTHER[glob] ?? [])].filter(({ group }) => group.length > 0);
      const noRestrictedImports = { level: 'error', options: { patterns } };
      return { includes: [`src/${glob}`], linter: { rules: { style: { noRestrictedImports } } } };
    });
  });
}
