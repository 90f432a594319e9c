/** Identity of the code of a scan, as far as its source has it. */
import type { CODE_COLUMNS } from '../export/added-columns.ts';

export interface CodeOfScans {
  /** Value in `--by code`: the slug, the ID, or the name of the file. */
  value: string;
  id?: string | undefined;
  slug?: string | undefined;
  name?: string | undefined;
  /** Undefined if its source does not have it. */
  destination?: string | null | undefined;
}

/** Value of `--by code`, and the name of the code if it is known. */
export interface CodeName {
  value: string;
  name?: string | undefined;
}

/** Returns the key that the scans of a code are counted by: its ID, because a slug may have belonged to a deleted code (F20). */
export function keyOfCode({ id, value }: Pick<CodeOfScans, 'id' | 'value'>): string {
  return id ?? value;
}

/** F20: of several codes with one slug the last one has it, and the others are shown by their IDs. */
export function tellApart(names: ReadonlyMap<string, CodeName>): Map<string, CodeName> {
  const owners = new Map([...names].map(([key, { value }]) => [value, key]));
  const shown = (key: string, { value, name }: CodeName) => ({
    value: owners.get(value) === key ? value : key,
    name,
  });
  return new Map([...names].map(([key, code]) => [key, shown(key, code)]));
}

/** Cells of the columns that identify the code; a missing one is undefined. */
export type CodeCells = { [column in (typeof CODE_COLUMNS)[number]]?: unknown };

/** Maximum number of codes that are remembered. */
const MOST_CODES = 10_000;

/**
 * Creates a function that returns the code of a row: the same object for the same cells, so that scans of one code can be counted
 * together. `owner`: ID of the code by which the file is named, or empty; `stem`: name of the file without extensions.
 */
export function createCodes({
  owner,
  stem,
}: {
  owner: string;
  stem: string;
}): (cells: CodeCells) => CodeOfScans {
  const codes = new Map<string, CodeOfScans>();
  let last: { cells: CodeCells; code: CodeOfScans } | undefined;
  return ({ qr_id, qr_slug, qr_name }) => {
    if (
      last &&
      qr_id === last.cells.qr_id &&
      qr_slug === last.cells.qr_slug &&
      qr_name === last.cells.qr_name
    )
      return last.code;
    const [id, slug, name] = [textOf(qr_id), textOf(qr_slug), textOf(qr_name)];
    const key = JSON.stringify([id, slug, name]);
    const code = codes.get(key) ?? codeOf(id?.toLowerCase() ?? (owner || undefined), slug, name);
    if (codes.size >= MOST_CODES && !codes.has(key)) codes.clear();
    codes.set(key, code);
    last = { cells: { qr_id, qr_slug, qr_name }, code };
    return code;
  };

  function codeOf(id: string | undefined, given: string | undefined, name: string | undefined): CodeOfScans {
    // `scans export --file-names slug` names the file of a code by its slug.
    const slug = id === undefined && given === undefined ? stem : given;
    return { value: slug ?? id ?? stem, id, slug, name };
  }
}

function textOf(cell: unknown): string | undefined {
  return typeof cell === 'string' && cell !== '' ? cell : undefined;
}
