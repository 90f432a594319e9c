/** `--moved-from`, of every command that keeps a file about one service from run to run. */
import { UsageError } from '../errors.ts';
import { parseBaseUrl } from '../service/base-url.ts';
import { parsed } from './define.ts';

export const movedFromOption = {
  movedFrom: parsed('--moved-from <url>', 'Base URL that the service had before, if it has moved since the last run', {
    parse: canonical,
    forms: 'It takes a base URL, such as https://host/api/v1.',
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
