/** What files of this machine that belong to one workspace are named after. */

const OFFSET = 0xcbf29ce484222325n;
const PRIME = 0x100000001b3n;

/**
 * Returns 16 hex digits that stand for a base URL and an API key (FNV-1a, 64 bits). Two keys are two workspaces, and none can be read from
 * the name: it holds 64 bits of a key of twice as many. Not by node:crypto, whose loading costs `qr list` several milliseconds; nothing is
 * protected by it, and two workspaces of one name would still be told apart by their codes.
 */
export function workspaceName({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }): string {
  let hash = OFFSET;
  for (const byte of Buffer.from(`${baseUrl}\n${apiKey}`)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * PRIME);
  return hash.toString(16).padStart(16, '0');
}
