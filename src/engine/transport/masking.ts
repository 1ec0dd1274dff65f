export interface Secret {
  readonly name: string;
  readonly value: string;
}

const minLength = 8;

const sensitiveHeader = /(?:^|[-_])(?:cookie2?|subscription[-_]key|auth[-_]key|session)$/i;

export const isSensitiveHeader = (name: string): boolean => isSecretName(name) || sensitiveHeader.test(name);

const AUTH_HEADER = /password|secret|token|api[-_]?key/i;

/** The headers of a request to us without what may authenticate its sender: that is not kept. */
export const withoutAuth = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !isSensitiveHeader(name) && !AUTH_HEADER.test(name)));

interface Pattern extends SecretEncodings {
  readonly name: string;
}

interface Span {
  readonly start: number;
  readonly end: number;
  readonly name: string;
}

const spansOf = (text: string, patterns: readonly Pattern[]): Span[] => {
  const spans: Span[] = [];
  for (const { name, common, forms } of patterns) {
    if (!text.includes(common)) continue;
    for (const wanted of forms()) {
      for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) {
        spans.push({ start: at, end: at + wanted.length, name });
      }
    }
  }
  return spans.sort((a, b) => a.start - b.start || b.end - a.end);
};

/** What overlaps is hidden as a whole, under the name of what begins first; so no tail of a second secret is left. */
const overwrite = (text: string, patterns: readonly Pattern[]): string => {
  const spans = spansOf(text, patterns);
  if (spans.length === 0) return text;
  const parts: string[] = [];
  let done = 0;
  for (const { start, end, name } of spans) {
    if (start >= done) parts.push(text.slice(done, start), `***${name}***`);
    done = Math.max(done, end);
  }
  parts.push(text.slice(done));
  return parts.join('');
};

/** The same bytes where nothing changes. */
const rewrite = (bytes: Buffer, change: (latin1: string) => string): Buffer => {
  const text = bytes.toString('latin1');
  const changed = change(text);
  return changed === text ? bytes : Buffer.from(changed, 'latin1');
};

interface Patterns {
  readonly inText: readonly Pattern[];
  readonly inBytes: readonly Pattern[];
}

/** As long as the secret itself is there: that of an account is looked for in each of its calls. */
const made = new WeakMap<Secret, Patterns>();

const patternsOf = (secret: Secret): Patterns => {
  let patterns = made.get(secret);
  if (patterns === undefined) {
    const { name, value } = secret;
    const inText = secretEncodings(value).map((encodings) => ({ name, ...encodings }));
    const inBytes = inText.map(({ common, forms }) => ({
      name: asLatin1(name),
      common,
      forms: once(() => forms().map(asLatin1)),
    }));
    patterns = { inText, inBytes };
    made.set(secret, patterns);
  }
  return patterns;
};

/** The UTF-8 bytes, one character each, so that one search serves text and bytes. */
const asLatin1 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

/**
 * Writes `***name***` over secrets in all their encodings: base64 (also inside a longer one, as of Basic), hex, percent-,
 * JSON- and XML-encoded. One search of the text per form, so the time is linear in the text.
 */
export const createMask = (secrets: readonly Secret[]) => {
  const known = new Set<string>();
  const patterns: Pattern[] = [];
  const bytePatterns: Pattern[] = [];

  const take = (secret: Secret): boolean => {
    const { value } = secret;
    if (value.length < minLength) return false;
    if (known.has(value)) return true;
    known.add(value);
    const { inText, inBytes } = patternsOf(secret);
    patterns.push(...inText);
    bytePatterns.push(...inBytes);
    return true;
  };

  const maskText = (text: string): string => overwrite(text, patterns);

  for (const secret of secrets) take(secret);
  return {
    /**
     * Takes one more secret, as a token just fetched or what was hashed from one. Answers false for a value under 8
     * characters, which is not masked: it would hide half of every text.
     */
    add: (name: string, value: string): boolean => take({ name, value }),
    text: maskText,
    /** Names of the secrets in a text, as often as they are there. */
    namesIn: (text: string): readonly string[] => spansOf(text, patterns).map(({ name }) => name),
    /** UTF-8 or any other bytes; what holds no secret comes back as it is. `also`: what else is done to the same text. */
    bytes: (bytes: Buffer, also = (latin1: string) => latin1): Buffer =>
      rewrite(bytes, (text) => also(overwrite(text, bytePatterns))),
    /** By value as all else, and wholly where the header's name says that it is secret. */
    headers: (headers: Readonly<Record<string, string>>): Record<string, string> =>
      Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [
          name,
          isSensitiveHeader(name) ? `***${name.toLowerCase()}***` : maskText(value),
        ]),
      ),
  };
};
export type Mask = ReturnType<typeof createMask>;

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
export const hideNamedBytes = (bytes: Buffer): Buffer => rewrite(bytes, hideNamed);

