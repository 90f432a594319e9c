/** `--overwrite`, of every command that refuses to replace a file with other contents. */
import { flag } from './define.ts';

export const overwriteOption = {
  overwrite: flag('--overwrite', 'Replace an existing file that qrctl otherwise refuses to replace', { risky: true }),
};
