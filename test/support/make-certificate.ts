import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A certificate for 127.0.0.1 that nobody but itself has signed, and its key, both PEM; null where openssl is not here. */
export const makeCertificate = (): { readonly key: string; readonly cert: string } | null => {
  const folder = mkdtempSync(join(tmpdir(), 'certificate-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const name = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  try {
    const { status } = spawnSync('openssl', ['req', ...kind, ...name, '-keyout', key, '-out', cert]);
    return status === 0 ? { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') } : null;
  } finally {
    rmSync(folder, { recursive: true });
  }
};
