import { formatInstant } from '#base/time/time';
import type { CodeChanges, NewCode, QrCode, Scan } from '#service/shapes';
import { NEW_CODES_OF_PLAN, type SandboxSettings } from './options.ts';
import { codeIdentity, sampleCode, sizeOf } from './sample-codes.ts';
import { createScanLog, type ScanLog } from './scan-log.ts';
import type { SeriesShape } from './scan-series.ts';

interface Entry {
  code: QrCode;
  shape: SeriesShape;
  log?: ScanLog;
}

export type Workspace = ReturnType<typeof createWorkspace>;

const BETWEEN_CODES_MS = 3_600_000;

export function createWorkspace(settings: SandboxSettings, nowMs: () => number) {
  const { seed, codes: samples, endsAtMs, spanMs, tieSize, idOffset } = settings;
  const entries = new Map<string, Entry>();
  const startedMs = nowMs();
  let made = 0;
  let listed: readonly QrCode[] | undefined;
  let codeLimit = settings.codeLimit ?? samples + NEW_CODES_OF_PLAN[settings.plan];

  function add(code: QrCode, scans: { base: number; fromMs: number; live: number; most: number }): QrCode {
    const arrivals = { fromMs: Math.max(scans.fromMs, endsAtMs), perSecond: scans.live, most: scans.most };
    const span = { startMs: endsAtMs - spanMs, endMs: endsAtMs };
    const shape = { seed, code: made, base: scans.base, ...span, tieSize, idOffset, arrivals };
    entries.set(code.id, { code, shape });
    made++;
    listed = undefined;
    return code;
  }

  function logOf(id: string): ScanLog | undefined {
    const entry = entries.get(id);
    if (entry) entry.log ??= createScanLog(entry.shape, settings);
    return entry?.log;
  }

  function list(): readonly QrCode[] {
    listed ??= ordered(entries, settings.listOrder);
    return listed;
  }

  function blank(createdMs: number): QrCode {
    const at = formatInstant(createdMs);
    const fields = { name: '', type: 'url', destination: null, status: 'active' };
    return { ...codeIdentity(seed, made), ...fields, created_at: at, updated_at: at };
  }

  for (let index = 0; index < samples; index++) {
    const createdMs = endsAtMs - spanMs - (samples - index) * BETWEEN_CODES_MS;
    const base = settings.hasEqualSizes ? settings.scans : sizeOf(seed, index, settings.scans);
    const scans = { base, fromMs: startedMs, live: settings.live, most: Infinity };
    add(sampleCode(seed, index, createdMs), scans);
  }

  return {
    codes: list,
    code: (id: string) => entries.get(id)?.code,
    log: logOf,
    full: () => entries.size >= codeLimit,
    create(fields: NewCode) {
      const createdMs = nowMs();
      const scans = { base: 0, fromMs: createdMs, live: settings.live, most: settings.liveScansOfNewCode };
      return add({ ...blank(createdMs), ...fields }, scans);
    },
    update(id: string, changes: CodeChanges) {
      const entry = entries.get(id);
      if (!entry || Object.keys(changes).length === 0) return entry?.code;
      entry.code = { ...entry.code, ...changes, updated_at: formatInstant(nowMs()) };
      listed = undefined;
      return entry.code;
    },
    delete(id: string) {
      listed = undefined;
      return entries.delete(id);
    },
    put(code: Partial<QrCode>) {
      const createdMs = nowMs();
      return add({ ...blank(createdMs), ...code }, { base: 0, fromMs: createdMs, live: 0, most: 0 });
    },
    addScan(id: string, scan: Partial<Scan> & { ts: string }) {
      logOf(id)?.add(scan);
    },
    setCodeLimit(limit: number) {
      codeLimit = limit;
    },
  };
}

function ordered(entries: ReadonlyMap<string, Entry>, order: SandboxSettings['listOrder']): QrCode[] {
  const codes = Array.from(entries.values(), ({ code }) => code);
  if (order === 'id') return codes.sort((a, b) => (a.id < b.id ? -1 : 1));
  return order === 'newest' ? codes.reverse() : codes;
}
