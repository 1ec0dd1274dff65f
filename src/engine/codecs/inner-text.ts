import { DEFAULT_DECODE_LIMITS, tooLarge } from './codec.ts';
import { jsonCodec } from './json.ts';
import { writeXml } from './xml.ts';

/** Text inside text, by the key of the map that stands for it. */
const WRITERS = { '#xml': writeXml, '#json': (value: unknown) => jsonCodec.encode(value).bytes.toString() } as const;
export type InnerTextKey = keyof typeof WRITERS;
export const isInnerTextKey = (key: unknown): key is InnerTextKey =>
  typeof key === 'string' && Object.hasOwn(WRITERS, key);

/** Each level may double the text again. */
export const INNER_LEVELS_MAX = 2;

/** The text that such a map stands for; nothing for nothing. Throws `body_not_encodable`, or `body_too_large`. */
export const innerText = (key: InnerTextKey, value: unknown): string | undefined =>
  value === undefined || value === null ? undefined : boundedInner(WRITERS[key](value));

/** Throws `body_too_large`. */
export const boundedInner = (text: string): string => {
  const { maxBytes } = DEFAULT_DECODE_LIMITS;
  if (Buffer.byteLength(text) > maxBytes) throw tooLarge(`the text inside the text has more than ${maxBytes} bytes`);
  return text;
};
