/** Effective settings of one command: flag > variable > profile > default. */
import type { Delimiter, Format } from '../files/formats/formats.ts';
import type { Reserve } from '../service/rate-limit/rate-window.ts';
import type { CommandProblem } from './stored.ts';

/** The environment variables, as the context holds them. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** Values of the global flags, as typed and already checked while parsing. */
export interface SettingFlags {
  profile?: string;
  baseUrl?: string;
  maxWait?: string;
  reserve?: string;
  concurrency?: string;
  /** `--timeout` in ms. */
  timeout?: number;
  /** `--retry-for` in ms. */
  retryFor?: number;
}

/**
 * Source of a key: QRCTL_API_KEY, the file of QRCTL_API_KEY_FILE, a credential of systemd, the profile, or a command that the profile
 * names.
 */
export type KeySource = 'variable' | 'file' | 'credential' | 'profile' | 'command';

/** A key that is read only when a request needs it: from a file, or from a command, unless a `problem` prevents running it. */
export type PendingKey =
  | { readonly path: string }
  | { readonly command: string; readonly problem: CommandProblem | undefined };

export interface Settings {
  /** Name of the profile in force, whether stored or not. */
  profile: string;
  /** Ends in /api/v1, no trailing slash; undefined when nothing names one. */
  baseUrl: string | undefined;
  /**
   * The key that may be sent to `baseUrl`; undefined when there is none, and while `pendingKey` is not read. Never print it: see keyPrefix
   * in base/text/key.ts.
   */
  apiKey: string | undefined;
  /** Where the key comes from; undefined for none, and for one that is being stored. */
  keySource: KeySource | undefined;
  /** The key to read with `loadKey` (load-key.ts); undefined if `apiKey` is it, or if there is none. */
  pendingKey: PendingKey | undefined;
  /** Why there is no usable key although one is stored (it belongs to another base URL); one sentence. */
  apiKeyProblem: string | undefined;
  format: Format | undefined;
  /** Between the cells of CSV. */
  delimiter: Delimiter | undefined;
  timezone: string | undefined;
  /** The address of a code as a template: it has `{slug}` or `{id}`. See base/text/short-url.ts. */
  shortUrl: string | undefined;
  /** Output for a screen reader: nothing is redrawn or drawn with blocks. */
  accessible: boolean;
  reserve: Reserve;
  concurrency: number;
  /** Undefined: no bound. */
  maxWaitMs: number | undefined;
  timeoutMs: number;
  /** How long an outage may last before a command gives up. */
  retryForMs: number;
  /** Notes for the user, shown once: a completed base URL, corrected permissions of the config. */
  notes: readonly string[];
}

/** Settings that name a service and a key. */
export type ConnectedSettings = Settings & { baseUrl: string; apiKey: string };
