import { formatPlace, type Place } from '../../failure.ts';
import { walk } from '../../jsonata/parse.ts';
import type { Mapping } from '../../mapping/mapping.ts';
import { SECRETS_BELONG, SHOWN } from '../../mapping/roots.ts';
import { SECRET_MIN } from '../account.ts';
import type { Auth } from '../carrier.ts';
import { AUTH_KINDS } from '../language/auths.ts';
import type { Shape } from '../language/kinds.ts';
import { entriesOf, valueOf } from '../tree.ts';
import { authsOf, type LintInput, pathsOf, placeOfNode, type Rule } from './rule.ts';
import { toldFrom } from './told.ts';

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

/** secret-in-file: the example of a credential, which was to be declared, and is sent as it is. */
const exampleSent: Rule = ({ carrier, uses, texts, findings }) => {
  const keyOf = new Map(
    Object.entries(carrier.credentials).flatMap(([key, { secret, example }]) =>
      secret && String(example ?? '').length >= SECRET_MIN ? [[String(example), key] as const] : [],
    ),
  );
  const check = (text: string, place: Place): void => {
    const key = keyOf.get(text);
    if (key === undefined) return;
    findings.report(
      'secret-in-file',
      place,
      `the example of the credential "${key}" is written here`,
      `write credentials.${key}`,
    );
  };
  for (const { text, place } of texts) check(text, place);
  for (const { source, tree } of uses) {
    walk(tree, (node) => {
      if (node.type === 'string') check(String(node.value), placeOfNode(source, node));
    });
  }
};

const secretsOf = (auth: Auth): readonly (Mapping | undefined)[] => {
  const keys: Readonly<Record<string, Shape>> = AUTH_KINDS[auth.kind].properties;
  const values = auth as unknown as Readonly<Record<string, Mapping | undefined>>;
  return Object.keys(keys).flatMap((key) => (keys[key]?.meta?.secret === true ? [values[key]] : []));
};

/** Keys of the environment whose values are made from credentials. */
const secretKeys = ({ carrier }: LintInput): ReadonlySet<string> =>
  new Set(
    Object.values(carrier.environments).flatMap((environment) =>
      Object.entries({ url: environment.url, ...environment.values })
        .filter(([, mapping]) => !mapping.constant && /\bcredentials\b/.test(mapping.text))
        .map(([key]) => key),
    ),
  );

/** secret-shown: a value of the environment that is made from a credential, where what is yielded is kept or shown. */
const environmentSecret: Rule = (input) => {
  const secret = secretKeys(input);
  if (secret.size === 0) return;
  for (const { source, tree, site } of input.uses) {
    if (!SHOWN.has(site.position)) continue;
    for (const { names, node } of pathsOf(tree)) {
      const [root, key] = names;
      if (root !== 'environment' || key === undefined || !secret.has(key)) continue;
      const message = `environment.${key} is made from credentials, and cannot be used in ${site.position}`;
      input.findings.report('secret-shown', placeOfNode(source, node), message, SECRETS_BELONG);
    }
  }
};

/** What these are told is read by shippers, or kept in the open. */
const TELLING: ReadonlySet<string> = new Set(['reject', 'error', 'assert', 'sequence']);

/** secret-shown: a secret that a request tells to people, as it is, or through functions and variables. */
const secretTold: Rule = (input) => {
  const { carrier, uses, findings } = input;
  const ofEnvironment = secretKeys(input);
  const isSecret = ([root, key]: readonly string[]): boolean => {
    if (root === 'credentials') return key === undefined || carrier.credentials[key]?.secret !== false;
    if (root === 'environment') return key === undefined ? ofEnvironment.size > 0 : ofEnvironment.has(key);
    return root === 'auths' || root === '$';
  };
  for (const { source, tree, site } of uses) {
    if (SHOWN.has(site.position)) continue;
    for (const { node, name } of toldFrom(tree, TELLING, isSecret)) {
      const message = `$${name} is given what a secret is part of`;
      findings.report('secret-shown', placeOfNode(source, node), message, SECRETS_BELONG);
    }
  }
};

/** What is not for a profile to say: how browsers and proxies are to treat our answers, cookies, the connection. */
const OURS =
  /^(?:set-cookie2?|access-control-.*|cross-origin-.*|content-(?!type$|language$).*|(?:transfer|accept)-.*|cache-.*|strict-transport-security|x-(?:frame|content|xss|permitted|dns|download|accel|sendfile|robots|ua|forwarded|real|http).*|(?:referrer|permissions|feature|origin|document)-.*|sec-.*|proxy-.*|service-worker.*|report(?:ing|-).*|nel|clear-site-data|location|refresh|link|vary|pragma|expires|age|alt-svc|connection|keep-alive|upgrade|te|trailer|via|server|date|www-authenticate|sourcemap)$/i;

/** reply-header: a header of a webhook's reply that would undo what protects everything else we answer. */
const replyHeader: Rule = ({ profile, findings }) => {
  const webhook = valueOf(valueOf(profile, 'statuses'), 'webhook');
  for (const owner of [webhook, valueOf(webhook, 'handshake')]) {
    for (const { key } of entriesOf(valueOf(valueOf(owner, 'reply'), 'headers'))) {
      if (!OURS.test(key.text)) continue;
      const help = 'a reply may set content-type, content-language, retry-after and headers of the carrier’s own';
      findings.report('reply-header', key.place, `"${key.text.slice(0, 60)}" is not for a reply to set`, help);
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

const HOST = /^https?:\/\/([^/?#$\s]+)/i;

/** fixed-host: a URL that stays at the host of one environment, whichever is used, and whatever `baseUrl` an account has. */
const fixedHost: Rule = ({ carrier, urls, findings }) => {
  const environments = Object.entries(carrier.environments);
  const declared = environments.flatMap(([, { url, values }]) => [url, ...Object.values(values)]);
  const places = new Set(declared.map(({ place }) => formatPlace(place)));
  for (const url of urls) {
    const host = HOST.exec(url.text)?.[1];
    const place = url.placeAt(0);
    const [name, base] =
      environments.find(
        ([
          ,
          {
            url: { text },
          },
        ]) => HOST.exec(text)?.[1] === host,
      ) ?? [];
    if (host === undefined || base === undefined || places.has(formatPlace(place))) continue;
    const { text } = base.url;
    const fix = url.text.startsWith(`${text}/`) ? { place, old: text, text: '' } : undefined;
    const help = 'write what follows it, so that the URL follows the environment and the baseUrl of an account';
    findings.report('fixed-host', place, `${host} is the host of environments.${name}.url`, help, fix);
  }
};

/** open-webhook: one that anybody may call. */
const openWebhook: Rule = ({ carrier, findings }) => {
  const { webhook } = carrier.statuses;
  if (webhook === undefined || webhook.auth.length > 0 || webhook.allow.length > 0) return;
  const help = 'give it an auth, or allow only the addresses of the carrier';
  findings.report('open-webhook', webhook.place, 'anyone can send statuses to this webhook', help);
};

export const SECURITY_RULES: readonly Rule[] = [
  secretInFile,
  exampleSent,
  environmentSecret,
  secretTold,
  replyHeader,
  notHttps,
  fixedHost,
  openWebhook,
];
