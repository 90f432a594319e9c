/**
 * Looks up profiles or codes for completion (`qrctl __complete`, see cli/completion.ts). Prints one candidate per line, with a tab and its
 * description behind it. Silent on any failure, and never takes longer than a moment.
 */
import { type CachedCode, type CodeCache, codeCacheFile, readCodeCache, writeCodeCache } from '../codes/code-cache.ts';
import type { ConnectedSettings, Context } from '../context.ts';
import { clean } from '../text/clean.ts';
import { defineCommand } from './define.ts';

/** How long an answer of the service counts, and a failure to get one. */
const FRESH_MS = 60_000;
const FAILED_MS = 20_000;
/** How long a person who typed Tab waits for the service at most. */
const PATIENCE_MS = 1500;
/** More codes than anyone picks from by Tab; and the rate limit is for work. */
const MOST_PAGES = 10;
const CODES_A_PAGE = 100;
const LONGEST_NAME = 40;

/** Words that no shell takes for anything else; slugs are such words, and what is not is not offered. */
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
      // A keystroke is no place for an error; the command itself will tell.
    }
  },
});

type Candidate = readonly [word: string, text: string];

async function profiles({ env }: Context): Promise<Candidate[]> {
  const { readStore } = await import('../settings/store.ts');
  const store = await readStore(env);
  return [...store.profiles].filter(([name]) => clean(name) === name).map(([name, { baseUrl = '' }]) => [name, baseUrl]);
}

async function codes(context: Context): Promise<Candidate[]> {
  const settings = await settingsOf(context);
  if (!settings) return [];
  const file = await codeCacheFile(context.env, settings);
  const known = readCodeCache(file);
  const cache = known && isFresh(known, context.clock.now()) ? known : await refresh(context, settings, file, known);
  return cache.codes.filter(({ slug }) => PLAIN_WORD.test(slug)).map(({ slug, name }) => [slug, name]);
}

/** The settings the command being typed would have; undefined where there is no service or no key. */
async function settingsOf(context: Context): Promise<ConnectedSettings | undefined> {
  const settings = await context.settings();
  const { baseUrl, apiKey } = settings;
  return baseUrl === undefined || apiKey === undefined ? undefined : { ...settings, baseUrl, apiKey };
}

function isFresh({ askedAtMs, answered }: CodeCache, nowMs: number): boolean {
  const ageMs = nowMs - askedAtMs;
  return ageMs >= 0 && ageMs < (answered ? FRESH_MS : FAILED_MS);
}

/** Asks the service and remembers what it said; where it does not answer in time, what is known stays, and is not asked again at once. */
async function refresh(
  context: Context,
  settings: ConnectedSettings,
  file: string,
  known: CodeCache | undefined,
): Promise<CodeCache> {
  const { codes: found, answered } = await ask(context, settings);
  const better = answered || found.length > (known?.codes.length ?? 0);
  const cache = { askedAtMs: context.clock.now(), answered, codes: better ? found : (known?.codes ?? []) };
  try {
    await writeCodeCache(file, cache, context.processes);
  } catch {
    // Then it is asked again next time.
  }
  return cache;
}

async function ask(context: Context, settings: ConnectedSettings): Promise<{ codes: CachedCode[]; answered: boolean }> {
  const { fetchInOrder } = await import('../parallel/fetch-in-order.ts');
  // Half of every window is left to real work, and nothing waits for the next.
  const service = await context.connect({
    ...settings,
    reserve: { percent: 50 },
    maxWaitMs: 0,
    retryForMs: 0,
    timeoutMs: PATIENCE_MS,
  });
  const found: CachedCode[] = [];
  const getPage = async (page: number) => {
    const { rows, total } = await service.listCodes({ page, limit: CODES_A_PAGE });
    return { rows: rows.map(({ slug, name }) => ({ slug, name })), total };
  };
  const getAll = async () => {
    const first = await getPage(1);
    found.push(...first.rows);
    const pages = Math.min(MOST_PAGES, Math.ceil(first.total / Math.max(1, first.rows.length)));
    const others = Array.from({ length: Math.max(0, pages - 1) }, (_, i) => i + 2);
    for await (const { rows } of fetchInOrder(others, getPage, settings.concurrency)) found.push(...rows);
    return true;
  };
  const enough = new AbortController();
  try {
    const late = context.clock.sleep(PATIENCE_MS, enough.signal).then(() => false);
    const answered = await Promise.race([getAll(), late].map((outcome) => outcome.catch(() => false)));
    return { codes: [...found], answered };
  } finally {
    enough.abort();
    await service.close();
  }
}

/** A name on one line and no longer than fits beside the slug. */
function brief(text: string): string {
  const letters = [...clean(text)];
  return letters.length > LONGEST_NAME ? `${letters.slice(0, LONGEST_NAME - 1).join('')}…` : letters.join('');
}
