import type { Rule } from './rule.ts';

const PLAIN = /^http:\/\/([^/?#$\s]*)/i;
/** Addresses that lie on this machine or in a private network, where plain HTTP is allowed on request. */
const PRIVATE =
  /^(?:localhost|127\.[\d.]+|10\.[\d.]+|192\.168\.[\d.]+|172\.(?:1[6-9]|2\d|3[01])\.[\d.]+|\[(?:::1|f[cd][\da-f:]*)\])(?::\d+)?$/i;

/** not-https: a URL that would be asked without TLS, which the engine refuses on every public address. */
export const notHttps: Rule = ({ context, findings }) => {
  for (const url of context.urls) {
    const { text } = url;
    const place = url.placeAt(0);
    const written = PLAIN.exec(text);
    if (written === null || PRIVATE.test(written[1] ?? '')) continue;
    const scheme = text.slice(0, 'http'.length);
    const fix = { place, old: scheme, text: `${scheme}s` };
    findings.error('not-https', place, 'this URL is not protected by TLS', 'write https://', fix);
  }
};
