/** Certificates of every kind, made by openssl for one run. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSecureContext, type SecureContext } from 'node:tls';
import { onTestFinished } from 'vitest';

export interface Authority {
  /** The file to trust. */
  path: string;
  /** A certificate for these names, signed by the authority, for so many days from yesterday; `own` signs itself. */
  issue(names: readonly string[], days: number, own?: boolean): SecureContext;
}

/** An authority that is gone with the running test. */
export function useAuthority(): Authority {
  const directory = mkdtempSync(join(tmpdir(), 'qrctl-authority-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const at = (name: string) => join(directory, name);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: directory, stdio: 'pipe' });
  const key = (name: string) =>
    openssl('ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', at(name));
  key('ca.key');
  openssl(
    'req',
    '-x509',
    '-new',
    '-key',
    'ca.key',
    '-days',
    '3650',
    '-subj',
    '/CN=test authority',
    '-out',
    'ca.pem',
  );
  key('leaf.key');
  let serial = 0;
  return {
    path: at('ca.pem'),
    issue(names, days, own = false) {
      serial += 1;
      const file = `leaf-${serial}`;
      writeFileSync(at(`${file}.ext`), `subjectAltName=${names.map((name) => `DNS:${name}`).join(',')}\n`);
      openssl(
        'req',
        '-new',
        '-key',
        'leaf.key',
        '-subj',
        `/CN=${names[0]?.slice(0, 60)}`,
        '-out',
        `${file}.csr`,
      );
      const signer = own
        ? ['-signkey', 'leaf.key']
        : ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-set_serial', String(serial)];
      openssl(
        'x509',
        '-req',
        '-in',
        `${file}.csr`,
        ...signer,
        '-days',
        String(days),
        '-extfile',
        `${file}.ext`,
        '-out',
        `${file}.pem`,
      );
      return createSecureContext({
        key: readFileSync(at('leaf.key')),
        cert: readFileSync(at(`${file}.pem`)),
      });
    },
  };
}
