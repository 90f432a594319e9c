import { type CommandDefinition, flag } from '../commands/define.ts';

export type WorkspaceFlag = '--profile' | '--base-url';

export interface Leaf {
  name: string;
  summary: string;
  load(): Promise<{ command: CommandDefinition }>;
  takes: readonly WorkspaceFlag[];
  risky: boolean;
  guide?: string;
}

export interface Branch {
  name: string;
  summary: string;
  title?: string;
  commands: readonly Leaf[];
}

export type Node = Leaf | Branch;

export const ROOT_SUMMARY = 'Create dynamic QR codes, print them, and export their scans';

export const HELP_SUMMARY = 'Explain a command or a topic';

export const helpOptions = {
  full: flag('--full', 'Show every flag of the command, also rare ones'),
  json: flag('--json', 'Print every command, flag, column and exit code as one JSON document'),
};

function leaf(
  name: string,
  summary: string,
  load: Leaf['load'],
  extra: Partial<Pick<Leaf, 'takes' | 'risky' | 'guide'>> = {},
): Leaf {
  return { name, summary, load, takes: ['--profile', '--base-url'], risky: false, ...extra };
}

const PROFILE_ONLY = { takes: ['--profile'] as const };
const NO_WORKSPACE = { takes: [] };
const SHEETS = { guide: 'spreadsheets' };
const REPORTS = { guide: 'reports' };
const EXPORTS = { guide: 'scheduled-exports' };
const DESTINATIONS = { guide: 'destinations' };

const QR = [
  leaf('list', 'List the codes of the workspace', () => import('../commands/qr/list.ts')),
  leaf('get', 'Show one code', () => import('../commands/qr/get.ts')),
  leaf('create', 'Create a code, or one per row of a file', () => import('../commands/qr/create.ts'), SHEETS),
  leaf(
    'update',
    'Update one or more codes, or each row of a file',
    () => import('../commands/qr/update.ts'),
    SHEETS,
  ),
  leaf('apply', 'Create and update codes to match a file in git', () => import('../commands/qr/apply.ts'), {
    guide: 'apply',
  }),
  leaf(
    'check',
    'Check whether the destinations of codes respond',
    () => import('../commands/qr/check.ts'),
    DESTINATIONS,
  ),
  leaf('undo', 'Undo the changes of a run over a file', () => import('../commands/qr/undo.ts'), {
    risky: true,
    guide: 'spreadsheets',
  }),
  leaf('delete', 'Permanently delete codes and their scans', () => import('../commands/qr/delete.ts'), {
    risky: true,
    guide: 'spreadsheets',
  }),
  leaf('image', 'Draw codes as images or label sheets for print', () => import('../commands/qr/image.ts'), {
    guide: 'printing',
  }),
];

const SCANS = [
  leaf(
    'export',
    'Export the scans of codes, complete or not at all',
    () => import('../commands/scans/export.ts'),
    EXPORTS,
  ),
  leaf(
    'stats',
    'Count scans by day, country, device and more',
    () => import('../commands/scans/stats.ts'),
    REPORTS,
  ),
  leaf(
    'report',
    'Write a report for a client (HTML or PDF)',
    () => import('../commands/scans/report.ts'),
    REPORTS,
  ),
  leaf(
    'verify',
    'Compare exported scans with the service',
    () => import('../commands/scans/verify.ts'),
    EXPORTS,
  ),
  leaf(
    'watch',
    'Find codes whose scans stopped, dropped or jumped',
    () => import('../commands/scans/watch.ts'),
    DESTINATIONS,
  ),
  leaf('tail', 'Print new scans as they arrive', () => import('../commands/scans/tail.ts'), REPORTS),
];

const AUTH = [
  leaf('login', 'Store an API key', () => import('../commands/auth/login.ts')),
  leaf(
    'status',
    'Show the profile, its plan and its remaining requests',
    () => import('../commands/auth/status.ts'),
  ),
  leaf('list', 'List the stored profiles', () => import('../commands/auth/list.ts'), NO_WORKSPACE),
  leaf('use', 'Switch to another profile', () => import('../commands/auth/use.ts'), NO_WORKSPACE),
  leaf('logout', 'Remove a profile and its key', () => import('../commands/auth/logout.ts'), PROFILE_ONLY),
];

const CONFIG = [
  leaf('list', 'List every setting and its source', () => import('../commands/config/list.ts'), PROFILE_ONLY),
  leaf('get', 'Print a setting', () => import('../commands/config/get.ts'), PROFILE_ONLY),
  leaf('set', 'Change a setting', () => import('../commands/config/set.ts'), PROFILE_ONLY),
  leaf('unset', 'Remove a setting', () => import('../commands/config/unset.ts'), PROFILE_ONLY),
  leaf('path', 'Print the path of the config file', () => import('../commands/config/path.ts'), NO_WORKSPACE),
];

export const TREE: readonly Node[] = [
  { name: 'qr', title: 'Codes', summary: 'Create, change, check, draw and delete QR codes', commands: QR },
  {
    name: 'scans',
    title: 'Scans',
    summary: 'Export, count, report, verify, watch and follow scans',
    commands: SCANS,
  },
  { name: 'auth', summary: 'Manage API keys and profiles', commands: AUTH },
  { name: 'config', summary: 'Show and change the settings of a profile', commands: CONFIG },
  leaf('api', 'Send one raw request to the service', () => import('../commands/api.ts')),
  leaf(
    'doctor',
    'Check config, key, network and clock, and suggest fixes',
    () => import('../commands/doctor/doctor.ts'),
  ),
  leaf(
    'sandbox',
    'Run a local service with sample data',
    () => import('../commands/sandbox.ts'),
    NO_WORKSPACE,
  ),
  leaf(
    'demo',
    'Run a demo against a local sandbox; no key required',
    () => import('../commands/demo.ts'),
    NO_WORKSPACE,
  ),
  leaf(
    'completion',
    'Print the completion script for a shell',
    () => import('../commands/completion.ts'),
    NO_WORKSPACE,
  ),
];

export function isBranch(node: Node): node is Branch {
  return 'commands' in node;
}

export function* leaves(): Generator<{ names: readonly string[]; leaf: Leaf }> {
  for (const node of TREE) {
    if (!isBranch(node)) yield { names: [node.name], leaf: node };
    else for (const leaf of node.commands) yield { names: [node.name, leaf.name], leaf };
  }
}
