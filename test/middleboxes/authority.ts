/** A certificate authority of our own, as companies have one, made by openssl. */
import { spawnSync } from 'node:child_process';
import { chmod } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { boxFile } from './boxes.ts';

export interface Authority {
  /** Its own certificate, for NODE_EXTRA_CA_CERTS. */
  readonly file: string;
  /** What makes nginx speak TLS with a certificate that it has signed for localhost and 127.0.0.1. */
  readonly nginx: string;
}

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
const NAMES = 'subjectAltName=DNS:localhost,IP:127.0.0.1';

export async function createAuthority(): Promise<Authority> {
  const directory = dirname(await boxFile('authority', ''));
  const file = join(directory, 'authority.pem');
  const [authorityKey, certificate, key] = ['authority.key', 'site.pem', 'site.key'].map((name) =>
    join(directory, name),
  );
  openssl([
    'req',
    '-x509',
    ...KEY,
    '-subj',
    '/CN=An authority of our own',
    '-out',
    file,
    '-keyout',
    `${authorityKey}`,
  ]);
  const signed = ['-CA', file, '-CAkey', `${authorityKey}`, '-subj', '/CN=localhost', '-addext', NAMES];
  openssl(['req', '-x509', ...KEY, ...signed, '-out', `${certificate}`, '-keyout', `${key}`]);
  await chmod(`${key}`, 0o644);
  return { file, nginx: `ssl_certificate ${certificate}; ssl_certificate_key ${key};` };
}

function openssl(args: string[]): void {
  const { status, stderr, error } = spawnSync('openssl', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`openssl ${args[0]}: ${error?.message ?? stderr}`);
}
