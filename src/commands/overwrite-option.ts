/** Declares `--overwrite`, of every command that refuses to replace a file with unrelated contents. */
import { flag } from './define.ts';

export const overwriteOption = {
  overwrite: flag('--overwrite', 'Overwrite even files that qrctl protects', { risky: true }),
};
