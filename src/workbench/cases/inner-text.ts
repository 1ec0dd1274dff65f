/** Text inside text: XML or JSON in a field of a form, a part, an element. */
import { innerText, isInnerTextKey } from '../../engine/codecs/inner-text.ts';
import { parseXml } from '../../engine/codecs/xml.ts';
import { Failure } from '../../engine/failure.ts';
import { isMap } from '../../engine/value.ts';

/** What a text means to who parses it; undefined: it is neither an XML document nor a JSON object or list. */
export const innerValue = (text: string): unknown => {
  try {
    if (isXml(text)) return parseXml(text);
    return /^\s*[[{]/.test(text) ? (JSON.parse(text) as unknown) : undefined;
  } catch (thrown) {
    if (thrown instanceof Failure || thrown instanceof SyntaxError) return undefined;
    throw thrown;
  }
};

export const isXml = (text: string): boolean => /^\s*<[\w?!]/.test(text);

/** A value of a case with the text in the place of each `{ '#xml': … }` or `{ '#json': … }`, as in a tree of a profile. */
export const withInnerTexts = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withInnerTexts);
  if (!isMap(value)) return value;
  const entries = Object.entries(value).map(([key, held]): [string, unknown] => {
    const inner = withInnerTexts(held);
    return isInnerTextKey(key) ? ['#text', innerText(key, inner)] : [key, inner];
  });
  const [key, ...others] = Object.keys(value);
  return others.length === 0 && isInnerTextKey(key) ? entries[0]?.[1] : Object.fromEntries(entries);
};
