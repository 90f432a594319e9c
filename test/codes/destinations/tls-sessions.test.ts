import { describe, expect, it } from 'vitest';
import { createTlsSessions } from '#codes/destinations/tls-sessions';

describe('createTlsSessions', () => {
  it('creates one context for all connections', () => {
    const sessions = createTlsSessions();
    expect(sessions.context()).toBeDefined();
    expect(sessions.context()).toBe(sessions.context());
  });

  it('keeps the last session with each of at most 512 hosts, and drops the oldest session first', () => {
    const sessions = createTlsSessions();
    const known = (at: number) => ({ session: Buffer.from([at & 255]), endsMs: at });
    for (let at = 0; at < 512; at++) sessions.keep(`https://h${at}.test`, known(at));
    expect(sessions.find('https://h0.test')).toEqual(known(0));
    // The first host becomes the newest, so that the second one is dropped for another.
    sessions.keep('https://h0.test', known(600));
    sessions.keep('https://new.test', known(601));
    expect(sessions.find('https://h0.test')).toEqual(known(600));
    expect(sessions.find('https://h1.test')).toBeUndefined();
    expect(sessions.find('https://h2.test')).toEqual(known(2));
  });
});
