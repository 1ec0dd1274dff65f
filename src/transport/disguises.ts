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
  value.replace(/[&<>"']/g, (character) => escapes[character] ?? character);

const xmlText = { '&': '&amp;', '<': '&lt;' };
const xmlEscapes: readonly Readonly<Record<string, string>>[] = [
  xmlText,
  { ...xmlText, '>': '&gt;' },
  { ...xmlText, '>': '&gt;', '"': '&quot;' },
  { ...xmlText, '>': '&gt;', '"': '&quot;', "'": '&apos;' },
  { ...xmlText, '>': '&gt;', '"': '&quot;', "'": '&#39;' },
  { ...xmlText, '>': '&gt;', '"': '&quot;', "'": '&#x27;' },
];

const lowerHex = (text: string): string => text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());

const inPercent = (value: string): string[] => {
  const component = encodeURIComponent(value.toWellFormed());
  const strict = component.replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
  const form = new URLSearchParams({ v: value }).toString().slice(2);
  const path = encodeURI(value.toWellFormed());
  return [component, strict, form, path].flatMap((text) => [text, lowerHex(text)]);
};

/** Every way a secret may be written down: itself, and in base64, hex, percent-, JSON- and XML-encoding. */
export const disguisesOf = (value: string): readonly string[] => {
  const bytes = Buffer.from(value, 'utf8');
  const whole = base64Alphabets.map((alphabet) => bytes.toString(alphabet));
  return [
    ...new Set([
      value,
      ...whole,
      ...whole.flatMap(inPercent),
      ...insideBase64(bytes),
      bytes.toString('hex'),
      bytes.toString('hex').toUpperCase(),
      ...inPercent(value),
      ...inJson(value),
      ...xmlEscapes.map((escapes) => escapeXml(value, escapes)),
    ]),
  ];
};
