import { ifNotFound, UsageError } from '#base/errors';
import { formatCount, inShellOr, quote } from '#base/text/quote';

export type Workspace = ReturnType<typeof createWorkspace>;

/** Workspace in a file. `key` (`SALT:SHA-256`) is missing in files from earlier versions. */
export interface RecordedWorkspace {
  baseUrl: string;
  key?: string;
  profile?: string;
}

export function createWorkspace({
  baseUrl,
  apiKey,
  profile,
}: {
  baseUrl: string;
  apiKey: string;
  profile?: string;
}) {
  return {
    baseUrl,
    profile,
    /** Returns a text that names a lock between processes. Never store it, because it contains the key. */
    secret: () => `qrctl rows\n${baseUrl}\n${apiKey}`,
    async record(): Promise<RecordedWorkspace> {
      const { randomBytes } = await import('node:crypto');
      const salt = randomBytes(SALT_BYTES).toString('hex');
      const key = `${salt}:${await hashOf(salt, apiKey)}`;
      return { baseUrl, key, profile };
    },
    async hasKeyOf(fingerprint: string) {
      const [salt = '', hash = ''] = fingerprint.split(':');
      return hash === (await hashOf(salt, apiKey));
    },
  };
}

const SALT_BYTES = 16;

async function hashOf(salt: string, apiKey: string): Promise<string> {
  const { hash } = await import('node:crypto');
  return hash('sha256', `qrctl workspace\n${salt}\n${apiKey}`);
}

const FINGERPRINT = /^[0-9a-f]{32}:[0-9a-f]{64}$/;

export function isRecordedWorkspace(value: object): boolean {
  const { baseUrl, key, profile }: Partial<Record<keyof RecordedWorkspace, unknown>> = value;
  const isKey = key === undefined || (typeof key === 'string' && FINGERPRINT.test(key));
  return typeof baseUrl === 'string' && isKey && (profile === undefined || typeof profile === 'string');
}

interface WorkspaceQuestion {
  path: string;
  recorded: RecordedWorkspace;
  workspace: Workspace;
  knownIds: Iterable<string>;
  getCode: (id: string) => Promise<unknown>;
  movedFrom?: string;
  elsewhere: string;
  /** Whether the file may have codes besides `knownIds`. */
  mayKnowMore?: boolean;
}

const MAX_REQUESTED = 10;

/**
 * Returns `same` if a file's URL and key match. Otherwise, if the URL matches or is `movedFrom`, returns
 * `renew` if one of up to ten `knownIds` exists here, or if there are none, unless `mayKnowMore` and the key
 * differs. Throws UsageError in all other cases.
 */
export async function checkWorkspace(question: WorkspaceQuestion): Promise<'same' | 'renew'> {
  const { recorded, workspace, knownIds, getCode, movedFrom } = question;
  const isHere = recorded.baseUrl === workspace.baseUrl;
  if (!isHere && recorded.baseUrl !== movedFrom) throw otherUrl(question);
  const isOwnKey = recorded.key !== undefined && (await workspace.hasKeyOf(recorded.key));
  if (isHere && isOwnKey) return 'same';
  const requested = spreadOver([...knownIds], MAX_REQUESTED);
  for (const id of requested) if (await getCode(id).then(() => true, ifNotFound(false))) return 'renew';
  const isOtherKey = recorded.key !== undefined && !isOwnKey;
  if (requested.length === 0 && !(isOtherKey && question.mayKnowMore)) return 'renew';
  throw otherWorkspace(question, requested.length);
}

/** Returns up to `most` IDs at equal distances, because codes are often deleted in groups. */
function spreadOver(ids: readonly string[], most: number): readonly string[] {
  const step = (ids.length - 1) / (most - 1);
  const chosen = new Set(Array.from({ length: most }, (_, count) => Math.round(count * step)));
  return ids.filter((_, at) => chosen.has(at));
}

function otherUrl(question: WorkspaceQuestion): UsageError {
  const { path, recorded, workspace, elsewhere } = question;
  const moved =
    'movedFrom' in question
      ? `If the service moved, add --moved-from ${inShellOr('URL', recorded.baseUrl)}. `
      : '';
  return new UsageError(`${path} belongs to ${quote(recorded.baseUrl)}, not to ${workspace.baseUrl}`, {
    hint: `${moved}${recorded.profile === undefined ? 'Use the profile or the key of that service' : `Use --profile ${inShellOr('NAME', recorded.profile)}`}, or ${elsewhere}.`,
  });
}

function otherWorkspace(
  { path, recorded, workspace, elsewhere }: WorkspaceQuestion,
  requested: number,
): UsageError {
  const { profile } = recorded;
  const isOther = profile !== undefined && profile !== workspace.profile;
  const key = isOther ? `--profile ${inShellOr('NAME', profile)}` : 'the key of that workspace';
  const [belongs, reason] =
    requested === 0
      ? ['may belong', 'it records no code that can be looked up with']
      : ['belongs', `no code in it (${formatCount(requested)} looked up) exists in the workspace of`];
  return new UsageError(
    `${path} ${belongs} to another workspace: it was written with ${nameOf(recorded)}, and ${reason} ${nameOf(workspace)}`,
    { hint: `Use ${key}, or ${elsewhere}.` },
  );
}

function nameOf({ profile, baseUrl }: RecordedWorkspace): string {
  const key = profile === undefined ? 'an API key' : `the key of profile ${quote(profile)}`;
  return `${key} (${quote(baseUrl)})`;
}
