/** Variables of the environment, as they are handed in. */
export type Environment = Readonly<Record<string, string | undefined>>;
