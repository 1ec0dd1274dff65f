import { isMap, kindOf, notEncodable, scalarText } from './codec.ts';

type Path = (string | number)[];
type Prefixes = ReadonlySet<string>;

const MAX_WRITTEN_DEPTH = 100;

// Name of XML 1.0 (fifth edition) §2.3 without the colon, and a prefix before it.
const START = String.raw`A-Z_a-z\xC0-\xD6\xD8-\xF6\xF8-\u02FF\u0370-\u037D\u037F-\u1FFF\u200C\u200D\u2070-\u218F\u2C00-\u2FEF\u3001-\uD7FF\uF900-\uFDCF\uFDF0-\uFFFD\u{10000}-\u{EFFFF}`;
const NCNAME = `[${START}][${START}\\-.0-9\\xB7\\u0300-\\u036F\\u203F\\u2040]*`;
const QNAME = new RegExp(`^(?:(${NCNAME}):)?(${NCNAME})$`, 'u');
// eslint-disable-next-line no-control-regex -- these are the characters XML 1.0 §2.2 has no form for, not even escaped
const ILLEGAL = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/;

/**
 * The XML text of a map with one element, keys in their order, names as given. `@name` is an attribute, `#text` the text;
 * a list repeats its element; null and what is missing are left out. `namespaces` (prefix → URI) go on the root.
 * Throws `body_not_encodable` with the place: an illegal name or character, a prefix nothing declares, not one root.
 */
export function writeXml(value: unknown, namespaces: Readonly<Record<string, string>> = {}): string {
  if (!isMap(value)) throw notEncodable(`XML is written from a map with one element, but this is ${kindOf(value)}`, []);
  const roots = Object.keys(value).filter((key) => value[key] !== null && value[key] !== undefined);
  const root = roots[0];
  if (root === undefined || roots.length > 1 || Array.isArray(value[root])) {
    throw notEncodable(
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
  readonly path: Path;
  readonly prefixes: Prefixes;
}

/** ` xmlns:a="…"` for each prefix; throws on a prefix or URI that cannot be declared. */
export function declarations(namespaces: Readonly<Record<string, string>>): string {
  return Object.entries(namespaces)
    .map(([prefix, uri]) => {
      const path = ['namespaces', prefix];
      if (prefix !== '' && (!QNAME.test(prefix) || prefix.includes(':') || /^xml/i.test(prefix))) {
        throw notEncodable(`'${prefix}' cannot be a namespace prefix`, path);
      }
      if (typeof uri !== 'string' || uri === '') throw notEncodable('a namespace is a URI', path);
      return ` xmlns${prefix === '' ? '' : `:${prefix}`}="${escapeAttribute(uri, path)}"`;
    })
    .join('');
}

/** The elements of a map one after another, for an envelope that is written around them. */
export function writeContent(value: unknown, prefixes: Iterable<string>, name: string): string {
  if (value === null || value === undefined) return '';
  if (!isMap(value)) throw notEncodable(`must be a map of elements, but is ${kindOf(value)}`, [name]);
  if (Object.keys(value).some((key) => key.startsWith('@') || key === '#text')) {
    throw notEncodable('holds elements only, no attributes or text', [name]);
  }
  return writeChildren(value, { path: [name], prefixes: new Set(['xml', ...prefixes]) });
}

function writeChildren(map: Record<string, unknown>, scope: Scope): string {
  let content = '';
  for (const key of Object.keys(map)) {
    if (key.startsWith('@')) continue;
    const value = map[key];
    const path = [...scope.path, key];
    if (key === '#text') content += escapeText(scalarText(value, path) ?? '', path);
    else if (Array.isArray(value)) {
      content += value.map((one, at) => writeElement(key, one, '', { ...scope, path: [...path, at] })).join('');
    } else content += writeElement(key, value, '', { ...scope, path });
  }
  return content;
}

function writeElement(name: string, value: unknown, declared: string, scope: Scope): string {
  if (value === null || value === undefined) return '';
  if (scope.path.length > MAX_WRITTEN_DEPTH * 2) {
    throw notEncodable(`is nested deeper than ${MAX_WRITTEN_DEPTH} elements`, scope.path.slice(0, 5));
  }
  if (Array.isArray(value))
    throw notEncodable('is a list inside a list: an element has no name of its own there', scope.path);
  if (!isMap(value)) {
    checkName(name, scope);
    return element(name, declared, escapeText(scalarText(value, scope.path) ?? '', scope.path));
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
    const text = scalarText(map[key], path);
    if (text === undefined) continue;
    const name = key.slice(1);
    checkName(name, { ...scope, path });
    if (text === '' && name.startsWith('xmlns:')) throw notEncodable('a namespace is a URI', path);
    attributes += ` ${name}="${escapeAttribute(text, path)}"`;
  }
  return attributes;
}

function checkName(name: string, { path, prefixes }: Scope): void {
  const match = QNAME.exec(name);
  if (match === null) throw notEncodable(`'${name.slice(0, 80)}' is not a name XML allows`, path.slice(0, -1));
  const prefix = match[1];
  const declares = prefix === 'xmlns' && path.at(-1) === `@${name}`;
  if (prefix !== undefined && !declares && !prefixes.has(prefix)) {
    throw notEncodable(
      `the namespace prefix '${prefix}' is not declared`,
      path,
      `declare it in namespaces, or as '@xmlns:${prefix}' on this element or one around it`,
    );
  }
}

const escapeText = (text: string, path: Path): string =>
  legal(text, path).replaceAll(/[&<>\r]/g, (character) => ESCAPES[character] ?? character);

// White space in an attribute would be read back as blanks.
const escapeAttribute = (text: string, path: Path): string =>
  legal(text, path).replaceAll(/[&<>"\t\n\r]/g, (character) => ESCAPES[character] ?? character);

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

function legal(text: string, path: Path): string {
  const found = ILLEGAL.exec(text)?.[0];
  if (found === undefined) return text;
  const point = (found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  throw notEncodable(`holds the character U+${point}, which XML has no form for`, path);
}
