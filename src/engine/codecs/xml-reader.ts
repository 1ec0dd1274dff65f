import { SaxesParser } from 'saxes';
import { Failure, messageOf } from '../failure.ts';
import { addRepeatable, notReadable, tooLarge, type DecodeLimits } from './codec.ts';

export interface XmlText {
  readonly text: string;
  /** From a CDATA section. */
  readonly verbatim: boolean;
}

/** An element as it stood in the text, order and prefixes kept. */
export interface XmlElement {
  readonly prefix: string;
  readonly local: string;
  /** Names as written, namespace declarations included. */
  readonly attributes: readonly (readonly [name: string, value: string])[];
  readonly children: (XmlElement | XmlText)[];
}

export const isElement = (node: XmlElement | XmlText): node is XmlElement => 'local' in node;

/**
 * Parses a whole XML document, strictly: no DTD, hence no entities but the five and numeric ones.
 * Throws `body_not_readable`, or `body_too_large` beyond the depth or the number of elements and attributes.
 */
export function readXml(text: string, limits: Pick<DecodeLimits, 'maxDepth' | 'maxNodes'>): XmlElement {
  const parser = new SaxesParser();
  const open: XmlElement[] = [];
  let root: XmlElement | undefined;
  let nodes = 0;
  const count = (): void => {
    nodes += 1;
    if (nodes > limits.maxNodes) throw tooLarge(`has more than ${limits.maxNodes} elements and attributes`);
  };
  parser.on('doctype', () => {
    throw notReadable('has a DOCTYPE, which is refused');
  });
  parser.on('opentagstart', count);
  parser.on('attribute', count);
  parser.on('opentag', (tag) => {
    if (open.length >= limits.maxDepth) throw tooLarge(`is nested deeper than ${limits.maxDepth} elements`);
    const element: XmlElement = { ...splitName(tag.name), attributes: Object.entries(tag.attributes), children: [] };
    if (open.length === 0) root = element;
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on('closetag', () => void open.pop());
  parser.on('text', (content) => void open.at(-1)?.children.push({ text: content, verbatim: false }));
  parser.on('cdata', (content) => void open.at(-1)?.children.push({ text: content, verbatim: true }));
  try {
    // XML allows nothing before its declaration, but carriers send blank lines there.
    parser.write(text.trimStart()).close();
  } catch (thrown) {
    throw thrown instanceof Failure ? thrown : notReadable(`is not well-formed XML: ${messageOf(thrown)}`);
  }
  if (root === undefined) throw notReadable('is not XML: there is no element');
  return root;
}

/** `soap:Body` → prefix and local name; no colon, no prefix. */
export function splitName(name: string): { readonly prefix: string; readonly local: string } {
  const colon = name.indexOf(':');
  const [prefix, local] = colon === -1 ? ['', name] : [name.slice(0, colon), name.slice(colon + 1)];
  if (local === '' || local.includes(':') || colon === 0)
    throw notReadable(`is not well-formed XML: the name '${name}'`);
  return { prefix, local };
}

export const isNamespaceDeclaration = (name: string): boolean => name === 'xmlns' || name.startsWith('xmlns:');

/**
 * What a mapping sees of an element: text if it holds nothing else, else a map of `@attribute`, `#text` and child
 * elements, prefixes dropped and repeats in a list. White space between elements, around a CDATA section, and alone
 * in an element does not count. Namespace declarations are dropped; a nil element (`xsi:nil="true"`) is null.
 */
export function valueOf(element: XmlElement): unknown {
  const map: Record<string, unknown> = {};
  let nil = false;
  for (const [name, value] of element.attributes) {
    if (isNamespaceDeclaration(name)) continue;
    const { prefix, local } = splitName(name);
    if (local === 'nil' && prefix !== '' && (value === 'true' || value === '1')) nil = true;
    else if (prefix === '' || !Object.hasOwn(map, `@${local}`)) map[`@${local}`] = value;
  }
  const text = ownText(element);
  const bare = Object.keys(map).length === 0;
  const elements = element.children.filter(isElement);
  if (elements.length === 0 && bare) return nil && text === '' ? null : text;
  if (text !== '') map['#text'] = text;
  const repeated = new Set<string>();
  for (const child of elements) addRepeatable(map, repeated, child.local, valueOf(child));
  return map;
}

/** The text directly in an element, without what is only layout. */
export function ownText(element: XmlElement): string {
  const texts = element.children.filter((node): node is XmlText => !isElement(node));
  const mixed = texts.length < element.children.length;
  const layout = mixed || texts.some((node) => node.verbatim);
  const kept = layout ? texts.filter((node) => node.verbatim || !isBlank(node.text)) : texts;
  const text = kept.map((node) => node.text).join('');
  if (isBlank(text)) return kept.some((node) => node.verbatim) && !mixed ? text : '';
  return mixed ? text.trim() : text;
}

const isBlank = (text: string): boolean => /^[ \t\r\n]*$/.test(text);
