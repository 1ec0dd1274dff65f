/** Checks a signature of the Standard Webhooks scheme in the browser: the secret is sent nowhere. */
import { useState } from 'react';
import { useAction } from '../api.ts';
import { Section, Trouble } from '../ui.tsx';

const FIELDS = [
  ['secret', 'Secret (whsec_…)'],
  ['id', 'webhook-id'],
  ['timestamp', 'webhook-timestamp'],
  ['signature', 'webhook-signature'],
] as const;
type Field = (typeof FIELDS)[number][0];

const TOLERANCE_S = 300;

interface Verdict {
  readonly isGood: boolean;
  readonly words: string;
}

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> | undefined => {
  try {
    return Uint8Array.from(atob(base64), (one) => one.codePointAt(0) ?? 0);
  } catch {
    return undefined;
  }
};

const bad = (words: string): Verdict => ({ isGood: false, words });

const verdictOf = async (given: Readonly<Record<Field | 'body', string>>): Promise<Verdict> => {
  const key = bytesOf(given.secret.trim().replace(/^whsec_/, ''));
  if (key === undefined || key.length === 0) return bad('The secret is not whsec_ followed by Base64.');
  const [id, timestamp] = [given.id.trim(), given.timestamp.trim()];
  if (!/^\d+$/.test(timestamp)) return bad('The timestamp is not in whole seconds since 1970.');
  const hmac = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${given.body}`);
  const signature = btoa(String.fromCodePoint(...new Uint8Array(await crypto.subtle.sign('HMAC', hmac, signed))));
  const listed = given.signature.trim().split(/\s+/);
  if (!listed.some((one) => one.startsWith('v1,'))) return bad('The signature has no part that begins with v1,');
  if (!listed.includes(`v1,${signature}`))
    return bad(
      'The signature does not match. The body must be the bytes as received, before any parsing; also check the secret.',
    );
  const ageS = Date.now() / 1_000 - Number(timestamp);
  const words =
    Math.abs(ageS) > TOLERANCE_S
      ? 'The signature matches, but receivers should refuse it: the timestamp is more than five minutes away.'
      : 'The signature matches.';
  return { isGood: true, words };
};

export const SignatureChecker = () => {
  const [given, setGiven] = useState<Record<Field | 'body', string>>({
    secret: '',
    id: '',
    timestamp: '',
    signature: '',
    body: '',
  });
  const [verdict, setVerdict] = useState<Verdict>();
  const check = useAction(async () => setVerdict(await verdictOf(given)));
  const set = (name: Field | 'body', value: string): void => {
    setGiven({ ...given, [name]: value });
    setVerdict(undefined);
  };
  return (
    <Section title="Signature checker">
      <details>
        <summary>Check a delivery that a receiver refuses</summary>
        <form
          className="form"
          onSubmit={(event) => {
            event.preventDefault();
            check.run();
          }}
        >
          <p className="faint">It is computed in this browser: nothing you enter here is sent or stored.</p>
          {FIELDS.map(([name, label]) => (
            <label key={name}>
              {label}
              <input
                required
                autoComplete="off"
                type={name === 'secret' ? 'password' : 'text'}
                value={given[name]}
                onChange={({ target }) => set(name, target.value)}
              />
            </label>
          ))}
          <label>
            Body, as received
            <textarea required rows={5} value={given.body} onChange={({ target }) => set('body', target.value)} />
          </label>
          <Trouble error={check.error} />
          <p role="status" className={verdict?.isGood === true ? 'good' : 'bad'}>
            {verdict?.words}
          </p>
          <button type="submit" className="main">
            Check
          </button>
        </form>
      </details>
    </Section>
  );
};
