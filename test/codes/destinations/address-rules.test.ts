import { describe, expect, it } from 'vitest';
import { specialKind } from '#codes/destinations/resolve-host';

describe('specialKind', () => {
  it.each([
    ['127.0.0.1', 'loopback'],
    ['127.255.0.9', 'loopback'],
    ['0.0.0.0', 'loopback'],
    ['::1', 'loopback'],
    ['::', 'loopback'],
    ['10.1.2.3', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.1.1', 'private'],
    ['100.64.0.1', 'private'],
    ['fd00::1', 'private'],
    ['fec0::1', 'private'],
    ['169.254.169.254', 'link-local'],
    ['fe80::1%eth0', 'link-local'],
    ['[fe80::1]', 'reserved'],
    ['1.1.1.1]', 'reserved'],
    ['192.0.2.1', 'reserved'],
    ['198.18.0.1', 'reserved'],
    ['224.0.0.1', 'reserved'],
    ['255.255.255.255', 'reserved'],
    ['2001:db8::1', 'reserved'],
    ['2002:7f00:1::', 'reserved'],
    ['2001:0:53aa::1', 'reserved'],
    ['ff02::1', 'reserved'],
    ['::127.0.0.1', 'reserved'],
    ['4000::1', 'reserved'],
    ['no address', 'reserved'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['::ffff:a00:1', 'private'],
    ['64:ff9b::192.168.0.1', 'private'],
    ['64:ff9b:1::1', 'private'],
    ['::ffff:169.254.169.254', 'link-local'],
  ])('classifies %s as %s', (address, kind) => {
    expect(specialKind(address)).toBe(kind);
  });

  it.each([
    '1.1.1.1',
    '172.15.255.255',
    '172.32.0.1',
    '100.63.255.255',
    '100.128.0.0',
    '2606:4700::1',
    '2001:4860::8888',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
  ])('returns undefined for the public address %s', (address) => {
    expect(specialKind(address)).toBeUndefined();
  });
});
