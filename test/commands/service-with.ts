/** Services that fail without a network. */
import type { Service } from '../../src/service/service.ts';

const refuse = async () => {
  throw new Error('this test asks for no such thing');
};

/** A service of which a test says only what it asks of it. */
export function serviceWith(answers: Partial<Service>): Service {
  return {
    baseUrl: 'https://far.example/api/v1',
    listCodes: refuse,
    getCode: refuse,
    createCode: refuse,
    updateCode: refuse,
    deleteCode: refuse,
    listScans: refuse,
    openApi: refuse,
    rateLimit: () => ({ plan: undefined, limit: undefined, remaining: undefined, resetMs: undefined, resetInMs: undefined }),
    stats: () => ({ requests: 0, pauses: 0, pausedMs: 0 }),
    nowMs: () => undefined,
    msToClockSample: () => 0,
    close: async () => {},
    ...answers,
  };
}

/** Rejects with that error, as a method of a service does. */
export function failing(error: Error): () => Promise<never> {
  return async () => {
    throw error;
  };
}
