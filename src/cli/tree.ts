/**
 * Every command, with its one-line summary and how to load it. Loading is lazy, so that a command pays at start-up only for
 * what it uses; help, completions, man pages and suggestions derive from this list and from the definitions behind it.
 */
import type { CommandDefinition } from '../commands/define.ts';

type Load = () => Promise<{ command: CommandDefinition }>;

/** The global flags that say which workspace a command acts on. */
export type WorkspaceFlag = '--profile' | '--base-url';

interface Leaf {
  name: string;
  summary: string;
  load: Load;
  /** The flags that choose a workspace, as far as they mean something to it (default: both). Proposed commands carry them. */
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

/** What `qrctl --help` says before it lists them. */
export const ROOT_SUMMARY =
  'creates dynamic QR codes and exports their scans: complete, each exactly once, within the rate limit';

export const TREE: readonly Node[] = [
  {
    name: 'qr',
    summary: 'list, read, create, change, delete and print QR codes',
    commands: [
      { name: 'list', summary: 'list the codes of the workspace', load: () => import('../commands/qr/list.ts') },
      { name: 'get', summary: 'show one code', load: () => import('../commands/qr/get.ts') },
      {
        name: 'create',
        summary: 'create a code, or many from a file, each row exactly once',
        load: () => import('../commands/qr/create/create.ts'),
      },
      { name: 'update', summary: 'change a code, or many from a file', load: () => import('../commands/qr/update/update.ts') },
      {
        name: 'check',
        summary: 'ask the destinations of codes whether they are alive',
        load: () => import('../commands/qr/check/check.ts'),
      },
      {
        name: 'delete',
        summary: 'delete codes and their scans for ever',
        risky: true,
        load: () => import('../commands/qr/delete/delete.ts'),
      },
      {
        name: 'image',
        summary: 'draw codes to print, each proven readable',
        load: () => import('../commands/qr/image/image.ts'),
      },
    ],
  },
  {
    name: 'scans',
    summary: 'export and count scans',
    commands: [
      {
        name: 'export',
        summary: 'export the scans of codes, complete or not at all',
        load: () => import('../commands/scans/export/export.ts'),
      },
      {
        name: 'stats',
        summary: 'count scans by day, country, device and more',
        load: () => import('../commands/scans/stats/stats.ts'),
      },
      {
        name: 'report',
        summary: 'the same as one page to send to a client',
        load: () => import('../commands/scans/report/report.ts'),
      },
      { name: 'tail', summary: 'print new scans as they come', load: () => import('../commands/scans/tail/tail.ts') },
    ],
  },
  {
    name: 'auth',
    summary: 'store and check the key, switch profiles',
    commands: [
      { name: 'login', summary: 'store a key', load: () => import('../commands/auth/login.ts') },
      {
        name: 'status',
        summary: 'show the profile, its plan and what is left of the rate limit',
        load: () => import('../commands/auth/status.ts'),
      },
      { name: 'list', summary: 'list the stored profiles', takes: [], load: () => import('../commands/auth/list.ts') },
      { name: 'use', summary: 'switch to another profile', takes: [], load: () => import('../commands/auth/use.ts') },
      {
        name: 'logout',
        summary: 'forget a profile and its key',
        takes: ['--profile'],
        load: () => import('../commands/auth/logout.ts'),
      },
    ],
  },
  {
    name: 'config',
    summary: 'read and change the settings of a profile',
    commands: [
      {
        name: 'list',
        summary: 'show every setting and where it comes from',
        takes: ['--profile'],
        load: () => import('../commands/config/list.ts'),
      },
      { name: 'get', summary: 'print one setting', takes: ['--profile'], load: () => import('../commands/config/get.ts') },
      { name: 'set', summary: 'change a setting', takes: ['--profile'], load: () => import('../commands/config/set.ts') },
      { name: 'unset', summary: 'remove a setting', takes: ['--profile'], load: () => import('../commands/config/unset.ts') },
      { name: 'path', summary: 'print where the config file is', takes: [], load: () => import('../commands/config/path.ts') },
    ],
  },
  {
    name: 'api',
    summary: 'send one raw request, for what no command covers yet',
    load: () => import('../commands/api.ts'),
  },
  {
    name: 'doctor',
    summary: 'check config, key, network and clock, with a fix for each finding',
    load: () => import('../commands/doctor/doctor.ts'),
  },
  {
    name: 'sandbox',
    summary: 'run a local service with made-up data to try things on',
    takes: [],
    load: () => import('../commands/sandbox.ts'),
  },
  {
    name: 'demo',
    summary: 'watch the main job done against a sandbox; needs no key',
    takes: [],
    load: () => import('../commands/demo.ts'),
  },
  {
    name: 'completion',
    summary: 'print the completion script of a shell',
    takes: [],
    load: () => import('../commands/completion.ts'),
  },
];

export function isBranch(node: Node): node is Branch {
  return 'commands' in node;
}

/** A command, and what is typed for it. */
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
