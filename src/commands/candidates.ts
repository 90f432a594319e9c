import { clean } from '#base/text/clean';
import type { ConnectedSettings, Context } from '#context';
import { MAX_CODES_PAGE } from '#service/shapes';
import type { KnownCode, Listing } from '#service/slug-memory';
import { readStore } from '#settings/store';
import { defineCommand } from './define.ts';

const FRESH_MS = 60_000;
const FAILED_MS = 20_000;
const PATIENCE_MS = 1500;
const MOST_PAGES = 10;
const LONGEST_NAME = 40;

const PLAIN_WORD = /^[\p{L}\p{N}][\p{L}\p{N}._~-]*$/u;

export const command = defineCommand({
  description: 'Candidates for completion scripts.',
  options: {},
  examples: [],
  async run(context, { args: [kind, before = ''] }) {
    try {
      const found = kind === 'profiles' ? await profiles(context) : await codes(context);
      const lines = found.map(([word, text]) => `${before}${word}\t${brief(text)}\n`);
      if (lines.length > 0) await context.console.write(lines.join(''));
    } catch {
      // The command that the user completes reports the error.
    }
  },
});

type Candidate = readonly [word: string, text: string];

async function profiles({ env }: Context): Promise<Candidate[]> {
  const { profiles } = await readStore(env);
  return [...profiles]
    .filter(([name]) => clean(name) === name)
    .map(([name, { baseUrl = '' }]) => [name, baseUrl]);
}

async function codes(context: Context): Promise<Candidate[]> {
  const settings = await settingsOf(context);
  if (!settings) return [];
  const { createSlugMemory } = await import('#service/slug-memory');
  const memory = createSlugMemory(await context.codeCache(settings));
  const isKnown = isFresh(await memory.listing(), context.clock.now());
  const known = isKnown ? await memory.codes() : await requestCodes(context, settings);
  return known.filter(({ slug }) => PLAIN_WORD.test(slug)).map(({ slug, name }) => [slug, name]);
}

/** Returns the settings with a key, if known. Runs no key-command, because it may prompt. */
async function settingsOf(context: Context): Promise<ConnectedSettings | undefined> {
  const given = await context.settings();
  const settings = given.keySource === 'command' ? given : await context.withKey(given);
  const { baseUrl, apiKey } = settings;
  return baseUrl === undefined || apiKey === undefined ? undefined : { ...settings, baseUrl, apiKey };
}

function isFresh(listing: Listing | undefined, nowMs: number): boolean {
  if (!listing) return false;
  const ageMs = nowMs - listing.atMs;
  return ageMs >= 0 && ageMs < (listing.answered ? FRESH_MS : FAILED_MS);
}

/**
 * Requests codes, and returns all known ones. After a late response or an error, none is requested for 20 s.
 */
async function requestCodes(context: Context, settings: ConnectedSettings): Promise<KnownCode[]> {
  const { inParallel } = await import('#base/parallel');
  const service = await context.connect({
    ...settings,
    reserve: { percent: 50 },
    maxWaitMs: 0,
    retryForMs: 0,
    timeoutMs: PATIENCE_MS,
  });
  const getPage = (page: number) => service.listCodes({ page, limit: MAX_CODES_PAGE });
  const getAll = async () => {
    const first = await getPage(1);
    const pages = Math.ceil(first.total / Math.max(1, first.rows.length));
    const others = Array.from({ length: Math.max(0, Math.min(MOST_PAGES, pages) - 1) }, (_, i) => i + 2);
    await inParallel(others, settings.concurrency, getPage);
    return { answered: true, whole: pages <= MOST_PAGES };
  };
  const enough = new AbortController();
  const none = { answered: false, whole: false };
  try {
    const late = context.clock.sleep(PATIENCE_MS, enough.signal).then(() => none);
    const end = await Promise.race([getAll(), late].map((outcome) => outcome.catch(() => none)));
    service.slugs.noteListing({ ...end, atMs: context.clock.now() });
    return await service.slugs.codes();
  } finally {
    enough.abort();
    await service.close();
  }
}

function brief(text: string): string {
  const letters = [...clean(text)];
  return letters.length > LONGEST_NAME ? `${letters.slice(0, LONGEST_NAME - 1).join('')}…` : letters.join('');
}
