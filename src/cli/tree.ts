import { type CommandDefinition, flag } from '#commands/define';

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
  leaf('list', 'List the codes of the workspace', () => import('#commands/qr/list')),
  leaf('get', 'Show one code', () => import('#commands/qr/get')),
  leaf('create', 'Create a code, or one per row of a file', () => import('#commands/qr/create'), SHEETS),
  leaf(
    'update',
    'Update one or more codes, or each row of a file',
    () => import('#commands/qr/update'),
    SHEETS,
  ),
  leaf('apply', 'Create and update codes to match a file in git', () => import('#commands/qr/apply'), {
    guide: 'apply',
  }),
  leaf(
    'check',
    'Check whether the destinations of codes respond',
    () => import('#commands/qr/check'),
    DESTINATIONS,
  ),
  leaf('undo', 'Undo the changes of a run over a file', () => import('#commands/qr/undo'), {
    risky: true,
    guide: 'spreadsheets',
  }),
  leaf('delete', 'Permanently delete codes and their scans', () => import('#commands/qr/delete'), {
    risky: true,
    guide: 'spreadsheets',
  }),
  leaf('image', 'Draw codes as images or label sheets for print', () => import('#commands/qr/image'), {
    guide: 'printing',
  }),
];

const SCANS = [
  leaf(
    'export',
    'Export the scans of codes, complete or not at all',
    () => import('#commands/scans/export'),
    EXPORTS,
  ),
  leaf(
    'stats',
    'Count scans by day, country, device and more',
    () => import('#commands/scans/stats'),
    REPORTS,
  ),
  leaf(
    'report',
    'Write a report for a client (HTML or PDF)',
    () => import('#commands/scans/report'),
    REPORTS,
  ),
  leaf('verify', 'Compare exported scans with the service', () => import('#commands/scans/verify'), EXPORTS),
  leaf(
    'watch',
    'Find codes whose scans stopped, dropped or jumped',
    () => import('#commands/scans/watch'),
    DESTINATIONS,
  ),
  leaf('tail', 'Print new scans as they arrive', () => import('#commands/scans/tail'), REPORTS),
];

const AUTH = [
  leaf('login', 'Store an API key', () => import('#commands/auth/login')),
  leaf(
    'status',
    'Show the profile, its plan and its remaining requests',
    () => import('#commands/auth/status'),
  ),
  leaf('list', 'List the stored profiles', () => import('#commands/auth/list'), NO_WORKSPACE),
  leaf('use', 'Switch to another profile', () => import('#commands/auth/use'), NO_WORKSPACE),
  leaf('logout', 'Remove a profile and its key', () => import('#commands/auth/logout'), PROFILE_ONLY),
];

const CONFIG = [
  leaf('list', 'List every setting and its source', () => import('#commands/config/list'), PROFILE_ONLY),
  leaf('get', 'Print a setting', () => import('#commands/config/get'), PROFILE_ONLY),
  leaf('set', 'Change a setting', () => import('#commands/config/set'), PROFILE_ONLY),
  leaf('unset', 'Remove a setting', () => import('#commands/config/unset'), PROFILE_ONLY),
  leaf('path', 'Print the path of the config file', () => import('#commands/config/path'), NO_WORKSPACE),
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
  leaf('api', 'Send one raw request to the service', () => import('#commands/api')),
  leaf(
    'doctor',
    'Check config, key, network and clock, and suggest fixes',
    () => import('#commands/doctor/doctor'),
  ),
  leaf('sandbox', 'Run a local service with sample data', () => import('#commands/sandbox'), NO_WORKSPACE),
  leaf(
    'demo',
    'Run a demo against a local sandbox; no key required',
    () => import('#commands/demo'),
    NO_WORKSPACE,
  ),
  leaf(
    'completion',
    'Print the completion script for a shell',
    () => import('#commands/completion'),
    NO_WORKSPACE,
  ),
];

export function isBranch(node: Node): node is Branch {
  return 'commands' in node;
}

export interface NamedLeaf {
  names: readonly string[];
  leaf: Leaf;
}

export function* leaves(): Generator<NamedLeaf> {
  for (const node of TREE) {
    if (!isBranch(node)) yield { names: [node.name], leaf: node };
    else for (const leaf of node.commands) yield { names: [node.name, leaf.name], leaf };
  }
}
