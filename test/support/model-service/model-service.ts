/**
 * The service in memory, for tests without a network: what a test asks of it is put together from parts, and all else is
 * refused. scans.ts has pages of scans, codes.ts creates and lists codes, rate-window.ts counts requests behind a transport.
 */
import type { Service } from '#service/service';
import { createSlugMemory } from '#service/slug-memory';
import { createWorkspace } from '#service/workspace';
import { NO_SLUG_STORE } from '../no-slug-store.ts';

const BASE_URL = 'https://far.example/api/v1';

const refuse = async () => {
  throw new Error('this test asks for no such thing');
};

/** A service that answers with these `parts` only. */
export function modelService(parts: Partial<Service>): Service {
  return {
    baseUrl: BASE_URL,
    workspace: createWorkspace({ baseUrl: BASE_URL, apiKey: 'svc_live_model' }),
    concurrency: 4,
    slugs: createSlugMemory(NO_SLUG_STORE),
    listCodes: refuse,
    getCode: refuse,
    createCode: refuse,
    updateCode: refuse,
    deleteCode: refuse,
    listScans: refuse,
    send: refuse,
    openApi: refuse,
    rateLimit: () => ({
      plan: undefined,
      limit: undefined,
      remaining: undefined,
      resetMs: undefined,
      resetInMs: undefined,
    }),
    stats: () => ({ requests: 0, retries: 0, pauses: 0, pausedMs: 0 }),
    nowMs: () => undefined,
    close: async () => {},
    ...parts,
  };
}

/** Rejects with that error, as a method of a service does. */
export function failing(error: Error): () => Promise<never> {
  return async () => {
    throw error;
  };
}
