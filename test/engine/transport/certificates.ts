import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

export interface Certificates {
  /** PEM of the authority that signed all but the self-signed one. */
  readonly authority: string;
  readonly good: KeyPair;
  readonly expired: KeyPair;
  readonly wrongHost: KeyPair;
  readonly selfSigned: KeyPair;
  /** For clients. */
  readonly client: KeyPair;
}

/** Made by `openssl` (or what `OPENSSL` names) for this run only; `carrier.example` and 127.0.0.1 are the names of the good ones. */
export const createCertificates = (): Certificates => {
  const folder = mkdtempSync(path.join(tmpdir(), 'waybill-tls-'));
  const at = (name: string): string => path.join(folder, name);
  const openssl = (...args: string[]): void => {
    execFileSync(process.env['OPENSSL'] ?? 'openssl', args, { cwd: folder, stdio: 'pipe' });
  };
  const names = 'subjectAltName=DNS:carrier.example,IP:127.0.0.1';
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

  const read = (name: string): KeyPair => ({
    cert: readFileSync(at(`${name}.pem`), 'utf8'),
    key: readFileSync(at(`${name}.key`), 'utf8'),
  });
  const selfSign = (name: string, extension: string): void =>
    openssl(
      'req',
      '-x509',
      ...newKey,
      '-days',
      '2',
      '-subj',
      `/CN=${name}`,
      '-addext',
      extension,
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.pem`,
    );
  const sign = (name: string, extension: string, until: string): KeyPair => {
    writeFileSync(at(`${name}.ext`), `${extension}\n`);
    openssl('req', ...newKey, '-subj', `/CN=${name}`, '-keyout', `${name}.key`, '-out', `${name}.csr`);
    openssl(
      'ca',
      '-batch',
      '-notext',
      '-config',
      'ca.conf',
      '-startdate',
      '20200101000000Z',
      '-enddate',
      until,
      '-extfile',
      `${name}.ext`,
      '-in',
      `${name}.csr`,
      '-out',
      `${name}.pem`,
    );
    return read(name);
  };

  try {
    writeFileSync(at('index.txt'), '');
    writeFileSync(at('serial'), '1000\n');
    writeFileSync(
      at('ca.conf'),
      [
        '[ca]',
        'default_ca = authority',
        '[authority]',
        'database = index.txt',
        'serial = serial',
        'new_certs_dir = .',
        'certificate = authority.pem',
        'private_key = authority.key',
        'default_md = sha256',
        'policy = anything',
        'unique_subject = no',
        '[anything]',
        'commonName = supplied',
        '',
      ].join('\n'),
    );
    selfSign('authority', 'keyUsage=critical,keyCertSign');
    selfSign('self-signed', names);
    return {
      authority: read('authority').cert,
      good: sign('good', names, '20991231235959Z'),
      expired: sign('expired', names, '20200201000000Z'),
      wrongHost: sign('wrong-host', 'subjectAltName=DNS:other.example', '20991231235959Z'),
      selfSigned: read('self-signed'),
      client: sign('client', 'extendedKeyUsage=clientAuth', '20991231235959Z'),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
