import type { Delimiter, Format } from '#files/formats/formats';
import type { Reserve } from '#service/rate-limit/rate-window';
import type { CommandProblem } from './planted.ts';
import type { StoredProfile } from './store.ts';

export interface SettingFlags {
  profile?: string;
  baseUrl?: string;
  maxWait?: string;
  reserve?: string;
  concurrency?: string;
  timeout?: number;
  retryFor?: number;
}

export interface Inputs {
  flags: SettingFlags;
  env: NodeJS.Dict<string>;
  name: string;
  profile: StoredProfile;
  commandProblem?: CommandProblem;
}

export type KeySource = 'variable' | 'file' | 'credential' | 'profile' | 'command';

/** Source of a key that is read only if a request needs it. A `problem` prevents running the command. */
export type PendingKey = { path: string } | { command: string; problem?: CommandProblem };

export interface Settings {
  profile: string;
  baseUrl?: string;
  /** API key. Print only its keyPrefix. */
  apiKey?: string;
  keySource?: KeySource;
  pendingKey?: PendingKey;
  apiKeyProblem?: string;
  format?: Format;
  delimiter?: Delimiter;
  timezone?: string;
  shortUrl?: string;
  accessible: boolean;
  reserve: Reserve;
  concurrency: number;
  maxWaitMs: number | undefined;
  timeoutMs: number;
  retryForMs: number;
  notes: readonly string[];
}

export type ConnectedSettings = Settings & { baseUrl: string; apiKey: string };
