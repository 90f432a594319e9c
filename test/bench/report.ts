/** Results as a table for people, and as JSON for whoever draws them. */
import { cpus, totalmem } from 'node:os';
import type { Result } from './compare.ts';

export interface Report {
  title: string;
  results: Result[];
  /** What a reader should know beside the numbers: what was skipped, what was checked. */
  notes: string[];
}

export const machine = {
  node: process.version,
  cores: cpus().length,
  processor: cpus()[0]?.model ?? 'unknown',
  memoryGb: Math.round(totalmem() / 2 ** 30),
};

export function formatReport({ title, results, notes }: Report): string {
  const head = ['', 'wall', 'ratio', 'cpu', 'ratio', 'peak'];
  const rows = results.map(({ name, wallMs, wallRatio, cpuMs, cpuRatio, peakMb }) => [
    name,
    time(wallMs),
    wallRatio.toFixed(2),
    time(cpuMs),
    cpuRatio.toFixed(2),
    peakMb === undefined ? '' : `${Math.round(peakMb)} MB`,
  ]);
  const widths = head.map((_, i) => Math.max(...[head, ...rows].map((row) => row[i]?.length ?? 0)));
  const lines = [head, ...rows].map((row) =>
    row.map((cell, i) => pad(cell, widths[i] ?? 0, i === 0)).join('  '),
  );
  return [title, ...lines, ...notes.map((note) => `  ${note}`), ''].join('\n');
}

function pad(text: string, width: number, left: boolean): string {
  return left ? text.padEnd(width) : text.padStart(width);
}

function time(ms: number): string {
  return ms < 1000 ? `${ms.toFixed(0)} ms` : `${(ms / 1000).toFixed(2)} s`;
}
