import { InvalidArgumentError } from 'commander';
import { MOST_BYTES } from '#base/bounds';
import { messageOf, NotFoundError, UsageError } from '#base/errors';
import { parseBounded } from '#base/text/bounded-json';
import { cleanJson } from '#base/text/clean';
import { parseUrl } from '#base/text/parse-url';
import { quote } from '#base/text/quote';
import type { Context } from '#context';
import type { RawRequest } from '#service/service-options';
import { defineCommand, inputFile, oneOf, repeated } from './define.ts';
import { nameOfGiven, readGiven } from './read-given.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

const options = {
  query: repeated('--query <key=value>', 'Query parameter, percent-encoded by qrctl', parseParameter),
  input: inputFile('--input <file|->', 'File with the JSON body of the request (- for standard input)'),
};

export const command = defineCommand({
  description:
    'Sends one raw request and prints the body of the response.\n\n' +
    'PATH is the part after the base URL, such as /qr. The full path /api/v1/qr also works. The status of the response goes to standard error. ' +
    'qrctl waits for the rate limit and retries failed requests, but repeats a POST only if it was certainly not applied.\n\n' +
    'A DELETE runs without confirmation.',
  arguments: [
    { term: '<method>', description: 'HTTP method', choices: METHODS },
    { term: '<path>', description: 'Path after the base URL', complete: 'none' },
  ],
  options,
  examples: [
    ['qrctl api GET /qr --query page=2 --query limit=5', 'Fetch a page of codes as the service returns it'],
    [
      'qrctl api PATCH /qr/6f1c2f0e-8a53-4a3e-9d53-0d6a2b9a0c11 --input changes.json',
      'Send a request body from a file',
    ],
  ],
  async run(context, { args: [method = '', path = ''], options: { query, input } }) {
    const { baseUrl } = await context.settings();
    const request: RawRequest = {
      method: oneOf(method, METHODS),
      path: pathBelow(path, baseUrl ?? '', query ?? []),
    };
    if (input !== undefined) request.json = await readBody(context, input, method);
    const service = await context.service();
    const { status, text: body, failure } = await service.send(request);
    const { remaining, limit } = service.rateLimit();
    context.console.note(
      `${status}${remaining === undefined ? '' : `, ${remaining} of ${limit ?? '?'} requests left`}`,
    );
    await print(context, body);
    if (failure instanceof NotFoundError && !/^\/qr\/./.test(request.path))
      failure.hint = 'Correct PATH, as in `qrctl api GET /qr`.';
    if (failure) throw failure;
  },
});

function parseParameter(raw: string): [[string, string]] {
  const at = raw.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('NAME=VALUE, such as limit=5');
  return [[raw.slice(0, at), raw.slice(at + 1)]];
}

function pathBelow(path: string, baseUrl: string, query: readonly [string, string][]): string {
  const root = parseUrl(baseUrl)?.pathname ?? '';
  if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(path)) {
    throw new UsageError('PATH must be the part after the base URL, not a full URL', {
      hint: 'Pass only the path, as in `qrctl api GET /qr`.',
    });
  }
  if (/[^\x21-\x7e]|#/.test(path))
    throw new UsageError(`invalid character in PATH: ${quote(path)}`, {
      hint: 'Percent-encode the character.',
    });
  const below = path.startsWith(root) && /^(?=[/?]|$)/.test(path.slice(root.length));
  const rest = (below ? path.slice(root.length) : path).replace(/^(?!\/)/, '/');
  const [place = '', ...typed] = rest.split('?');
  const steps = place.split('/').map((step) => step.replaceAll(/%2e/gi, '.'));
  if (steps.includes('..') || steps.includes('.') || place.includes('\\')) {
    throw new UsageError(`PATH is outside the base URL: ${quote(path)}`, {
      hint: 'Remove . and .. from the path.',
    });
  }
  const pairs = query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  const parameters = [typed.join('?'), ...pairs].filter((part) => part !== '').join('&');
  return parameters === '' ? place : `${place}?${parameters}`;
}

async function readBody(context: Context, input: string, method: string): Promise<string> {
  if (method === 'GET')
    throw new UsageError("--input can't be used with GET", { hint: 'Omit --input, or use another method.' });
  const bytes = await readGiven(context, input, {
    flag: '--input',
    mostBytes: MOST_BYTES.body,
    whenLarger: 'split the request into smaller ones',
  });
  const body = bytes.toString('utf8').replace(/^\ufeff/, '');
  try {
    parseBounded(body);
  } catch (cause) {
    throw new UsageError(`cannot parse ${nameOfGiven(input)} as JSON: ${messageOf(cause)}`, {
      hint: 'Pass a JSON body.',
      cause,
    });
  }
  return body;
}

async function print({ console }: Context, body: string): Promise<void> {
  if (body === '') return;
  if (!console.isTerminal) return console.write(body);
  await console.write(cleanJson(body.endsWith('\n') ? body : `${body}\n`));
}
