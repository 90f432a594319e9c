/** UTM tags: the five parameters of an address by which web statistics tell campaigns apart. */

export const UTM_NAMES = ['source', 'medium', 'campaign', 'term', 'content'] as const;
