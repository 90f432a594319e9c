import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { RowProblem } from '#base/errors';
import { clean } from '#base/text/clean';
import { redactKeys } from '#base/text/key';
import { countOf } from '#base/text/quote';
import { escapeData, escapeProperty } from '#base/text/workflow-commands';

import type { RunFacts } from './run-summary.ts';

/** Maximum number of annotations that GitHub shows per step. */
const MOST = 10;
const LONGEST = 500;

interface Place {
  workspace?: string;
  directory: string;
}

export function formatAnnotations(problems: readonly RowProblem[], place: Place): string {
  const told = problems.length > MOST ? problems.slice(0, MOST - 1) : problems;
  const left = problems.length - told.length;
  const more = left > 0 ? `::error::and ${countOf(left, 'more row')} with errors\n` : '';
  return told.map((problem) => formatAnnotation(problem, place)).join('') + more;
}

function formatAnnotation({ file, line, message }: RowProblem, place: Place): string {
  const at = line === undefined ? '' : `,line=${line}`;
  const properties = file === undefined ? '' : ` file=${escapeProperty(clean(pathOf(file, place)))}${at}`;
  const said = clean(redactKeys(message));
  const shown = said.length > LONGEST ? `${said.slice(0, LONGEST).toWellFormed()}…` : said;
  return `::error${properties}::${escapeData(shown)}\n`;
}

function pathOf(file: string, { workspace, directory }: Place): string {
  if (workspace === undefined || workspace === '') return file;
  const inside = relative(workspace, resolve(directory, file));
  return inside.startsWith('..') || isAbsolute(inside) ? file : inside.replaceAll(sep, '/');
}

export function addFailedCodes(facts: RunFacts, failed: readonly { id: string; message: string }[]): void {
  facts.problems = failed.flatMap(({ id, message }) => facts.problemsOfCode?.(id, message) ?? []);
}
