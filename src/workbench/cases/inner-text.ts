/** Text inside text: XML or JSON in a field of a form, a part, an element. */
import { parseXml } from '../../engine/codecs/xml.ts';
import { Failure } from '../../engine/failure.ts';

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
