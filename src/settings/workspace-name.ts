/** Names the local files that belong to one workspace. */

const OFFSET = 0xcbf29ce484222325n;
const PRIME = 0x100000001b3n;

/**
 * Returns 16 hex digits for a base URL and an API key (FNV-1a, 64 bits). Two keys are two workspaces, and the key can't be derived from
 * the name, which holds 64 bits of a key of twice as many. Does not use node:crypto, whose loading costs `qr list` several milliseconds;
 * the name protects nothing, and two workspaces with one name would still differ by their codes.
 */
export function workspaceName({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }): string {
  let hash = OFFSET;
  for (const byte of Buffer.from(`${baseUrl}\n${apiKey}`)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * PRIME);
  return hash.toString(16).padStart(16, '0');
}
