import type { CODE_COLUMNS } from '#scans/export/added-columns';

export interface CodeOfScans {
  /** Value shown by `--by code`: slug, ID or file name. */
  value: string;
  id?: string;
  slug?: string;
  name?: string;
  destination?: string | null;
  isGuess?: boolean;
}

export type CodeName = Pick<CodeOfScans, 'value' | 'name'>;

/** Returns a code's ID or, if unknown, its value. A slug may have belonged to a deleted code (F20). */
export function keyOfCode({ id, value }: Pick<CodeOfScans, 'id' | 'value'>): string {
  return id ?? value;
}

/** F20: shows a slug only for the last code that had it, and IDs for earlier codes. */
export function tellApart(names: ReadonlyMap<string, CodeName>): Map<string, CodeName> {
  const owners = new Map([...names].map(([key, { value }]) => [value, key]));
  const shown = [...names].map(([key, { value, name }]): [string, CodeName] => {
    return [key, { value: owners.get(value) === key ? value : key, name }];
  });
  return new Map(shown);
}

type CodeCells = { [column in (typeof CODE_COLUMNS)[number]]?: unknown };

const MOST_CODES = 10_000;

/** Returns a function that finds a row's code. `owner`: ID in the file name, or empty. */
export function createCodes({ owner, stem }: Record<'owner' | 'stem', string>) {
  const codes = new Map<string, CodeOfScans>();
  let last: { cells: CodeCells; code: CodeOfScans } | undefined;
  return ({ qr_id, qr_slug, qr_name }: CodeCells): CodeOfScans => {
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
    // Guesses the slug, because `--file-names slug` names files after slugs.
    if (id === undefined && given === undefined) return { value: stem, slug: stem, name, isGuess: true };
    return { value: given ?? id ?? stem, id, slug: given, name };
  }
}

function textOf(cell: unknown): string | undefined {
  return typeof cell === 'string' && cell !== '' ? cell : undefined;
}
