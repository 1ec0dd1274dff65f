import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

export type Certificates = ReturnType<typeof createCertificates>;

const newKey = (name: string): string =>
  `-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=${name} -keyout ${name}.key`;

/** Made by `openssl` (or what `OPENSSL` names) for this run only; `carrier.example` and 127.0.0.1 are the names of the good ones. */
export const createCertificates = () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'waybill-tls-'));
  const write = (name: string, text: string): void => writeFileSync(path.join(folder, name), text);
  const readPem = (name: string): string => readFileSync(path.join(folder, name), 'utf8');
  const read = (name: string): KeyPair => ({ cert: readPem(`${name}.pem`), key: readPem(`${name}.key`) });
  const openssl = (args: string): void =>
    void execFileSync(process.env['OPENSSL'] ?? 'openssl', args.split(' '), { cwd: folder, stdio: 'pipe' });
  const selfSign = (name: string, extension: string): void =>
    openssl(`req -x509 ${newKey(name)} -days 2 -addext ${extension} -out ${name}.pem`);
  const sign = (name: string, extension: string, until = '20991231235959Z'): KeyPair => {
    write(`${name}.ext`, `${extension}\n`);
    openssl(`req ${newKey(name)} -out ${name}.csr`);
    const dates = `-startdate 20200101000000Z -enddate ${until}`;
    openssl(`ca -batch -notext -config ca.conf ${dates} -extfile ${name}.ext -in ${name}.csr -out ${name}.pem`);
    return read(name);
  };
  const names = 'subjectAltName=DNS:carrier.example,IP:127.0.0.1';

  try {
    write('index.txt', '');
    write('serial', '1000\n');
    write('ca.conf', AUTHORITY);
    selfSign('authority', 'keyUsage=critical,keyCertSign');
    selfSign('self-signed', names);
    return {
      /** PEM of the authority that signed all but the self-signed one. */
      authority: read('authority').cert,
      good: sign('good', names),
      expired: sign('expired', names, '20200201000000Z'),
      wrongHost: sign('wrong-host', 'subjectAltName=DNS:other.example'),
      selfSigned: read('self-signed'),
      client: sign('client', 'extendedKeyUsage=clientAuth'),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const AUTHORITY = `[ca]
default_ca = authority
[authority]
database = index.txt
serial = serial
new_certs_dir = .
certificate = authority.pem
private_key = authority.key
default_md = sha256
policy = anything
unique_subject = no
[anything]
commonName = supplied
`;
