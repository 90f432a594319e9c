import type { SourceMap, SourceMapPayload } from 'node:module';
import { orUndefined } from '#base/errors';
import { parseBounded } from '#base/text/bounded-json';
import { readIfPackaged } from '#files/durable/packaged-files';

const POSITION = /^[\\/]([a-z0-9-]+\.js):(\d+):(\d+)\)?$/;

export function sourceStack(stack: string, directory = import.meta.dirname, read = readOfDist): string {
  const maps = new Map<string, SourceMap | undefined>();

  function mapOf(bundle: string): SourceMap | undefined {
    if (!maps.has(bundle)) maps.set(bundle, readMap(read(`${bundle}.map`)));
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

const readOfDist = (name: string) => readIfPackaged(`dist/${name}`);

function readMap(bytes: Buffer | undefined): SourceMap | undefined {
  if (bytes === undefined) return undefined;
  const { SourceMap: Reader } = process.getBuiltinModule('node:module');
  return orUndefined(() => new Reader(parseBounded(bytes.toString()) as SourceMapPayload));
}
