import { stat } from 'node:fs/promises';
import { UsageError } from '#base/errors';
import { joinSome, quote, shown } from '#base/text/quote';
import { type CodeChoice, createNameTest } from '#commands/code-choice';
import type { Context } from '#context';
import { type CodeOfScans, keyOfCode } from '#scans/stats/code-of-scans';
import { isUuid } from '#service/checks';

/** Divides arguments into files and codes, because a shell expands `--input *.csv` to several words. */
export async function divideNames(names: readonly string[]): Promise<{ files: string[]; codes: string[] }> {
  const files: string[] = [];
  const codes: string[] = [];
  for (const name of names) {
    const isFile = /[./\\]/.test(name) || (await stat(name).catch(() => undefined)) !== undefined;
    (isFile ? files : codes).push(name);
  }
  return { files, codes };
}

type Given = Partial<Pick<CodeOfScans, 'id' | 'slug'>>;

const MOST_NAMED = 5;

export async function chooseInFiles(context: Context, codes: readonly string[], choice: CodeChoice) {
  const { from, name } = choice;
  if (codes.length === 0 && from === undefined && name === undefined) return undefined;
  const given: readonly Given[] =
    from === undefined
      ? codes.map((code) => (isUuid(code) ? { id: code } : { slug: code }))
      : await (await import('#commands/codes-of-file')).readNamesOfFile(context, { ...choice, from });
  const isNamed = name && createNameTest(name);
  const seen = new Set<Given>();
  const others = new Set<string>();
  const names = new Map<string, string>();

  function matches(code: CodeOfScans, { id, slug }: Given): boolean {
    if (id !== undefined && code.id !== undefined) return id.toLowerCase() === code.id;
    if (slug !== undefined && code.slug !== undefined) return slug === code.slug;
    const [lacks, has] = code.slug === undefined ? ['slugs', 'IDs'] : ['code IDs', 'slugs'];
    const name = quote(id ?? slug ?? '');
    throw new UsageError(`cannot find ${name} in the files: their scans have no ${lacks}`, {
      hint: `Specify codes by their ${has}.`,
    });
  }

  function hasName(code: CodeOfScans, test: (name: string) => boolean): boolean {
    const { value, name: own } = code;
    const before = names.get(keyOfCode(code)) ?? own;
    if (own !== undefined && before !== undefined && test(before) === test(own)) {
      names.set(keyOfCode(code), own);
      return test(own);
    }
    const fault =
      own === undefined ? 'has no name' : `was renamed from ${quote(before ?? '')} to ${quote(own)}`;
    throw new UsageError(`cannot find code ${quote(value)} by --name: in the files, it ${fault}`, {
      hint: 'Specify codes by ID or slug instead.',
    });
  }

  return {
    isChosen(code: CodeOfScans): boolean {
      const found = given.filter((one) => matches(code, one));
      for (const one of found) seen.add(one);
      if (code.isGuess && found.length === 0 && given.length > 0) others.add(code.value);
      return (given.length === 0 || found.length > 0) && (!isNamed || hasName(code, isNamed));
    },
    /** Warns about chosen codes without scans. Throws UsageError if scans that name no code may be theirs. */
    noteUnseen({ warn }: Context['console']): void {
      const unseen = given.filter((one) => !seen.has(one)).map(({ id, slug }) => shown(slug ?? id ?? ''));
      if (unseen.length === 0) return;
      const fault = `no scans of ${joinSome(unseen, { most: MOST_NAMED })} in these files`;
      if (others.size === 0) {
        warn(fault);
        return;
      }
      const files = joinSome([...others].map(shown), { most: MOST_NAMED, separator: ', ' });
      throw new UsageError(`${fault}: the rows do not name their code, only the files do (${files})`, {
        hint: 'Omit CODE to count all scans, or name each file by slug or ID.',
      });
    },
  };
}
