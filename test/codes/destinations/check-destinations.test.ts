/** Whole checks against hosts on loopback, each name of which leads to one port. */
import { describe, expect, it } from 'vitest';
import { systemClock } from '#base/time/time';
import { checkDestinations } from '#codes/destinations/check-destinations';
import { answer, job, useHost } from './use-host.ts';

/** An HTTP date 4 seconds after the response's own (RFC 9110, 10.2.3). */
const DATED = 'Date: Sun, 06 Nov 1994 08:49:37 GMT\r\nRetry-After: Sun, 06 Nov 1994 08:49:41 GMT\r\n';

describe('checkDestinations', () => {
  it('requests each address once, and only one address per host at a time, even after redirects (K6)', async () => {
    const { port, heads, most } = await useHost(({ socket, path, host }) => {
      const location = host === 'a.test' && path === '/3' ? `Location: http://b.test:${port}/moved\r\n` : '';
      setImmediate(() => socket.end(answer(location ? 302 : 200, location)));
    });
    const urls = ['a', 'b', 'c'].flatMap((host) =>
      Array.from({ length: 6 }, (_, n) => `http://${host}.test:${port}/${n}`),
    );
    const verdicts = await checkDestinations([...urls, ...urls], job());
    expect(heads).toHaveLength(19);
    expect([...most.values()]).toEqual([1, 1, 1]);
    expect(verdicts.get(`http://a.test:${port}/3`)).toMatchObject({
      outcome: 'redirected',
      redirects: 1,
      finalUrl: `http://b.test:${port}/moved`,
    });
    expect([...verdicts.values()].filter(({ outcome }) => outcome === 'ok')).toHaveLength(17);
  });

  it('sends requests to several hosts in parallel, but to at most `width` hosts', async () => {
    const open = new Set<string>();
    let most = 0;
    const waiting: (() => void)[] = [];
    const { port } = await useHost(({ socket, host }) => {
      open.add(host);
      most = Math.max(most, open.size);
      waiting.push(() => {
        open.delete(host);
        socket.end(answer(200));
      });
      // The first host gets its response when the second one was asked.
      if (waiting.length > 1) setTimeout(() => waiting.splice(0).forEach((go) => void go()), 20);
    });
    const urls = ['a', 'b', 'c', 'd'].map((host) => `http://${host}.test:${port}/`);
    const verdicts = await checkDestinations(urls, job({ width: 2, timeoutMs: 5000 }));
    expect([...verdicts.values()].map(({ outcome }) => outcome)).toEqual(new Array(4).fill('ok'));
    expect(most).toBe(2);
  });

  it('begins with the hosts that have the most addresses', async () => {
    const { port, heads } = await useHost(({ socket }) => socket.end(answer(200)));
    const urls = Object.entries({ a: 2, b: 3, c: 1, d: 4 }).flatMap(([host, count]) =>
      Array.from({ length: count }, (_, n) => `http://${host}.test:${port}/${n}`),
    );
    let done = 0;
    await checkDestinations(urls, job({ width: 1, onDone: () => done++ }));
    expect(heads.map((head) => /^host: (.)/im.exec(head)?.[1]).join('')).toBe('ddddbbbaac');
    expect(done).toBe(10);
  });

  it('sends no password from the address, and no header except Host, Connection and the configured ones (K7)', async () => {
    const { port, heads } = await useHost(({ socket }) => socket.end(answer(401)));
    const url = `http://me:secret@a.test:${port}/x`;
    const verdict = (await checkDestinations([url], job())).get(url);
    expect(verdict).toMatchObject({ outcome: 'blocked', status: 401, finalUrl: `http://a.test:${port}/x` });
    const sent = heads[0]
      ?.trim()
      .split('\r\n')
      .map((line) => line.split(':', 1)[0]?.toLowerCase());
    expect(sent).toEqual(['get /x http/1.1', 'host', 'connection', 'user-agent']);
  });

  it('retries a failure that may be transient after 2 s, or after the delay that the server requests, up to 10 s', async () => {
    const { port } = await useHost(({ socket, path, number }) => {
      if (path === '/reset' && number === 0) socket.destroy();
      else if (path === '/busy' && number === 2) socket.end(answer(429, 'Retry-After: 7\r\n'));
      else if (path === '/dated' && number === 4) socket.end(answer(503, DATED));
      else if (path === '/never') socket.end(answer(503, 'Retry-After: 3600\r\n'));
      else socket.end(answer(200));
    });
    const work = job();
    const urls = ['reset', 'busy', 'dated', 'never'].map((path) => `http://a.test:${port}/${path}`);
    const verdicts = await checkDestinations(urls, work);
    expect(urls.map((url) => verdicts.get(url)?.outcome)).toEqual(['ok', 'ok', 'ok', 'broken']);
    expect(work.slept).toEqual([2000, 7000, 4000, 10_000]);
  });

  it('requests no more addresses on a host after three failed lookups of its name', async () => {
    const { port } = await useHost(() => undefined);
    const asked: string[] = [];
    const lookup = async (hostname: string) => {
      asked.push(hostname);
      throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' });
    };
    const urls = Array.from({ length: 9 }, (_, n) => `http://gone.test:${port}/${n}`);
    const verdicts = await checkDestinations(urls, job({ lookup }));
    expect([...verdicts.values()].map(({ outcome, error }) => `${outcome}: ${error}`)).toEqual(
      new Array(9).fill('unreachable: host name not found'),
    );
    expect(asked).toHaveLength(3);
  });

  it('excludes from the timeout the time that a lookup waits for earlier lookups', async () => {
    const lookup = async () => {
      await systemClock.sleep(500);
      return [{ address: '127.0.0.1', family: 4 }];
    };
    const urls = Array.from({ length: 4 }, (_, n) => `http://h${n}.test/`);
    const verdicts = await checkDestinations(
      urls,
      job({ lookup, lookupWidth: 1, timeoutMs: 1900, allowPrivate: false }),
    );
    for (const { error } of verdicts.values())
      expect(error).toContain('resolves to 127.0.0.1, which is a loopback address');
  });

  it('requests no more addresses on a host after five addresses without a response (K9)', async () => {
    const { port, heads } = await useHost(() => undefined);
    const urls = Array.from({ length: 40 }, (_, n) => `http://hung.test:${port}/${n}`);
    // Long enough for a busy machine to send eight requests.
    const verdicts = await checkDestinations(urls, job({ timeoutMs: 250 }));
    // What is left of the time once the name is found.
    const said = [...verdicts.values()].map(
      ({ outcome, error }) => `${outcome}: ${error?.replace(/\d+ ms(?=\)?$)/, '… ms')}`,
    );
    expect(said.slice(0, 5)).toEqual(new Array(5).fill('unreachable: no response within … ms'));
    expect(said.slice(5)).toEqual(
      new Array(35).fill(
        'unreachable: not requested: 5 addresses on this host failed (no response within … ms)',
      ),
    );
    expect(heads).toHaveLength(8);
  });

  it('stops retrying requests to a host after three failed retries, until a request succeeds (K9)', async () => {
    const { port, heads } = await useHost(({ socket, path }) => {
      socket.end(path === '/well' ? answer(200) : answer(503, 'Retry-After: 7\r\n'));
    });
    const paths = [...new Array(10).keys(), 'well', 'again'];
    const work = job();
    await checkDestinations(
      paths.map((path) => `http://busy.test:${port}/${path}`),
      work,
    );
    expect(work.slept).toEqual([7000, 7000, 7000, 7000]);
    expect(heads).toHaveLength(paths.length + 4);
  });

  it('does not count a failed visit that was not retried as a failed retry (K9)', async () => {
    const { port } = await useHost(({ socket }) => socket.end(answer(503, 'Retry-After: 7\r\n')));
    let failures = 2;
    const lookup = async () => {
      if (failures-- > 0) throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' });
      return [{ address: '127.0.0.1', family: 4 }];
    };
    const work = job({ lookup });
    const urls = Array.from({ length: 6 }, (_, n) => `http://late.test:${port}/${n}`);
    await checkDestinations(urls, work);
    // The second visit is not made twice, because the host was down just before.
    expect(work.slept).toEqual([2000, 7000, 7000]);
  });

  it('does not follow a redirect to an address longer than 32,768 characters', async () => {
    const { port } = await useHost(({ socket, path }) => {
      const length = { '/long': 70_000, '/over': 32_769, '/most': 32_768 }[path] ?? 8000;
      const location = `http://a.test:${port}/`.padEnd(length, 'x');
      socket.end(answer(path.length < 10 ? 302 : 200, `Location: ${location}\r\n`));
    });
    const [long, over, most, short] = ['long', 'over', 'most', 'short'].map(
      (path) => `http://a.test:${port}/${path}`,
    ) as [...[string, string, string, string]];
    const verdicts = await checkDestinations([long, over, most, short], job());
    expect(verdicts.get(over)).toMatchObject({ outcome: 'broken', finalUrl: over });
    expect(verdicts.get(most)).toMatchObject({ outcome: 'redirected' });
    expect(verdicts.get(long)).toMatchObject({
      outcome: 'broken',
      finalUrl: long,
      error: expect.stringMatching(/^redirects to a URL that is 70,000 characters long \(302\)$/),
    });
    expect(verdicts.get(short)).toMatchObject({ outcome: 'redirected' });
  });

  it('does not request an address that `refuse` rejects, such as a short URL from the workspace', async () => {
    const { port, heads } = await useHost(({ socket }) => socket.end(answer(200)));
    const url = `http://qr.test:${port}/abc`;
    const verdicts = await checkDestinations(
      [url],
      job({ refuse: ({ hostname }) => (hostname === 'qr.test' ? 'is a code' : undefined) }),
    );
    expect(verdicts.get(url)).toMatchObject({ outcome: 'blocked', error: 'is a code' });
    expect(heads).toEqual([]);
  });

  it("rejects with the abort signal's reason", async () => {
    const controller = new AbortController();
    const { port } = await useHost(() => controller.abort(new Error('stop')));
    await expect(
      checkDestinations([`http://a.test:${port}/`], job({ signal: controller.signal })),
    ).rejects.toThrow('stop');
  });
});
