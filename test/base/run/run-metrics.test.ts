/** The figures of a run as metrics of Prometheus, also judged by promtool where it is installed. */
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PartialError } from '#base/errors';
import { formatRunMetrics } from '#base/run/run-metrics';
import type { RunEnd } from '#base/run/run-summary';
import { anyCharacter } from '../../support/any-character.ts';
import { useDirectory } from '../../support/cli.ts';
import { HOSTILE } from '../../support/hostile-strings.ts';
import { runs } from '../../support/property-runs.ts';
import { runByDay } from '../../support/run-here.ts';
import { useSandbox } from '../../support/sandbox.ts';

const END: RunEnd = {
  command: 'scans export',
  startedMs: 1_764_000_000_500,
  finishedMs: 1_764_000_012_750,
  error: undefined,
  profile: 'work',
  stats: { requests: 12, retries: 1, pauses: 2, pausedMs: 1499.6 },
  facts: {
    codes: 3,
    rows: 1200,
    added: 20,
    files: ['a.csv', 'b.csv'],
    watermarkMs: 1_763_999_999_999,
    range: { sinceMs: undefined, untilMs: 1_764_000_000_000 },
    outcomes: { created: 3, 'not-attempted': 1 },
  },
};

const LINE =
  /^(?:# (?:HELP|TYPE) qrctl_run_[a-z_]+ .+|qrctl_run_[a-z_]+\{command="scans export",profile="(?:[^"\\\n]|\\[\\"n])*",file="(?:[^"\\\n]|\\[\\"n])*"(?:,outcome="[a-z-]+")?\} -?[\d.]+)$/;

const samplesOf = (text: string) => text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));

test('a run has one gauge per figure, in Prometheus units', () => {
  expect(
    samplesOf(formatRunMetrics(END, 'run.prom')).map((line) =>
      line.replace(/\{command="scans export",profile="work",file="run.prom"/, '{'),
    ),
  ).toEqual([
    'qrctl_run_exit_code{} 0',
    'qrctl_run_started_timestamp_seconds{} 1764000000.5',
    'qrctl_run_finished_timestamp_seconds{} 1764000012.75',
    'qrctl_run_duration_seconds{} 12.25',
    'qrctl_run_codes{} 3',
    'qrctl_run_rows{} 1200',
    'qrctl_run_added_rows{} 20',
    'qrctl_run_range_end_timestamp_seconds{} 1764000000',
    'qrctl_run_watermark_timestamp_seconds{} 1763999999.999',
    'qrctl_run_requests{} 12',
    'qrctl_run_retries{} 1',
    'qrctl_run_pauses{} 2',
    'qrctl_run_paused_seconds{} 1.5',
    'qrctl_run_files{} 2',
    'qrctl_run_outcomes{,outcome="created"} 3',
    'qrctl_run_outcomes{,outcome="not-attempted"} 1',
  ]);
  expect(formatRunMetrics({ ...END, error: new PartialError('one row failed') }, 'run.prom')).toContain(
    '} 8\n',
  );
});

test("a profile or file name can't forge a metric, a label or a line, and an API key as a profile name is redacted", () => {
  const lines = formatRunMetrics(END, 'run.prom').split('\n').length;
  const check = (profile: string) => {
    for (const text of [formatRunMetrics({ ...END, profile }, 'run.prom'), formatRunMetrics(END, profile)]) {
      expect(text.split('\n')).toHaveLength(lines);
      for (const line of text.trimEnd().split('\n')) expect(line).toMatch(LINE);
    }
  };
  for (const text of Object.values(HOSTILE)) check(text);
  check('a"} 1\nqrctl_run_exit_code{command="x"} 0\n# ');
  check('\\');
  fc.assert(fc.property(fc.string({ unit: anyCharacter }), check), runs(30, 30_000));
  expect(formatRunMetrics({ ...END, profile: 'svc_live_0123456789canary' }, 'run.prom')).not.toContain(
    'canary',
  );
});

test('two jobs with the same command and profile, but different metrics files, have no series in common', () => {
  const [first = [], second] = ['posters.prom', 'menus.prom'].map((file) =>
    samplesOf(formatRunMetrics(END, file)).map((line) => line.replace(/ \S+$/, '')),
  );
  expect(first).toHaveLength(16);
  expect(first.filter((series) => second?.includes(series))).toEqual([]);
});

const promtool = (input: string) => spawnSync('promtool', ['check', 'metrics'], { input, encoding: 'utf8' });
const hasPromtool = spawnSync('promtool', ['--version']).error === undefined;

test.skipIf(!hasPromtool)('promtool accepts the metrics even for hostile profile and file names', () => {
  for (const profile of ['work', undefined, 'a"} 1\n# TYPE x counter', ...Object.values(HOSTILE)]) {
    const { status, stdout, stderr } = promtool(formatRunMetrics({ ...END, profile }, profile ?? 'run.prom'));
    expect({ profile, status, said: stdout + stderr }).toEqual({ profile, status: 0, said: '' });
  }
  expect(promtool('qrctl_run_rows{command="x} 1\n').status).not.toBe(0);
});

test('--summary FILE.prom writes the metrics, even if the run fails', async () => {
  const sandbox = await useSandbox({ codes: 2 });
  const cwd = await useDirectory();
  const run = async (args: string[]) => {
    const { code } = await runByDay([...args, '--summary', 'run.prom'], { cwd, env: sandbox.env });
    return { code, text: await readFile(join(cwd, 'run.prom'), 'utf8') };
  };
  const listed = await run(['qr', 'list', '-o', 'codes.csv']);
  expect(samplesOf(listed.text)).toEqual(
    expect.arrayContaining([
      'qrctl_run_exit_code{command="qr list",profile="default",file="run.prom"} 0',
      'qrctl_run_rows{command="qr list",profile="default",file="run.prom"} 2',
    ]),
  );
  const refused = await run(['qr', 'get', 'no-such-code']);
  expect(refused).toMatchObject({
    code: 4,
    text: expect.stringContaining(
      'qrctl_run_exit_code{command="qr get",profile="default",file="run.prom"} 4\n',
    ),
  });
});
