/** A stack of the bundles of dist/ as one of the sources, by the source maps beside them. Nothing of it is read unless a defect is shown. */
import { readFileSync } from 'node:fs';
import type { SourceMap } from 'node:module';
import { join } from 'node:path';

/** Behind the path of the directory: the bundle, the line, the column. */
const POSITION = /^[\\/]([a-z0-9-]+\.js):(\d+):(\d+)\)?$/;

/**
 * The lines of an error's `stack`, where the bundles of `directory` are named replaced by `src/FILE.ts:LINE:COLUMN`. A line whose
 * map is missing or does not know the place stays as it is.
 */
export function sourceStack(stack: string, directory: string = import.meta.dirname): string {
  const maps = new Map<string, SourceMap | undefined>();

  function mapOf(bundle: string): SourceMap | undefined {
    if (!maps.has(bundle)) maps.set(bundle, readMap(join(directory, `${bundle}.map`)));
    return maps.get(bundle);
  }

  function inSource(line: string): string {
    const from = line.lastIndexOf(directory);
    const [, bundle, row, column] = (from >= 0 && POSITION.exec(line.slice(from + directory.length))) || [];
    if (bundle === undefined) return line;
    const place = mapOf(bundle)?.findEntry(Number(row) - 1, Number(column) - 1);
    if (place === undefined || !('originalSource' in place)) return line;
    const source = place.originalSource.replace(/^(\.\.\/)+/, '');
    const waiting = line.startsWith('    at async ') ? 'async ' : '';
    return `    at ${waiting}${source}:${place.originalLine + 1}:${place.originalColumn + 1}`;
  }

  return stack.split('\n').map(inSource).join('\n');
}

function readMap(file: string): SourceMap | undefined {
  try {
    // Here, because every command loads this file, and nearly none of them a map.
    const { SourceMap: Reader } = process.getBuiltinModule('node:module');
    return new Reader(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}
