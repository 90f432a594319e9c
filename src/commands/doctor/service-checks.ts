import {
  AuthError,
  Failure,
  NotFoundError,
  RateLimitError,
  UnavailableError,
  UnexpectedResponseError,
} from '#base/errors';
import { joinSome } from '#base/text/quote';
import { formatDuration } from '#base/time/time';
import type { ConnectedSettings, Context } from '#context';
import { NetworkError } from '#service/network-error';
import type { Service } from '#service/service';
import { doubtful, type Finding, failed, sound } from './finding.ts';
import { compareOpenApi } from './open-api.ts';

/** Maximum clock skew in ms without a warning. The service sends whole seconds. */
const NOTABLE_SKEW_MS = 5000;

type CheckContext = Pick<Context, 'connect' | 'clock' | 'signal'>;

export async function checkService(context: CheckContext, settings: ConnectedSettings): Promise<Finding[]> {
  const opened = await attempt(context, () => context.connect({ ...settings, retryForMs: 0 }));
  if (!opened.value) return [failed('service', opened.error)];
  const service = opened.value;
  try {
    const listed =
      settings.apiKey === ''
        ? undefined
        : await attempt(context, () => service.listCodes({ page: 1, limit: 1 }));
    if (listed && !hasResponse(listed.error)) return [failed('service', withFix(listed.error))];
    const described = await attempt(context, () => service.openApi());
    if (!listed && !hasResponse(described.error)) return [failed('service', withFix(described.error))];
    return [
      ...(listed?.error instanceof AuthError ? [failed('key', listed.error)] : []),
      sound('service', `${service.baseUrl} responds${listed && !listed.error ? ' and accepts the key' : ''}`),
      checkClock(context, service),
      described.error ? unreadable(described.error) : checkDescription(described.value),
    ];
  } finally {
    await service.close();
  }
}

async function attempt<T>(
  { signal }: CheckContext,
  work: () => Promise<T>,
): Promise<{ value?: T; error?: Failure }> {
  try {
    return { value: await work() };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof Failure)) throw error;
    return { error };
  }
}

function hasResponse(error: unknown): boolean {
  return (
    error === undefined ||
    [AuthError, NotFoundError, RateLimitError].some((refusal) => error instanceof refusal)
  );
}

function withFix(error: unknown): unknown {
  if (!(error instanceof UnavailableError)) return error;
  const { cause } = error;
  if (!(cause instanceof NetworkError) || (cause.fault === 'network' && !cause.hint))
    error.hint = 'Check the base URL, network, proxy and firewall, and whether the service is down.';
  return error;
}

function checkClock({ clock }: CheckContext, service: Service): Finding {
  const serviceMs = service.nowMs();
  if (serviceMs === undefined) {
    const fix = 'No action is needed. qrctl estimates pauses from Retry-After.';
    return doubtful('clock', 'the service sends no Date header', fix);
  }
  const aheadMs = clock.now() - serviceMs;
  if (Math.abs(aheadMs) <= NOTABLE_SKEW_MS) return sound('clock', 'matches the clock of the service');
  const skew = `${formatDuration(Math.abs(aheadMs))} ${aheadMs > 0 ? 'ahead of' : 'behind'} the service`;
  const message = `this machine's clock is ${skew}; qrctl uses the service's clock`;
  return doubtful('clock', message, 'Synchronize the clock of this machine, for example with NTP.');
}

function unreadable(error: Failure): Finding {
  const fix = 'No action is needed. qrctl works without this file.';
  return doubtful('openapi', `/openapi.json cannot be read: ${error.message}`, fix);
}

function checkDescription(description: unknown): Finding {
  const { broken, changed } = compareOpenApi(description);
  const fix = 'Check for a newer version of qrctl.';
  if (broken.length > 0) {
    const message = `/openapi.json does not match qrctl: ${inShort([...broken, ...changed])}`;
    return failed('openapi', new UnexpectedResponseError(message, { hint: fix }));
  }
  if (changed.length > 0) return doubtful('openapi', `/openapi.json has changed: ${inShort(changed)}`, fix);
  return sound('openapi', '/openapi.json matches qrctl');
}

const MOST_SHOWN = 4;

function inShort(phrases: readonly string[]): string {
  return joinSome(phrases, { most: MOST_SHOWN, separator: '; ' });
}
