import type { SlugStore } from '#service/slug-memory';

export const NO_SLUG_STORE: SlugStore = {
  read: async () => undefined,
  has: async () => false,
  write: async () => undefined,
};
