/** `scans tail`: requests each code in turn, prints new scans, waits. */
import { messageOf, NotFoundError, UnavailableError, UnprovenError } from '../../../base/errors.ts';
import { fetchInOrder } from '../../../base/parallel.ts';
import { quote } from '../../../base/text/quote.ts';
import type { Context } from '../../../context.ts';
import type { OutputPlan } from '../../../files/formats/plan-output.ts';
import type { CodeLabel } from '../../../scans/export/export-codes.ts';
import { type FollowedCode, followCode } from '../../../scans/export/follow-code.ts';
import type { ReadScans } from '../../../scans/export/range.ts';
import { openTailState, type TailStateFile } from '../../../scans/tail/state-file.ts';
import type { Service } from '../../../service/service.ts';
import { SCAN_FIELDS, type Scan } from '../../../service/shapes.ts';
import { chooseLabels } from '../../choose-codes.ts';
import { checkChoice, everyOf, isOneCode } from '../../code-choice.ts';
import { openSink, planOutput } from '../../output-options.ts';
import { planRange } from '../../range-options.ts';
import { LABELS, labelOf } from '../labels.ts';
import type { TailFlags } from './flags.ts';
import { type FoundScan, openPrinter, type Printer } from './open-printer.ts';

const INTERVAL_MS = 10_000;
/** Intervals from one listing of the codes to the next: five minutes by default. */
const RELIST_INTERVALS = 30;

interface TailPlan {
  names: readonly string[];
  flags: TailFlags;
  output: OutputPlan;
  labelled: boolean;
  sinceMs: number | undefined;
}

/** Ends by a signal, a closed pipe, --max-events, or if no code is left. Throws as listed in errors.ts, except for outages. */
export async function runTail(context: Context, names: readonly string[], given: TailFlags): Promise<void> {
  const flags = { ...given, maxEvents: given.maxEvents ?? given.limit };
  checkChoice(names, flags);
  const { timezone } = await context.settings();
  const { sinceMs } = await planRange(context, { since: flags.since }, timezone);
  const labelled = !isOneCode(names, flags);
  const columns = [...(labelled ? LABELS : []), ...SCAN_FIELDS].map((name) => ({ name }));
  const output = await planOutput(context, { ...flags, format: flags.format ?? 'csv' }, columns, 'list');
  const file = flags.state === undefined ? undefined : await openTailState(flags.state, context);
  try {
    await follow(context, { names, flags, output, labelled, sinceMs }, file);
  } finally {
    await file?.close();
  }
}

