/** Results of an earlier run at the path of this run's results: read once for all users. */
import { stat } from 'node:fs/promises';
import type { Input } from '../../bulk/input.ts';
import { listedCodes } from '../../bulk/read-results.ts';
import { outcomesIn } from '../../bulk/results-writer.ts';
import { readBack } from '../../durable/held-directory.ts';
import { nodeDisk } from '../../durable/node-disk.ts';
import { systemCode } from '../../durable/path-errors.ts';
import { MOST_BYTES, parseRows, type ResultsBefore, type ResultsSummary } from './bulk-input.ts';

/** Creates the reader of the results at `path`. */
export function openResultsBefore(path: string): ResultsBefore {
  let known: { stamp: string; summary: Promise<ResultsSummary> } | undefined;

  async function table(): Promise<Input | undefined> {
    const bytes = await readBack(nodeDisk, path, MOST_BYTES).catch((error) => {
      if (systemCode(error) === 'ERR_FS_FILE_TOO_LARGE') throw error;
      return Buffer.of(); // writing it reports the error
    });
    return bytes.length > 0 ? parseRows(bytes, path, {}) : undefined;
  }

  return {
    table,
    forget() {
      known = undefined;
    },
    async summary() {
      const stamp = await stampOf(path);
      if (known?.stamp !== stamp) known = { stamp, summary: table().then(summarize, () => ({ is: 'not-a-table' })) };
      return known.summary;
    },
  };
}

function summarize(results: Input | undefined): ResultsSummary {
  if (results === undefined) return { is: 'missing' };
  return { is: 'table', outcomes: outcomesIn(results), listed: listedCodes(results) };
}

/** Another after each change of the file. */
async function stampOf(path: string): Promise<string> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  return found ? [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join() : '';
}
