/** Identity of the code of a scan, as far as its source has it. */

export interface CodeOfScans {
  /** Value in `--by code`: the slug, the ID, or the name of the file. */
  value: string;
  /** In lower case. */
  id?: string | undefined;
  slug?: string | undefined;
  name?: string | undefined;
  /** Undefined if its source does not have it. */
  destination?: string | null | undefined;
}

/** What a code is shown as: the value of `--by code`, and its name if it is known. */
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
  return new Map(
    [...names].map(([key, { value, name }]) => [
      key,
      { value: owners.get(value) === key ? value : key, name },
    ]),
  );
}

/** Columns of a file of scans that identify the code, and name it. */
export const CODE_COLUMNS = ['qr_id', 'qr_slug', 'qr_name'] as const;

/** Cells of the columns; a missing one is undefined. */
export interface CodeCells {
  qr_id?: unknown;
  qr_slug?: unknown;
  qr_name?: unknown;
}

/** More codes than any workspace has; beyond them, objects are created again. */
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
    const key = JSON.stringify([qr_id, qr_slug, qr_name].map(textOf));
    const code =
      codes.get(key) ?? remember(key, codeOf(textOf(qr_id)?.toLowerCase(), textOf(qr_slug), textOf(qr_name)));
    last = { cells: { qr_id, qr_slug, qr_name }, code };
    return code;
  };

  function remember(key: string, code: CodeOfScans): CodeOfScans {
    if (codes.size >= MOST_CODES) codes.clear();
    codes.set(key, code);
    return code;
  }

  function codeOf(id = owner || undefined, slug: string | undefined, name: string | undefined): CodeOfScans {
    // `scans export --file-names slug` names the file of a code by its slug.
    const called = id === undefined && slug === undefined ? stem : slug;
    return { value: called ?? id ?? stem, id, slug: called, name };
  }
}

function textOf(cell: unknown): string | undefined {
  return typeof cell === 'string' && cell !== '' ? cell : undefined;
}
