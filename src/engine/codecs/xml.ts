import { SaxesParser } from 'saxes';
import { Failure, messageOf } from '../failure.ts';
import { isMap, kindOf, type ValuePath } from '../value.ts';
import * as codec from './codec.ts';
import { decodeXmlText } from './text.ts';

export const XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>';
const MAX_DEPTH = 100;

/**
 * XML. `{ order: { '@id': '7', line: ['a', 'b'] } }` is `<order id="7"><line>a</line><line>b</line></order>`; values
 * stay text on reading, an empty body reads as nothing.
 */
export const xmlCodec: codec.Encoder & codec.Decoder = {
  encode: (value, options) => ({
    bytes: Buffer.from(XML_DECLARATION + writeXml(value, options?.namespaces)),
    contentType: 'application/xml; charset=utf-8',
  }),
  ...codec.decoderOf((bytes, { contentType, limits }) => {
    const text = decodeXmlText(bytes, contentType);
    return { body: text.trim() === '' ? undefined : parseXml(text, limits) };
  }),
};

/** XML text as the codec reads it. Throws a `Failure`. */
export function parseXml(text: string, limits: codec.DecodeLimits = codec.DEFAULT_DECODE_LIMITS): unknown {
  const root = readXml(text, limits);
  return codec.collectRepeats([[root.local, valueOf(root)]]);
}

// Reading -------------------------------------------------------------------------------------------------------------

