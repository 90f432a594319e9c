/** Surroundings of the jobs that create codes: those of `qr create --from` and `qr apply`. */
import { uptime } from 'node:os';
import { SETTLE_MS } from '../../codes/engine/creation/landing-delay.ts';
import type { Context } from '../../context.ts';
import type { Service } from '../../service/service.ts';

interface CreatingFlags {
  settle?: number | undefined;
  movedFrom?: string | undefined;
}

/** Returns the service, the clocks and the common flags of a job. */
export async function creatingJob(context: Context, { settle, movedFrom }: CreatingFlags) {
  const { clock, signal } = context;
  const service = await context.service();
  const createCode: Service['createCode'] = (code, beforeSend) => service.createCode(code, () => inNextTurn(beforeSend));
  return {
    ...{ clock, signal, concurrency: service.concurrency, movedFrom, settleMs: settle ?? SETTLE_MS },
    service: { ...service, createCode },
    askClock: () => service.listCodes({ page: 1, limit: 1 }),
    uptimeMs: () => uptime() * 1000,
  };
}

/** Waits one turn before a row is sent: rows that were admitted together hear of a reason to stop that the first response brought. */
async function inNextTurn(beforeSend: (() => Promise<void>) | undefined): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  await beforeSend?.();
}
