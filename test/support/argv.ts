type Value = string | number | readonly string[];

/**
 * Splits a command line at its spaces: argv`scans export ${id} -o ${file} ${flags}`. A string or number in it is one word, or part of the
 * word that it touches, whatever it contains; a list is as many words.
 */
export function argv(texts: TemplateStringsArray, ...values: readonly Value[]): string[] {
  const words: string[] = [];
  let word: string | undefined;
  const endWord = () => {
    if (word !== undefined) words.push(word);
    word = undefined;
  };
  for (const [at, text] of texts.entries()) {
    for (const [n, part] of text.split(/\s+/).entries()) {
      if (n > 0) endWord();
      if (part !== '') word = (word ?? '') + part;
    }
    const value = values[at];
    if (typeof value === 'object') words.push(...value);
    else if (value !== undefined) word = (word ?? '') + value;
  }
  endWord();
  return words;
}