export interface XmlText {
  readonly text: string;
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
export function readXml(text: string, limits: Pick<codec.DecodeLimits, 'maxDepth' | 'maxNodes'>): XmlElement {
  const parser = new SaxesParser();
  const open: XmlElement[] = [];
  let root: XmlElement | undefined;
  let nodes = 0;
  const count = (): void => {
    nodes += 1;
    if (nodes > limits.maxNodes) throw codec.tooLarge(`has more than ${limits.maxNodes} elements and attributes`);
  };
  parser.on('doctype', () => {
    throw codec.notReadable('has a DOCTYPE, which is refused');
  });
  parser.on('opentagstart', count);
  parser.on('attribute', count);
  parser.on('opentag', (tag) => {
    if (open.length >= limits.maxDepth) throw codec.tooLarge(`is nested deeper than ${limits.maxDepth} elements`);
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
    throw thrown instanceof Failure ? thrown : codec.notReadable(`is not well-formed XML: ${messageOf(thrown)}`);
  }
  if (root === undefined) throw codec.notReadable('is not XML: there is no element');
  return root;
}

/** `soap:Body` → prefix and local name; no colon, no prefix. */
export function splitName(name: string): { readonly prefix: string; readonly local: string } {
  const colon = name.indexOf(':');
  const [prefix, local] = colon === -1 ? ['', name] : [name.slice(0, colon), name.slice(colon + 1)];
  if (local === '' || local.includes(':') || colon === 0)
    throw codec.notReadable(`is not well-formed XML: the name '${name}'`);
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
  return { ...map, ...codec.collectRepeats(elements.map((child) => [child.local, valueOf(child)])) };
}

/** The text directly in an element, without what is only layout. */
export function ownText(element: XmlElement): string {
  const texts = element.children.filter((node): node is XmlText => !isElement(node));
  const mixed = texts.length < element.children.length;
  const layout = mixed || texts.some((node) => node.verbatim);
  const kept = layout ? texts.filter((node) => node.verbatim || !isLayout(node.text)) : texts;
  const text = kept.map((node) => node.text).join('');
  if (isLayout(text)) return kept.some((node) => node.verbatim) && !mixed ? text : '';
  return mixed ? text.trim() : text;
}

const isLayout = (text: string): boolean => /^[ \t\r\n]*$/.test(text);

// Writing -------------------------------------------------------------------------------------------------------------

// Name of XML 1.0 (fifth edition) without the colon, and a prefix before it.
const START = String.raw`A-Z_a-z\xC0-\xD6\xD8-\xF6\xF8-\u02FF\u0370-\u037D\u037F-\u1FFF\u200C\u200D\u2070-\u218F\u2C00-\u2FEF\u3001-\uD7FF\uF900-\uFDCF\uFDF0-\uFFFD\u{10000}-\u{EFFFF}`;
const NCNAME = `[${START}][${START}\\-.0-9\\xB7\\u0300-\\u036F\\u203F\\u2040]*`;
const QNAME = new RegExp(`^(?:(${NCNAME}):)?(${NCNAME})$`, 'u');
// eslint-disable-next-line no-control-regex -- these are the characters XML 1.0 has no form for, not even escaped
const ILLEGAL = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/;

/**
 * The XML text of a map with one element, keys in their order, names as given. `@name` is an attribute, `#text` the text;
 * a list repeats its element; null and what is missing are left out. `namespaces` (prefix → URI) go on the root.
 * Throws `body_not_encodable` with the place: an illegal name or character, a prefix nothing declares, not one root.
 */
export function writeXml(value: unknown, namespaces: Readonly<Record<string, string>> = {}): string {
  if (!isMap(value))
    throw codec.notEncodable(`XML is written from a map with one element, but this is ${kindOf(value)}`, []);
  const roots = Object.keys(value).filter((key) => value[key] !== null && value[key] !== undefined);
  const root = roots[0];
  if (root === undefined || roots.length > 1 || Array.isArray(value[root])) {
    throw codec.notEncodable(
      `an XML document has one root element, but this has ${roots.length === 1 ? 'a list' : roots.length}`,
      [],
    );
  }
  const own = value[root];
  const inherited = Object.entries(namespaces).filter(
    ([prefix]) => !isMap(own) || own[declaring(prefix)] === undefined,
  );
  return writeElement(root, own, declarations(Object.fromEntries(inherited)), {
    path: [root],
    prefixes: new Set(['xml', ...Object.keys(namespaces)]),
  });
}

const declaring = (prefix: string): string => (prefix === '' ? '@xmlns' : `@xmlns:${prefix}`);

interface Scope {
  readonly path: ValuePath;
  readonly prefixes: ReadonlySet<string>;
}

/** ` xmlns:a="…"` for each prefix; throws on a prefix or URI that cannot be declared. */
export function declarations(namespaces: Readonly<Record<string, string>>): string {
  return Object.entries(namespaces)
    .map(([prefix, uri]) => {
      const path = ['namespaces', prefix];
      if (prefix !== '' && (!QNAME.test(prefix) || prefix.includes(':') || /^xml/i.test(prefix))) {
        throw codec.notEncodable(`'${prefix}' cannot be a namespace prefix`, path);
      }
      if (typeof uri !== 'string' || uri === '') throw codec.notEncodable('a namespace is a URI', path);
      return ` xmlns${prefix === '' ? '' : `:${prefix}`}="${escapeAttribute(uri, path)}"`;
    })
    .join('');
}

/** The elements of a map one after another, for an envelope that is written around them. */
export function writeContent(value: unknown, prefixes: Iterable<string>, name: string): string {
  if (value === null || value === undefined) return '';
  if (!isMap(value)) throw codec.notEncodable(`must be a map of elements, but is ${kindOf(value)}`, [name]);
  if (Object.keys(value).some((key) => key.startsWith('@') || key === '#text')) {
    throw codec.notEncodable('holds elements only, no attributes or text', [name]);
  }
  return writeChildren(value, { path: [name], prefixes: new Set(['xml', ...prefixes]) });
}

function writeChildren(map: Record<string, unknown>, scope: Scope): string {
  let content = '';
  for (const key of Object.keys(map)) {
    if (key.startsWith('@')) continue;
    const value = map[key];
    const path = [...scope.path, key];
    if (key === '#text') content += escapeText(codec.scalarText(value, path) ?? '', path);
    else if (Array.isArray(value)) {
      content += value.map((one, at) => writeElement(key, one, '', { ...scope, path: [...path, at] })).join('');
    } else content += writeElement(key, value, '', { ...scope, path });
  }
  return content;
}

function writeElement(name: string, value: unknown, declared: string, scope: Scope): string {
  if (value === null || value === undefined) return '';
  if (scope.path.length > MAX_DEPTH * 2) {
    throw codec.notEncodable(`is nested deeper than ${MAX_DEPTH} elements`, scope.path.slice(0, 5));
  }
  if (Array.isArray(value))
    throw codec.notEncodable('is a list inside a list: an element has no name of its own there', scope.path);
  if (!isMap(value)) {
    checkName(name, scope);
    return element(name, declared, escapeText(codec.scalarText(value, scope.path) ?? '', scope.path));
  }
  const declaredHere = Object.keys(value).filter((key) => key.startsWith('@xmlns:') && value[key] !== null);
  const inner: Scope =
    declaredHere.length === 0
      ? scope
      : { path: scope.path, prefixes: new Set([...scope.prefixes, ...declaredHere.map((key) => key.slice(7))]) };
  checkName(name, inner);
  return element(name, declared + writeAttributes(value, inner), writeChildren(value, inner));
}

const element = (name: string, attributes: string, content: string): string =>
  content === '' ? `<${name}${attributes}/>` : `<${name}${attributes}>${content}</${name}>`;

function writeAttributes(map: Record<string, unknown>, scope: Scope): string {
  let attributes = '';
  for (const key of Object.keys(map)) {
    if (!key.startsWith('@')) continue;
    const path = [...scope.path, key];
    const text = codec.scalarText(map[key], path);
    if (text === undefined) continue;
    const name = key.slice(1);
    checkName(name, { ...scope, path });
    if (text === '' && name.startsWith('xmlns:')) throw codec.notEncodable('a namespace is a URI', path);
    attributes += ` ${name}="${escapeAttribute(text, path)}"`;
  }
  return attributes;
}

function checkName(name: string, { path, prefixes }: Scope): void {
  const match = QNAME.exec(name);
  if (match === null) throw codec.notEncodable(`'${name.slice(0, 80)}' is not a name XML allows`, path.slice(0, -1));
  const prefix = match[1];
  const declares = prefix === 'xmlns' && path.at(-1) === `@${name}`;
  if (prefix !== undefined && !declares && !prefixes.has(prefix)) {
    throw codec.notEncodable(
      `the namespace prefix '${prefix}' is not declared`,
      path,
      `declare it in namespaces, or as '@xmlns:${prefix}' on this element or one around it`,
    );
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

const escapeText = (text: string, path: ValuePath): string => escape(text, /[&<>\r]/g, path);

// White space in an attribute would be read back as blanks.
const escapeAttribute = (text: string, path: ValuePath): string => escape(text, /[&<>"\t\n\r]/g, path);

function escape(text: string, characters: RegExp, path: ValuePath): string {
  const illegal = ILLEGAL.exec(text)?.[0];
  if (illegal === undefined) return text.replaceAll(characters, (character) => ESCAPES[character] ?? character);
  const point = (illegal.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  throw codec.notEncodable(`holds the character U+${point}, which XML has no form for`, path);
}
