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
export interface SecretEncodings {
  readonly common: string;
  readonly forms: () => readonly string[];
}

/** Every way a secret may be written down: up to two of percent-, JSON- and XML-encoding, base64 and hex. */
export const secretEncodings = (value: string): readonly SecretEncodings[] => [
  { common: longestWord(value), forms: once(() => distinct(written(value).flatMap(written))) },
  { common: '', forms: once(() => packed(value)) },
];

/** No encoding but base64 and hex writes letters and digits as anything else. */
const longestWord = (value: string): string =>
  (value.match(/[A-Za-z0-9]+/g) ?? []).reduce((longest, word) => (word.length > longest.length ? word : longest), '');

/** Made when it is first asked for. */
export const once = <T>(make: () => T): (() => T) => {
  let made: T | undefined;
  return () => (made ??= make());
};
