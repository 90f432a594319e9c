const WORD = /(?:'[^']*'|"[^"]*"|[^\s|<>()&;"'`])+/.source;

/** The qrctl command lines in a line of shell, as words. */
export function commandLinesIn(line: string): string[][] {
  const pattern = new RegExp(String.raw`(?<![\w/])qrctl(?![\w.-])((?:\s+${WORD})*)`, 'g');
  return [...line.matchAll(pattern)].map(([, words = '']) => splitWords(words));
}

/** Words as a shell would split them; quotes hold one together. */
export function splitWords(line: string): string[] {
  return [...line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s"'])+/g)].map(([word]) =>
    word.replace(/'([^']*)'|"([^"]*)"/g, '$1$2'),
  );
}
