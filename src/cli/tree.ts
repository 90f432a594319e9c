/**
 * Lists every command with its summary and a lazy import, so that start-up loads only the command that runs. Help, completions, man
 * pages and suggestions derive from this list and from the command definitions.
 */
import { type CommandDefinition, flag } from '../commands/define.ts';

type Load = () => Promise<{ command: CommandDefinition }>;

/** Global flags that choose the workspace a command acts on. */
export type WorkspaceFlag = '--profile' | '--base-url';

interface Leaf {
  name: string;
  summary: string;
  load: Load;
  /** The flags among `--profile` and `--base-url` that affect this command (default: both). Suggested commands repeat them. */
  takes?: readonly WorkspaceFlag[];
  /** Deletes: never suggested for a word that is not a command. */
  risky?: true;
}

export interface Branch {
  name: string;
  summary: string;
  commands: readonly Leaf[];
}

export type Node = Leaf | Branch;

/** The sentence above the commands in `qrctl --help`. */
export const ROOT_SUMMARY = 'Create dynamic QR codes and export their scans from the command line';

/** The summary of `qrctl help`, which is not in the tree. */
export const HELP_SUMMARY = 'Explain a command or a topic';

/** The flags of `qrctl help`. */
export const helpOptions = {
  json: flag('--json', 'Print every command, flag, column and exit code as one JSON document'),
};

export const TREE: readonly Node[] = [
  {
    name: 'qr',
    summary: 'List, create, update, check, draw and delete QR codes',
    commands: [
      {
        name: 'list',
        summary: 'List the codes of the workspace',
        load: () => import('../commands/qr/list.ts'),
      },
      { name: 'get', summary: 'Show one code', load: () => import('../commands/qr/get.ts') },
      {
        name: 'create',
        summary: 'Create a code, or one per row of a file',
        load: () => import('../commands/qr/create/create.ts'),
      },
      {
        name: 'update',
        summary: 'Update one or more codes, or each row of a file',
        load: () => import('../commands/qr/update/update.ts'),
      },
      {
        name: 'apply',
        summary: 'Create and change codes until they match a file',
        load: () => import('../commands/qr/apply/apply.ts'),
      },
      {
        name: 'check',
        summary: 'Check whether the destinations of codes respond',
        load: () => import('../commands/qr/check.ts'),
      },
      {
        name: 'delete',
        summary: 'Permanently delete codes and their scans',
        risky: true,
        load: () => import('../commands/qr/delete/delete.ts'),
      },
      {
        name: 'image',
        summary: 'Draw codes as images for print, each verified as readable',
        load: () => import('../commands/qr/image.ts'),
      },
    ],
  },
  {
    name: 'scans',
    summary: 'Export, count, report and follow scans',
    commands: [
      {
        name: 'export',
        summary: 'Export the scans of codes, complete or not at all',
        load: () => import('../commands/scans/export/export.ts'),
      },
      {
        name: 'stats',
        summary: 'Count scans by day, country, device and more',
        load: () => import('../commands/scans/stats/stats.ts'),
      },
      {
        name: 'report',
        summary: 'Write a report of scans as one HTML page',
        load: () => import('../commands/scans/report/report.ts'),
      },
      {
        name: 'verify',
        summary: 'Compare exported scans with the service',
        load: () => import('../commands/scans/verify/verify.ts'),
      },
      {
        name: 'watch',
        summary: 'Find codes whose scans stopped, dropped or jumped',
        load: () => import('../commands/scans/watch/watch.ts'),
      },
      {
        name: 'tail',
        summary: 'Print new scans as they arrive',
        load: () => import('../commands/scans/tail/tail.ts'),
      },
    ],
  },
  {
    name: 'auth',
    summary: 'Manage API keys and profiles',
    commands: [
      { name: 'login', summary: 'Store an API key', load: () => import('../commands/auth/login.ts') },
      {
        name: 'status',
        summary: 'Show the profile, its plan and its remaining requests',
        load: () => import('../commands/auth/status.ts'),
      },
      {
        name: 'list',
        summary: 'List the stored profiles',
        takes: [],
        load: () => import('../commands/auth/list.ts'),
      },
      {
        name: 'use',
        summary: 'Switch to another profile',
        takes: [],
        load: () => import('../commands/auth/use.ts'),
      },
      {
        name: 'logout',
        summary: 'Remove a profile and its key',
        takes: ['--profile'],
        load: () => import('../commands/auth/logout.ts'),
      },
    ],
  },
  {
    name: 'config',
    summary: 'Show and change the settings of a profile',
    commands: [
      {
        name: 'list',
        summary: 'List every setting and its source',
        takes: ['--profile'],
        load: () => import('../commands/config/list.ts'),
      },
      {
        name: 'get',
        summary: 'Print a setting',
        takes: ['--profile'],
        load: () => import('../commands/config/get.ts'),
      },
      {
        name: 'set',
        summary: 'Change a setting',
        takes: ['--profile'],
        load: () => import('../commands/config/set.ts'),
      },
      {
        name: 'unset',
        summary: 'Remove a setting',
        takes: ['--profile'],
        load: () => import('../commands/config/unset.ts'),
      },
      {
        name: 'path',
        summary: 'Print the path of the config file',
        takes: [],
        load: () => import('../commands/config/path.ts'),
      },
    ],
  },
  { name: 'api', summary: 'Send one raw request to the service', load: () => import('../commands/api.ts') },
  {
    name: 'doctor',
    summary: 'Check config, key, network and clock, and suggest fixes',
    load: () => import('../commands/doctor/doctor.ts'),
  },
  {
    name: 'sandbox',
    summary: 'Run a local service with sample data',
    takes: [],
    load: () => import('../commands/sandbox.ts'),
  },
  {
    name: 'demo',
    summary: 'Run a demo against a local sandbox; no key required',
    takes: [],
    load: () => import('../commands/demo.ts'),
  },
  {
    name: 'completion',
    summary: 'Print the completion script for a shell',
    takes: [],
    load: () => import('../commands/completion.ts'),
  },
];

export function isBranch(node: Node): node is Branch {
  return 'commands' in node;
}

/** A command and the words that call it. */
export interface Path {
  names: readonly string[];
  leaf: Leaf;
}

/** Every command, in the order of the tree. */
export function* leaves(): Generator<Path> {
  for (const node of TREE) {
    if (!isBranch(node)) yield { names: [node.name], leaf: node };
    else for (const leaf of node.commands) yield { names: [node.name, leaf.name], leaf };
  }
}
