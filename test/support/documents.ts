/** README, the guides in docs/ and the page for assistants, as tests read them. */
import { readdirSync, readFileSync } from 'node:fs';

export const ROOT = new URL('../../', import.meta.url);

/** Paths from the root of the repository. */
export const DOCUMENTS = [
  'README.md',
  '.github/SKILL.md',
  ...readdirSync(new URL('docs/', ROOT))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
].sort();

/** The text of a document. HOST, which qrctl refuses, becomes a host that exists; a block such as ```csv codes.csv becomes shell that writes the file. */
export function readDocument(name: string): string {
  const text = readFileSync(new URL(name, ROOT), 'utf8').replaceAll('//HOST/{slug}', '//go.example/{slug}');
  return text.replace(/^```csv (\S+)\n(.*?)^```/gms, "```sh\ncat > $1 <<'END'\n$2END\n```");
}

/** The fenced blocks in one of `languages`, without their fences. */
export function blocksIn(text: string, ...languages: string[]): string[] {
  return [...text.matchAll(/^```(\w*)\n(.*?)^```/gms)].flatMap(([, language = '', block = '']) =>
    languages.includes(language) ? block : [],
  );
}
