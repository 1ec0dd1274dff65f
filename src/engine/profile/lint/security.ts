import type { Mapping } from '../../mapping/mapping.ts';
import { SHOWN } from '../../mapping/roots.ts';
import { SECRET_MIN } from '../account.ts';
import type { Auth } from '../carrier.ts';
import { AUTH_KINDS } from '../language/auths.ts';
import type { Shape } from '../language/kinds.ts';
import { authsOf, pathsOf, placeOfNode, type Rule } from './rule.ts';

/** secret-in-file: an auth whose secret part is written out, the same for every account and for all to read. */
const secretInFile: Rule = ({ carrier, findings }) => {
  for (const auth of authsOf(carrier)) {
    for (const mapping of secretsOf(auth)) {
      if (mapping?.constant !== true || mapping.text.length < SECRET_MIN) continue;
      const help = 'declare it under credentials, and write ${credentials.…}';
      findings.report('secret-in-file', mapping.place, `the secret of the auth "${auth.name}" is written here`, help);
    }
  }
};

const secretsOf = (auth: Auth): readonly (Mapping | undefined)[] => {
  const keys: Readonly<Record<string, Shape>> = AUTH_KINDS[auth.kind].properties;
  const values = auth as unknown as Readonly<Record<string, Mapping | undefined>>;
  return Object.keys(keys).flatMap((key) => (keys[key]?.meta?.secret === true ? [values[key]] : []));
};

/** secret-shown: a value of the environment that is made from a credential, where what is yielded is kept or shown. */
const environmentSecret: Rule = ({ carrier, uses, findings }) => {
  const secret = new Set(
    Object.values(carrier.environments).flatMap((environment) =>
      Object.entries({ url: environment.url, ...environment.values })
        .filter(([, mapping]) => !mapping.constant && /\bcredentials\b/.test(mapping.text))
        .map(([key]) => key),
    ),
  );
  if (secret.size === 0) return;
  for (const { source, tree, site } of uses) {
    if (!SHOWN.has(site.position)) continue;
    for (const { names, node } of pathsOf(tree)) {
      const [root, key] = names;
      if (root !== 'environment' || key === undefined || !secret.has(key)) continue;
      const message = `environment.${key} is made from credentials, and cannot be used in ${site.position}`;
      findings.report(
        'secret-shown',
        placeOfNode(source, node),
        message,
        'stored or displayed values must not contain secrets',
      );
    }
  }
};

const PLAIN = /^http:\/\/([^/?#$\s]*)/i;
/** Addresses that lie on this machine or in a private network, where plain HTTP is allowed on request. */
const PRIVATE =
  /^(?:localhost|127\.[\d.]+|10\.[\d.]+|192\.168\.[\d.]+|172\.(?:1[6-9]|2\d|3[01])\.[\d.]+|\[(?:::1|f[cd][\da-f:]*)\])(?::\d+)?$/i;

/** not-https: a URL that would be asked without TLS, which the engine refuses on every public address. */
const notHttps: Rule = ({ urls, findings }) => {
  for (const url of urls) {
    const { text } = url;
    const place = url.placeAt(0);
    const written = PLAIN.exec(text);
    if (written === null || PRIVATE.test(written[1] ?? '')) continue;
    const scheme = text.slice(0, 'http'.length);
    const fix = { place, old: scheme, text: `${scheme}s` };
    findings.report('not-https', place, 'this URL is not protected by TLS', 'write https://', fix);
  }
};

/** open-webhook: one that anybody may call. */
const openWebhook: Rule = ({ carrier, findings }) => {
  const { webhook } = carrier.statuses;
  if (webhook === undefined || webhook.auth.length > 0 || webhook.allow.length > 0) return;
  const help = 'give it an auth, or allow only the addresses of the carrier';
  findings.report('open-webhook', webhook.place, 'anyone can send statuses to this webhook', help);
};

export const SECURITY_RULES: readonly Rule[] = [secretInFile, environmentSecret, notHttps, openWebhook];
