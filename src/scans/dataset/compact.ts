/**
 * Implements `--compact`: merges the parts of each closed partition into one. Readers list names, and no rename changes many of them, so
 * the whole next generation is built next to the published one, and only the link to it changes (generations.ts).
 */
import { join } from 'node:path';
import { groupBy } from '../../base/collections/group-by.ts';
import { UnprovenError } from '../../base/errors.ts';
import { countOf, formatCount } from '../../base/text/quote.ts';
import type { Disk, DiskDirectory } from '../../files/durable/disk.ts';
import { replaceFile } from '../../files/durable/replace-file.ts';
import { makeDirectories } from '../../files/durable/write.ts';
import { UnrecognizedRowError } from '../append/row-parsers.ts';
import {
  createGeneration,
  generationPath,
  inGeneration,
  publishedGeneration,
  publishGeneration,
  removeGenerations,
} from './generations.ts';
import {
  datasetDifference,
  formatManifest,
  MANIFEST,
  type Manifest,
  type Part,
  parseManifest,
  partName,
} from './manifest.ts';
import { readPart } from './read-part.ts';
import { mergeParts, type PartFormatter, writePart } from './write-part.ts';

export interface CompactJob {
  disk: Disk;
  /** Path of the link. */
  place: string;
  manifest: Manifest;
  /** The first partition that may still get rows. */
  openFrom: string;
  createFormatter(): PartFormatter;
  overlapMs: number;
  signal?: AbortSignal | undefined;
}

/** Resolves to how many partitions were merged, and how many parts they had. The dataset must be locked. Throws the system's error. */
export async function compactDataset(job: CompactJob): Promise<{ partitions: number; parts: number }> {
  const { disk, place, manifest } = job;
  const shown = (await publishedGeneration(disk, place)) ?? 0;
  // P13: leftovers of a run that was killed before it published them. No run removes the published generation.
  await removeGenerations(disk, place, {
    isOld: (number) => number > shown,
    isOurs: (found) => !found || isOfDataset(found, manifest),
  });
  const closed = mergeable(manifest.parts, job.openFrom);
  if (closed.size === 0) return { partitions: 0, parts: 0 };
  const next = shown + 1;
  await createGeneration(disk, place, next);
  const parts = await inGeneration(disk, place, shown, (from) =>
    inGeneration(disk, place, next, (to) =>
      buildGeneration({ ...job, from, to, path: generationPath(place, next) }, closed),
    ),
  );
  const built = { ...manifest, next: manifest.next + 1, parts };
  await replaceFile(disk, join(generationPath(place, next), MANIFEST), formatManifest(built, job.overlapMs));
  await publishGeneration(disk, place, next);
  // P13: a reader that listed the previous generation may still read it. The one before was not published during a whole run.
  await removeGenerations(disk, place, {
    isOld: (number) => number < shown,
    isOurs: (found) => !!found && isOfDataset(found, manifest),
  });
  return { partitions: closed.size, parts: [...closed.values()].flat().length };
}

/** Returns whether a generation with this manifest is one of the dataset. Throws if it is not a manifest. */
function isOfDataset(bytes: Buffer, { dataset, identity }: Manifest): boolean {
  const found = parseManifest(bytes);
  if (found.dataset !== dataset) return false;
  // Without an ID, a dataset of the same export is not told apart.
  return dataset !== undefined || datasetDifference(found.identity, identity) === undefined;
}

interface Build extends CompactJob {
  from: DiskDirectory;
  to: DiskDirectory;
  /** The real path of `to`. */
  path: string;
}

/** Fills the next generation, flushed except for its manifest, and returns its parts. P16: entries are looked up in the open directories. */
async function buildGeneration(build: Build, closed: ReadonlyMap<string, Part[]>): Promise<Part[]> {
  const { disk, manifest, signal, from, to } = build;
  const places = new Set(manifest.parts.map(({ partition }) => partition));
  for (const partition of places) await makeDirectories(disk, to.at(partition));
  const kept = manifest.parts.filter(({ partition }) => !closed.has(partition));
  for (const part of kept) await disk.link(pathIn(from, part), pathIn(to, part));
  const merged: Part[] = [];
  for (const [partition, parts] of closed) {
    signal?.throwIfAborted();
    merged.push(await merge(build, partition, parts));
  }
  // P11: everything that the link will lead to is on disk first, including the names.
  for (const partition of places) await disk.flushDirectory(to.at(partition));
  return [...kept, ...merged];
}

/** Returns the closed partitions that have more than one part. */
function mergeable(parts: readonly Part[], openFrom: string): Map<string, Part[]> {
  const closed = parts.filter(({ partition }) => partition < openFrom);
  return new Map([...groupBy(closed, ({ partition }) => partition)].filter(([, { length }]) => length > 1));
}

async function merge(build: Build, partition: string, parts: readonly Part[]): Promise<Part> {
  const { disk, manifest, createFormatter, from, signal } = build;
  const { identity } = manifest;
  const name = partName(manifest.next, identity.format);
  const path = join(build.path, partition, name);
  const sources = parts.map((part) => ({ ...part, path: pathIn(from, part) }));
  const bytes = await writePart(
    disk,
    path,
    path,
    mergeParts(disk, createFormatter(), identity, sources, signal),
  );
  const part = { bytes };
  let read = 0;
  const count = () => {
    read += 1;
  };
  await readPart({ disk, path, part, identity, begin: createFormatter().begin(), signal }, count).catch(
    (error) => {
      if (!(error instanceof UnrecognizedRowError)) throw error;
    },
  );
  const rows = parts.reduce((sum, one) => sum + one.rows, 0);
  // P12: the number of committed rows must equal the number of published ones.
  if (read !== rows) {
    throw new UnprovenError(
      `cannot merge the parts of ${partition}: they contain ${countOf(read, 'row')} instead of ${formatCount(rows)}`,
      { hint: 'The parts are unchanged. Restore them from a backup, or export into a new --output-dir.' },
    );
  }
  return { partition, name, rows, bytes, newestMs: Math.max(...parts.map(({ newestMs }) => newestMs)) };
}

function pathIn(generation: DiskDirectory, { partition, name }: Part): string {
  return join(generation.at(partition), name);
}