async function follow(
  context: Context,
  { names, flags, output, labelled, sinceMs }: TailPlan,
  file: TailStateFile | undefined,
): Promise<void> {
  const { interval = INTERVAL_MS, maxEvents = Number.POSITIVE_INFINITY, movedFrom } = flags;
  const service = await context.service();
  const { codes } = await chooseLabels(context, names, flags, { isWanted: true });
  context.facts.codes = codes.length;
  const now = () => ({ serviceMs: service.nowMs(), machineMs: context.clock.now() });
  const nowMs = () => service.nowMs() ?? context.clock.now();
  const gone = codes.find(({ missing }) => missing);
  if (gone) throw gone.missing;
  const all = everyOf(names, flags);
  const run = {
    ...{ workspace: service.workspace, getCode: service.getCode, movedFrom, sinceMs: sinceMs ?? nowMs() },
    codes: { all, codes: all === false ? codes.map(({ id }) => id) : [] },
  };
  const printer = await openPrinter(context, file, run, { openSink: () => openSink(context, output), now });
  const toFollowed = (code: CodeLabel): Followed => {
    const { id, slug } = code;
    const label = labelled ? labelOf(code) : {};
    const common = {
      fetchInOrder,
      width: service.concurrency,
      ...printer.startOf(id),
      nowMs,
      note: context.console.note,
      name: slug ?? id,
    };
    const read: ReadScans = (request) => service.listScans(id, request);
    return { label, follow: followCode({ ...common, read, checkExists: () => service.getCode(id) }) };
  };
  const followed = new Map(codes.map((code) => [code.id, toFollowed(code)]));
  /** Also codes that were deleted since: one that is listed again continues where it was. */
  const known = new Map(followed);
  const ask = createAsking(context, followed, printer, service);
  tellStart(context, codes, printer.isContinued ? flags : undefined);
  let left = maxEvents;
  try {
    for (let intervals = 0; left > 0 && followed.size > 0; intervals++) {
      const begun = context.clock.monotonic();
      if (all !== false && intervals % RELIST_INTERVALS === RELIST_INTERVALS - 1) await followNew();
      const scans = (await Promise.all([...followed.keys()].map(ask))).flat().sort((a, b) => a.ms - b.ms);
      const shown = scans.slice(0, left);
      await printer.print(shown);
      left -= shown.length;
      if (left > 0)
        await context.clock.sleep(
          Math.max(0, interval - (context.clock.monotonic() - begun)),
          context.signal,
        );
    }
    await printer.commit();
  } finally {
    await printer.discard();
  }

  /** Follows the codes that were created since: the filters choose among them as at the start. */
  async function followNew(): Promise<void> {
    const listed = await chooseLabels(context, names, flags, { isWanted: true }).catch(refuseUnlessPassing);
    for (const code of listed?.codes ?? []) {
      if (followed.has(code.id)) continue;
      const entry = known.get(code.id) ?? toFollowed(code);
      for (const codes of [followed, known]) codes.set(code.id, entry);
      context.console.note(`Following the new code ${quote(code.slug ?? code.id)}`);
    }
  }
}

interface Followed {
  follow: FollowedCode;
  label: object;
}

/** `continued`: the flags of a run that continues from a state. */
function tellStart(
  { console }: Context,
  codes: readonly CodeLabel[],
  continued: TailFlags | undefined,
): void {
  if (continued) {
    const unused = continued.since === undefined ? '' : '; --since applies only to its first run';
    console.note(`Continuing from ${continued.state}${unused}`);
  }
  const what = codes.length === 1 ? quote(codes[0]?.slug ?? '') : `${codes.length} codes`;
  console.note(`Waiting for scans of ${what}. Press Ctrl-C to stop`);
}

/** Creates a function that asks for the new scans of one code, and survives outages and deleted codes. */
function createAsking(
  context: Context,
  followed: Map<string, Followed>,
  printer: Printer,
  { getCode }: Pick<Service, 'getCode'>,
) {
  let isDown = false;
  return async (id: string): Promise<FoundScan[]> => {
    const code = followed.get(id);
    if (!code) return [];
    try {
      // S9: a code is gone only if a request for the code itself says so.
      const found = await code.follow
        .next()
        .catch((error) =>
          error instanceof NotFoundError ? getCode(id).then(() => []) : Promise.reject(error),
        );
      if (isDown) context.console.note('The service is responding again');
      isDown = false;
      const hasBegun = code.follow.hasBegun();
      return found.map(({ ms, row }) => ({
        ...{ codeId: id, id: row.id as Scan['id'], ms, hasBegun },
        row: { ...code.label, ...row, ...code.label },
      }));
    } catch (error) {
      if (error instanceof NotFoundError && followed.size > 1) {
        followed.delete(id);
        printer.forget(id);
        context.console.note(`Code ${id} no longer exists`);
      } else if (error instanceof UnavailableError) {
        if (!isDown) context.console.note(`${messageOf(error)}; resuming when the service responds again`);
        isDown = true;
      } else throw error;
      return [];
    }
  };
}

/** An outage, or a listing that changes while it is read, passes: the next listing has the new codes too. */
function refuseUnlessPassing(error: unknown): undefined {
  if (error instanceof UnavailableError || error instanceof NotFoundError || error instanceof UnprovenError)
    return undefined;
  throw error;
}
