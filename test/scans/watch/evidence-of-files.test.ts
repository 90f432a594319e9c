import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readFilesEvidence } from '#scans/watch/evidence';
import { windowsUntil } from '#scans/watch/judge';
import { useDirectory } from '../../support/cli.ts';

const DAY_MS = 86_400_000;
const END = Date.UTC(2026, 9, 5, 4);
const { startMs: START, weekMs: WEEK } = windowsUntil(END, 'UTC');
const [A, B, C, D] = ['a', 'b', 'c', 'd'].map(
  (digit) => `${digit.repeat(8)}-1111-4111-8111-111111111111`,
) as [...[string, string, string, string]];

/** A scan of a code: its time, and the slug that the code had. */
type Scan = [code: string, ms: number, slug?: string];

/** Reads files of these scans, each with an ID by its time, slug and code; their lines have the order given here. */
async function read(
  files: readonly (readonly Scan[])[],
  { untilMs, nowMs = END + 300 * DAY_MS, end = '' }: { untilMs?: number; nowMs?: number; end?: string } = {},
) {
  const directory = await useDirectory();
  const paths = files.map((_, at) => join(directory, `${at + 1}.csv`));
  for (const [at, scans] of files.entries()) {
    const lines = scans.map(([code, ms, slug = 'menu']) => {
      const id = 100 * (ms - START + 400 * DAY_MS) + 10 * slug.length + (code.codePointAt(0) ?? 0) - 97;
      return `${code},${slug},Menu,${id},${new Date(ms).toISOString()}\n`;
    });
    await writeFile(paths[at] ?? '', `qr_id,qr_slug,qr_name,id,ts\n${lines.join('')}${end}`);
  }
  const notes: string[] = [];
  const found = await readFilesEvidence({
    logs: [{ paths, keptBy: undefined }],
    untilMs,
    nowMs,
    note: (line) => notes.push(line),
    windowsUntil: (endMs) => windowsUntil(endMs, 'UTC'),
    signal: new AbortController().signal,
  });
  const codes = new Map(found?.codes.map(({ code, evidence }) => [code.id, { code, evidence }]));
  const of = (id: string) => {
    const code = codes.get(id);
    if (!code) throw new Error(`no such code: ${id}`);
    return code;
  };
  return { found, ids: [...codes.keys()], of, notes };
}

const readToEnd = (scans: readonly Scan[]) => read([scans], { untilMs: END });

