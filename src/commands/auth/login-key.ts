import { MOST_BYTES } from '../../base/bounds.ts';
import { UnavailableError, UsageError } from '../../base/errors.ts';
import { checkKey, hasLivePrefix } from '../../base/text/key.ts';
import type { ConnectedSettings, Context } from '../../context.ts';
import { askUntil } from '../ask-until.ts';

interface KeyQuestion {
  fromStdin: boolean | undefined;
  baseUrl: string;
  verify: ((key: string) => Promise<void>) | undefined;
}

export async function readKey(
  context: Context,
  { fromStdin, baseUrl, verify }: KeyQuestion,
): Promise<string> {
  const { console } = context;
  const accept = async (text: string) => {
    const key = checkKey(text.trim(), 'the key');
    if (!hasLivePrefix(key))
      console.note('The key does not begin with svc_live_, unlike other keys of the service');
    await verify?.(key);
    return key;
  };
  if (fromStdin) return accept(await firstLine(context));
  if (!console.canAsk) {
    throw new UsageError('cannot prompt for the key: not a terminal', {
      hint: 'Pass the key on standard input, as in `qrctl auth login --key-stdin < FILE`.',
    });
  }
  return askUntil(context, () => console.askSecret(`API key for ${new URL(baseUrl).host}: `), accept);
}

async function firstLine({ stdin, signal }: Context): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stdin) {
    signal.throwIfAborted();
    chunks.push(chunk);
    length += chunk.length;
    // On a terminal, the end of the line ends the input.
    if (length > MOST_BYTES.keyStream || chunk.includes(0x0a)) break;
  }
  return Buffer.concat(chunks).toString('utf8').split('\n', 1)[0] ?? '';
}

export async function verifyKey(
  { connect }: Pick<Context, 'connect'>,
  settings: ConnectedSettings,
): Promise<void> {
  const service = await connect(settings);
  try {
    await service.listCodes({ page: 1, limit: 1 });
  } catch (cause) {
    if (!(cause instanceof UnavailableError)) throw cause;
    throw new UnavailableError(`${cause.message}; nothing was stored`, {
      hint: 'Try again, or add --no-verify to store the key without verifying it.',
      code: cause.code,
      status: cause.status,
      cause,
    });
  } finally {
    await service.close();
  }
}
