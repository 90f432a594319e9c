import type { ConnectedSettings, Context } from '../../context.ts';
import { UnavailableError } from '../../errors.ts';

/**
 * Asks the service for one code with the key. Throws AuthError when it refuses the key, UnavailableError when there is no
 * answer, and whatever else a listing throws; before anything is stored.
 */
export async function verifyKey({ connect }: Pick<Context, 'connect'>, settings: ConnectedSettings): Promise<void> {
  const service = await connect(settings);
  try {
    await service.listCodes({ page: 1, limit: 1 });
  } catch (cause) {
    if (!(cause instanceof UnavailableError)) throw cause;
    throw new UnavailableError(`${cause.message}; nothing was stored`, {
      hint: 'try again, or store the key unverified with --no-verify',
      code: cause.code,
      status: cause.status,
      cause,
    });
  } finally {
    await service.close();
  }
}
