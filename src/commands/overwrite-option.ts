/** Declares `--overwrite`, of every command that refuses to replace a file with unrelated contents. */
import { flag } from './define.ts';

export const overwriteOption = {
  overwrite: flag('--overwrite', 'Replace files that are protected by default', { risky: true }),
};
