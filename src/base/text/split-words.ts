const SHELL_SYNTAX = /[|&;<>$`]/;

/** Splits a line like a shell. A backslash is literal, except before a quote outside single quotes. */
export function splitWords(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  for (const [piece, single, double] of line.matchAll(
    /'([^']*)'|"((?:\\"|[^"])*)"|\s+|(?:\\['"]|[^\s'"])+|['"]/g,
  )) {
    const quoted = single ?? double?.replaceAll('\\"', '"');
    if (quoted === undefined && (piece === "'" || piece === '"'))
      throw new Error(`it has an opening ${piece} without a closing one`);
    if (quoted === undefined && /^\s/.test(piece)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      continue;
    }
    const syntax = quoted === undefined ? SHELL_SYNTAX.exec(piece) : null;
    if (syntax) throw new Error(`it runs without a shell, so an unquoted ${syntax[0]} has no effect`);
    word = (word ?? '') + (quoted ?? piece.replace(/\\(['"])/g, '$1'));
  }
  return word === undefined ? words : [...words, word];
}
