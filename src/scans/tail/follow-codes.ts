import { messageOf, NotFoundError, UnavailableError, UnprovenError } from '../../base/errors.ts';
import { quote } from '../../base/text/quote.ts';
import type { Service } from '../../service/service.ts';
import { labelOf } from '../export/added-columns.ts';
import type { CodeLabel } from '../export/export-codes.ts';
import { type FollowedCode, followCode } from '../export/follow-code.ts';
import { readerOf } from '../export/range.ts';
import type { ScanRun } from '../scan-run.ts';
import type { FoundScan, ScanPrinter } from './scan-printer.ts';

export interface FollowJob {
  codes: readonly CodeLabel[];
  service: Pick<Service, 'listScans' | 'getCode' | 'nowMs' | 'concurrency'>;
  printer: ScanPrinter;
  hasCodes: boolean;
  list: (() => Promise<readonly CodeLabel[]>) | undefined;
  intervalMs: number;
  maxScans: number;
}

const RELIST_INTERVALS = 30;

interface Followed {
  follow: FollowedCode;
  label: object;
}

/** Outages are not thrown. */
export async function followCodes(run: ScanRun, job: FollowJob): Promise<void> {
  const { clock, signal, console } = run;
  const { codes, service, printer, hasCodes, list, intervalMs, maxScans } = job;
  const followed = new Map(codes.map((code) => [code.id, start(code)]));
  /** Includes deleted codes, which continue if they are listed again. */
  const known = new Map(followed);
  let isDown = false;
  let left = maxScans;
  try {
    for (let intervals = 0; left > 0 && followed.size > 0; intervals++) {
      const begun = clock.monotonic();
      if (list && intervals % RELIST_INTERVALS === RELIST_INTERVALS - 1) await followNew(list);
      const found = await Promise.all([...followed].map(([id, code]) => newScans(id, code)));
      const scans = found
        .flat()
        .sort((a, b) => a.ms - b.ms)
        .slice(0, left);
      await printer.print(scans);
      left -= scans.length;
      if (left > 0) await clock.sleep(Math.max(0, intervalMs - (clock.monotonic() - begun)), signal);
    }
    await printer.commit();
  } finally {
    await printer.discard();
  }

  function start(code: CodeLabel): Followed {
    const follow = followCode({
      ...printer.startOf(code.id),
      ...readerOf(code, service),
      nowMs: () => service.nowMs() ?? clock.now(),
      note: console.note,
    });
    return { label: hasCodes ? labelOf(code) : {}, follow };
  }

  async function followNew(listCodes: () => Promise<readonly CodeLabel[]>): Promise<void> {
    const listed = await listCodes().catch((error) => {
      if (isPassing(error)) return [];
      throw error;
    });
    for (const code of listed) {
      if (followed.has(code.id)) continue;
      const entry = known.get(code.id) ?? start(code);
      followed.set(code.id, entry);
      known.set(code.id, entry);
      console.note(`Following the new code ${quote(code.slug ?? code.id)}`);
    }
  }

  async function newScans(id: string, { follow, label }: Followed): Promise<FoundScan[]> {
    try {
      const found = await follow.next().catch(async (error) => {
        if (!(error instanceof NotFoundError)) throw error;
        // S9: only a request for the code itself shows that it is deleted.
        await service.getCode(id);
        return [];
      });
      if (isDown) console.note('The service is responding again');
      isDown = false;
      const hasBegun = follow.hasBegun();
      return found.map(({ ms, row }) => {
        return { codeId: id, id: row.id, ms, hasBegun, row: { ...label, ...row, ...label } };
      });
    } catch (error) {
      if (error instanceof NotFoundError && followed.size > 1) {
        followed.delete(id);
        printer.forget(id);
        console.note(`Code ${id} no longer exists`);
      } else if (error instanceof UnavailableError) {
        if (!isDown) console.note(`${messageOf(error)}; resuming when the service responds again`);
        isDown = true;
      } else throw error;
      return [];
    }
  }
}

function isPassing(error: unknown): boolean {
  return (
    error instanceof UnavailableError || error instanceof NotFoundError || error instanceof UnprovenError
  );
}
