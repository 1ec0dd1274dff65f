/** Masking by name: whatever a carrier or a profile puts under a name that says it is secret. */

/** A pin only with whose it is: alone it is a postal code to some, the number of a shipment to others. */
const WORD = String.raw`(?:password|passwd|pwd|passphrase|secret|token|(?:api|access|private)[-_]?key|credentials?|authorization|session[-_]?(?:id|key)|(?:account|user|login|client|access|security)[-_]?pin)`;
const NAME = String.raw`[\w.-]{0,60}${WORD}`;

/** Most texts hold none of these words, and need no more than one look. */
const ANY = new RegExp(WORD, 'i');
const SECRET_NAME = new RegExp(`${WORD}$`, 'i');

/** Whether what stands under such a name is secret, whatever it is. */
export const isSecretName = (name: string): boolean => SECRET_NAME.test(name);

const TEXT = String.raw`"(?:[^"\\]|\\[^])*"`;
const NUMBER = String.raw`-?\d[\d.eE+-]*`;
const ITEM = `(?:${TEXT}|${NUMBER}|true|false|null)`;
const JSON_NAME = String.raw`("(${NAME})"\s{0,20}:\s{0,20})`;
const JSON_FIELD = new RegExp(`${JSON_NAME}(?:${TEXT}|${NUMBER})`, 'gi');
const JSON_LIST = new RegExp(String.raw`${JSON_NAME}\[\s*${ITEM}(?:\s*,\s*${ITEM})*\s*\]`, 'gi');
const FORM_FIELD = new RegExp(String.raw`((?:^|[?&])(${NAME})=)[^&#\s"'<>]+`, 'gi');
const XML_ELEMENT = new RegExp(String.raw`(<(?:[\w-]{1,40}:)?(${NAME})(?:\s[^<>]{0,500})?>)[^<]+(?=</)`, 'gi');
const XML_ATTRIBUTE = new RegExp(String.raw`(\s(${NAME})=)(?:"[^"<]*"|'[^'<]*')`, 'gi');

/** Writes `***name***` over the values of such names in JSON, forms, queries and XML. */
export const hideNamed = (text: string): string =>
  ANY.test(text)
    ? text
        .replace(JSON_FIELD, '$1"***$2***"')
        .replace(JSON_LIST, '$1["***$2***"]')
        .replace(FORM_FIELD, '$1***$2***')
        .replace(XML_ELEMENT, '$1***$2***')
        .replace(XML_ATTRIBUTE, '$1"***$2***"')
    : text;

/** The same for bytes in any encoding that writes ASCII as itself. */
export const hideNamedBytes = (bytes: Buffer): Buffer => {
  const text = bytes.toString('latin1');
  const hidden = hideNamed(text);
  return hidden === text ? bytes : Buffer.from(hidden, 'latin1');
};
