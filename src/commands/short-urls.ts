import { UsageError } from '#base/errors';
import { quote } from '#base/text/quote';
import { codeOfShortUrl } from '#base/text/short-url';
import type { Context } from '#context';

const ADDRESS = /^https?:\/\//i;

/**
 * Returns a function that finds the ID or slug in a short URL, with or without `https://`. Returns undefined
 * if `short-url` is not set.
 */
export async function shortUrlParser({
  settings,
}: Context): Promise<((text: string) => string | undefined) | undefined> {
  const { shortUrl } = await settings();
  if (shortUrl === undefined) return undefined;
  return (text) =>
    text.includes('/') ? codeOfShortUrl(shortUrl, ADDRESS.test(text) ? text : `https://${text}`) : undefined;
}

/** Replaces short URLs with IDs or slugs. Throws UsageError for other URLs. */
export async function resolveNames(context: Context, names: readonly string[]): Promise<string[]> {
  const parse = names.some((name) => name.includes('/')) ? await shortUrlParser(context) : undefined;
  return names.map((name) => {
    const code = parse?.(name);
    if (code !== undefined || !ADDRESS.test(name)) return code ?? name;
    throw new UsageError(
      `cannot find the code of ${quote(name)}: it is not a short URL of the setting short-url`,
      {
        hint: parse
          ? 'Run `qrctl config get short-url` to see the form of short URLs, or specify an ID or slug.'
          : 'Run `qrctl config set short-url https://HOST/{slug}`, or specify an ID or slug.',
      },
    );
  });
}
