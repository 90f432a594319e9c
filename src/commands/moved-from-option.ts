/** Declares `--moved-from`, of every command that keeps a file about one service between runs. */
import { UsageError } from '../errors.ts';
import { parseBaseUrl } from '../service/base-url.ts';
import { parsed } from './define.ts';

export const movedFromOption = {
  movedFrom: parsed('--moved-from <url>', 'Base URL of the last run, if it has changed', {
    parse: canonical,
    forms: 'a base URL, such as https://HOST/api/v1',
  }),
};

function canonical(text: string): string | undefined {
  try {
    return parseBaseUrl(text).baseUrl;
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}