const base64Alphabets = ['base64', 'base64url'] as const;

/**
 * How the bytes look inside the base64 of something longer, as `user:secret`: three forms, by how many bytes stand
 * before them, each without the characters that neighbours take part in.
 */
const insideBase64 = (bytes: Buffer): string[] =>
  base64Alphabets.flatMap((alphabet) =>
    [0, 1, 2].map((before) => {
      const text = Buffer.concat([Buffer.alloc(before), bytes]).toString(alphabet);
      const firstOwn = Math.ceil((before * 8) / 6);
      const endOwn = Math.floor(((before + bytes.length) * 8) / 6);
      return text.slice(firstOwn, endOwn);
    }),
  );

const asciiJson = (text: string, digits: (hex: string) => string): string =>
  text.replace(/[^\x20-\x7e]/g, (unit) => `\\u${digits(unit.charCodeAt(0).toString(16).padStart(4, '0'))}`);

const inJson = (value: string): string[] => {
  const plain = JSON.stringify(value).slice(1, -1);
  return [plain, plain.replaceAll('/', '\\/')].flatMap((text) => [
    text,
    asciiJson(text, (hex) => hex),
    asciiJson(text, (hex) => hex.toUpperCase()),
  ]);
};

const escapeXml = (value: string, escapes: Readonly<Record<string, string>>): string =>
  value.replace(/[&<>"'\t\n\r]/g, (character) => escapes[character] ?? character);

const markup = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const quoted = { ...markup, '"': '&quot;' };
/** As `codecs/xml.ts` writes text and attributes; then as others do. */
const ourXml = [
  { ...markup, '\r': '&#13;' },
  { ...quoted, '\t': '&#9;', '\n': '&#10;', '\r': '&#13;' },
];
const xmlEscapes: readonly Readonly<Record<string, string>>[] = [
  ...ourXml,
  { '&': '&amp;', '<': '&lt;' },
  markup,
  quoted,
  ...['&apos;', '&#39;', '&#x27;'].map((apostrophe) => ({ ...quoted, "'": apostrophe })),
];

const lowerHex = (text: string): string => text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());

const ourPercent = (value: string): [string, string, string] => [
  encodeURIComponent(value.toWellFormed()),
  new URLSearchParams({ v: value }).toString().slice(2),
  encodeURI(value.toWellFormed()),
];

const inPercent = (value: string): string[] => {
  const ours = ourPercent(value);
  const strict = ours[0].replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
  return [...ours, strict].flatMap((text) => [text, lowerHex(text)]);
};

const distinct = (texts: readonly string[]): readonly string[] => [...new Set(texts)];

/** How a text may stand inside another, itself included. */
const written = (text: string): readonly string[] =>
  /^[\w.-]*$/.test(text)
    ? [text]
    : distinct([text, ...inPercent(text), ...inJson(text), ...xmlEscapes.map((escapes) => escapeXml(text, escapes))]);

/** As base64 may hold it: by itself, or in what a profile wrote before. */
const bytesOf = (value: string): readonly Buffer[] => {
  const texts = [
    value,
    JSON.stringify(value).slice(1, -1),
    ...ourXml.map((escapes) => escapeXml(value, escapes)),
    ...ourPercent(value),
  ];
  return distinct(texts).flatMap((text) => {
    const bytes = Buffer.from(text, 'utf8');
    // JSONata's own `$base64encode` takes characters for bytes.
    return bytes.length === text.length ? [bytes] : [bytes, Buffer.from(text, 'latin1')];
  });
};

const packed = (value: string): readonly string[] => {
  const hex = Buffer.from(value, 'utf8').toString('hex');
  const inBase64 = bytesOf(value).flatMap((bytes) => [
    ...base64Alphabets.map((alphabet) => bytes.toString(alphabet)),
    ...insideBase64(bytes),
  ]);
  return distinct([...distinct(inBase64).flatMap(written), hex, hex.toUpperCase()]);
};

/** Ways to write a secret down. A text without what they all have in common needs no further look. */
interface SecretEncodings {
  readonly common: string;
  readonly forms: () => readonly string[];
}

/** Every way a secret may be written down: up to two of percent-, JSON- and XML-encoding, base64 and hex. */
const secretEncodings = (value: string): readonly SecretEncodings[] => [
  { common: longestWord(value), forms: once(() => distinct(written(value).flatMap(written))) },
  { common: '', forms: once(() => packed(value)) },
];

/** No encoding but base64 and hex writes letters and digits as anything else. */
const longestWord = (value: string): string =>
  (value.match(/[A-Za-z0-9]+/g) ?? []).reduce((longest, word) => (word.length > longest.length ? word : longest), '');

/** Made when it is first asked for. */
const once = <T>(make: () => T): (() => T) => {
  let made: T | undefined;
  return () => (made ??= make());
};
