/** Masking by name: whatever a carrier or a profile puts under a name that says it is secret. */

const NAME = String.raw`[\w.-]{0,60}(?:password|passwd|passphrase|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|credentials?|authorization)`;

/** Most texts hold none of these words, and need no more than one look. */
const ANY = /pass|secret|token|key|credential|authorization/i;

const JSON_FIELD = new RegExp(String.raw`("(${NAME})"\s{0,20}:\s{0,20})"(?:[^"\\]|\\[^])*"`, 'gi');
const FORM_FIELD = new RegExp(String.raw`((?:^|[?&])(${NAME})=)[^&#\s"'<>]+`, 'gi');
const XML_ELEMENT = new RegExp(String.raw`(<(?:[\w-]{1,40}:)?(${NAME})(?:\s[^<>]{0,500})?>)[^<]+(?=</)`, 'gi');
const XML_ATTRIBUTE = new RegExp(String.raw`(\s(${NAME})=)(?:"[^"<]*"|'[^'<]*')`, 'gi');

/** Writes `***name***` over the values of such names in JSON, forms, queries and XML. */
export const hideNamed = (text: string): string =>
  ANY.test(text)
    ? text
        .replace(JSON_FIELD, '$1"***$2***"')
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
