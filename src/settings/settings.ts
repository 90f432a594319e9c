import type { Delimiter, Format } from '../files/formats/formats.ts';
import type { Reserve } from '../service/rate-limit/rate-window.ts';
import type { CommandProblem } from './stored.ts';

export type Variables = Readonly<Record<string, string | undefined>>;

export interface SettingFlags {
  profile?: string;
  baseUrl?: string;
  maxWait?: string;
  reserve?: string;
  concurrency?: string;
  timeout?: number;
  retryFor?: number;
}

export type KeySource = 'variable' | 'file' | 'credential' | 'profile' | 'command';

/** Key that is read only when a request needs it. A `problem` prevents running the command. */
export type PendingKey =
  | { readonly path: string }
  | { readonly command: string; readonly problem: CommandProblem | undefined };

export interface Settings {
  profile: string;
  baseUrl: string | undefined;
  /**
   * Key that may be sent to `baseUrl`; undefined if `pendingKey` is not read yet. Print only its keyPrefix.
   */
  apiKey: string | undefined;
  keySource: KeySource | undefined;
  pendingKey: PendingKey | undefined;
  /** Sentence about a stored key that is not used, because it belongs to another base URL. */
  apiKeyProblem: string | undefined;
  format: Format | undefined;
  delimiter: Delimiter | undefined;
  timezone: string | undefined;
  shortUrl: string | undefined;
  accessible: boolean;
  reserve: Reserve;
  concurrency: number;
  maxWaitMs: number | undefined;
  timeoutMs: number;
  /** Maximum duration of an outage before a command gives up. */
  retryForMs: number;
  notes: readonly string[];
}

export type ConnectedSettings = Settings & { baseUrl: string; apiKey: string };