describe('readFilesEvidence', () => {
  it("counts each code's scans in the recent and the baseline weeks (W6)", async () => {
    const before = [START - 10 * DAY_MS, START - 1];
    const times = [...before, START, START + 1, WEEK - 1, WEEK, WEEK + 1, END - 1, END, END + DAY_MS];
    const { of, ids } = await readToEnd([...times.map((ms): Scan => [A, ms]), [B, END - 9 * DAY_MS]]);
    expect(ids).toEqual([A, B]);
    const { evidence } = of(A);
    expect(evidence).toMatchObject({ recent: 3, baseline: 3, last: { ms: END - 1 }, isYoung: false });
    expect([await evidence.findLast(), await evidence.hasEarlier(), await evidence.findEarlier()]).toEqual([
      ...[{ ms: END - 1 }, true, { ms: START - 1 }],
    ]);
    const last = { ms: END - 9 * DAY_MS };
    expect(of(B).evidence).toMatchObject({ recent: 0, baseline: 1, last, isYoung: true });
    expect([await of(B).evidence.hasEarlier(), await of(B).evidence.findEarlier()]).toEqual([false, 'none']);
  });

  it('returns periods that end with the last scan that is not in the future, or at a requested end (W12)', async () => {
    const scans: Scan[] = [END - 8 * DAY_MS, END, END + 1, END + 400 * DAY_MS].map((ms) => [A, ms]);
    const now = await read([scans], { nowMs: END });
    expect(now.found).toMatchObject({ windows: { endMs: END + 1 }, future: 2 });
    const asked = await read([scans], { nowMs: END, untilMs: END + 2 });
    expect(asked.found).toMatchObject({ windows: { endMs: END + 2 }, future: 0 });
    expect((await read([scans], { nowMs: END + 500 * DAY_MS })).found).toMatchObject({ future: 0 });
  });

  it('uses the time of the first scan as the creation time of its code, and finds scans before the nine weeks (W5)', async () => {
    const first: Scan[] = [
      [A, START - 1],
      [A, START],
    ];
    const { of } = await readToEnd([[C, START - DAY_MS], [D, START], ...first, [B, END - 1]]);
    expect(of(C).evidence).toMatchObject({ recent: 0, baseline: 0, last: 'none', isYoung: false });
    expect(await of(C).evidence.findLast()).toBe('none');
    expect(await of(C).evidence.findEarlier()).toEqual({ ms: START - DAY_MS });
    expect(of(D).evidence).toMatchObject({ recent: 0, baseline: 1, last: { ms: START }, isYoung: true });
    expect(of(A).evidence).toMatchObject({ baseline: 1, isYoung: false });
  });

  it('counts the scans in the hours of a silence, one and two weeks earlier (W1)', async () => {
    const last = END - 2 * DAY_MS;
    const week = 7 * DAY_MS;
    const weeksBefore = (weeks: number, ...times: number[]) =>
      times.map((ms): Scan => [A, ms - weeks * week]);
    const scans: Scan[] = [
      ...weeksBefore(2, last, last + 1, END - 1, END),
      ...weeksBefore(1, last - 1, last, last + 1, last + 2, END - 2, END - 1, END, END + 1),
      [A, last],
    ];
    const { evidence } = (await readToEnd([...scans, [B, END - 1]])).of(A);
    expect([await evidence.countSameHours(1, last), await evidence.countSameHours(2, last)]).toEqual([4, 2]);
    const other = (
      await readToEnd([
        [A, last],
        [B, END - 1],
      ])
    ).of(B).evidence;
    expect([await other.countSameHours(1, END - 1), await other.countSameHours(2, END - 1)]).toEqual([0, 0]);
  });

  it('returns periods that end with the last scan of any code if no end is requested', async () => {
    const { found, of } = await read([
      [
        [A, END - DAY_MS],
        [B, END - 1],
        [B, END - 8 * DAY_MS],
      ],
    ]);
    expect(found?.windows).toEqual(windowsUntil(END, 'UTC'));
    expect(of(B).evidence).toMatchObject({ recent: 1, baseline: 1 });
    expect(found?.coverage).toEqual({ startsLateMs: END - 8 * DAY_MS, endsEarlyMs: END - 1, isWhole: false });
  });

  it('returns the part of the nine weeks that the files cover', async () => {
    const scans = [START, END - 5].map((ms): Scan => [A, ms]);
    const { found } = await read([scans], { untilMs: END - 5 });
    expect(found?.coverage).toMatchObject({ startsLateMs: START, endsEarlyMs: undefined });
  });

  it('returns no evidence without a scan before the end', async () => {
    expect((await read([[]])).found).toBeUndefined();
    expect((await readToEnd([[A, END]])).found).toBeUndefined();
    expect(
      (
        await readToEnd([
          [A, END - 1],
          [B, END],
          [B, END + 1],
        ])
      ).ids,
    ).toEqual([A]);
  });

  it('returns each code with the slug of its last scan', async () => {
    const first: Scan[] = [
      [A, END - 3, 'old'],
      [B, END - 2, 'b'],
      [A, END - 1, 'newer'],
      [A, END - 1, 'newest'],
      [B, END - 1, 'b2'],
    ];
    const { of } = await read([first, [[A, END - 2, 'late']]], { untilMs: END });
    expect([of(A).code.slug, of(B).code.slug]).toEqual(['newest', 'b2']);
  });

  it('counts each scan once in files that overlap', async () => {
    const scans = [9, 7.5, 3, 2, 1].map((days): Scan => [A, END - days * DAY_MS]);
    const { of } = await read([scans, scans.slice(1, 4)], { untilMs: END });
    const last = { ms: END - DAY_MS };
    expect(of(A).evidence).toMatchObject({ recent: 3, baseline: 2, last, isYoung: true });
    expect(await of(A).evidence.countSameHours(1, END - DAY_MS)).toBe(1);
  });

  it('prints one note about an incomplete line', async () => {
    const { notes } = await read([[[A, END - 1]]], { untilMs: END, end: `${A},menu,Menu,12` });
    expect(notes).toEqual([expect.stringContaining('1.csv is incomplete')]);
  });
});
