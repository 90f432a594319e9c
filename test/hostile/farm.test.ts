/**
 * The built command against servers of every kind of hostility: one server and command with every change, all of them in the soak, and
 * there once more with SIGTERM at a random moment (`npm run test:hostile`). QRCTL_FARM_ONLY is a part of the names of servers to try.
 */
import { afterAll, describe, expect, test } from 'vitest';
import { runs, SOAK } from '../support/property-runs.ts';
import { COMMANDS, judge, type Run, run, terminate } from './farm.ts';
import { type HostileServer, send } from './honest.ts';
import { LYING_SERVERS } from './lying-servers.ts';
import { createRandom, pick } from './mutate.ts';
import { HTTP_SERVERS } from './servers.ts';

const SERVERS = Object.entries({ ...HTTP_SERVERS, ...LYING_SERVERS });
/** What it finds is the same in all commands. */
const DAILY: readonly [server: string, command: string][] = [['gzip, cut', 'qr create --from']];
const HONEST: HostileServer = { react: (request) => send(request) };

const { seed } = runs(1);
const only = process.env.QRCTL_FARM_ONLY;
const asked = SERVERS.filter(([name]) => only === undefined || name.includes(only));
const references = new Map<string, Promise<Run>>();
const ends: (Run & { name: string; command: string })[] = [];

/** How the same command ends with an honest service. */
function referenceOf(command: string): Promise<Run> {
  const known = references.get(command) ?? run(HONEST, command);
  references.set(command, known);
  return known;
}

async function tryIt(name: string, server: HostileServer, command: string): Promise<string[]> {
  const honest = await referenceOf(command);
  expect(honest.code, honest.stderr).toBe(0);
  const ended = await run(server, command);
  ends.push({ ...ended, name, command });
  return judge(server, command, ended, honest);
}

if (SOAK) {
  describe.each(asked)('a hostile server (%s)', (name, server) => {
    test('makes no command print a wrong result with exit 0, show the key, or exceed its limits', {
      timeout: 1_800_000,
    }, async () => {
      const wrongs: string[] = [];
      const commands = Object.keys(COMMANDS);
      const work = async () => {
        for (let command = commands.shift(); command !== undefined; command = commands.shift())
          wrongs.push(...(await tryIt(name, server, command)));
      };
      await Promise.all([work(), work(), work()]);
      expect(wrongs).toEqual([]);
    });

    test("can't keep a command from ending on SIGTERM", { timeout: 600_000 }, async () => {
      const random = createRandom(seed + name.length * 7919 + (name.codePointAt(0) ?? 0));
      const tried = Array.from({ length: 3 }, () =>
        terminate(server, pick(random, Object.keys(COMMANDS)), 150 + 2500 * random()),
      );
      expect((await Promise.all(tried)).filter((wrong) => wrong !== undefined)).toEqual([]);
    });
  });

  afterAll(() => {
    const most = (value: (end: Run) => number) => ends.toSorted((a, b) => value(b) - value(a)).slice(0, 5);
    const told = ({ name, command, code, wallMs, processorMs, peakMb, requests }: (typeof ends)[number]) =>
      `  ${name} × ${command}: exit ${code}, ${Math.round(wallMs)} ms, ${Math.round(processorMs)} ms of the processor, ${Math.round(peakMb)} MB, ${requests} requests`;
    const lists = [
      most(({ wallMs }) => wallMs),
      most(({ processorMs }) => processorMs),
      most(({ peakMb }) => peakMb),
    ];
    console.log(
      [
        `${asked.length} servers, ${ends.length} runs, seed ${seed}`,
        ...lists.flatMap((list) => list.map((end) => told(end as never))),
      ].join('\n'),
    );
    const codes = [...new Set(ends.map(({ code }) => code))].toSorted((a, b) => a - b);
    console.log(
      codes.map((code) => `exit ${code}: ${ends.filter((end) => end.code === code).length} runs`).join(', '),
    );
  });
} else {
  test.each(DAILY)(
    'the server "%s" does not make %s print a wrong result with exit 0, show the key, or exceed its limits',
    async (name, command) => {
      const server = SERVERS.find(([known]) => known === name)?.[1] ?? HONEST;
      expect(await tryIt(name, server, command)).toEqual([]);
    },
  );
}
