/** The state that `scans export --append` keeps next to a file, for files that a test writes. */
import { readFile, writeFile } from 'node:fs/promises';
import { createFileHash } from '#scans/append/file-hash';
import { emptyOverlap } from '#scans/append/overlap';
import { formatState } from '#scans/append/state';
import { SCAN_FIELDS } from '#service/shapes';
import { createWorkspace } from '#service/workspace';

const CODE = '11111111-1111-4111-8111-111111111111';

/** Writes the state of a file with its present bytes; `isRotated`: earlier rows are in rotated files. */
export async function keepFile(path: string, { isRotated = false } = {}): Promise<void> {
  const bytes = await readFile(path);
  const hash = createFileHash();
  hash.update(bytes);
  const workspace = createWorkspace({ baseUrl: 'https://example.test/api/v1', apiKey: 'svc_live_aaaa' });
  const moved = isRotated ? { movedUntilMs: 0, movedIdsFromMs: 0 } : {};
  const state = {
    workspace: await workspace.record(),
    identity: {
      codes: [CODE],
      all: false,
      columns: [...SCAN_FIELDS],
      format: 'csv' as const,
      dialect: { header: true, excel: false, rawCells: false },
    },
    sinceMs: undefined,
    bytes: bytes.length,
    stamp: undefined,
    ino: undefined,
    replacing: false,
    ...hash.digests(),
    rotated: isRotated ? [{ bytes: 0, sha256: '', newestMs: {} }] : [],
    overlaps: new Map([[CODE, { ...emptyOverlap(), watermarkMs: 0, ...moved }]]),
  };
  await writeFile(`${path}.state.json`, formatState(state, 0));
}
