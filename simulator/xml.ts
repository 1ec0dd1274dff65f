// XML and SOAP 1.1 for the simulated carriers that speak them: read with namespaces, written from plain values, checked
// against a sequence of elements as a schema would.
import { SaxesParser } from 'saxes';
import type { CarrierRequest, CarrierResponse } from './carrier.ts';
import type { Place } from './shipments.ts';

export interface Element {
  readonly local: string;
  /** '' for none. */
  readonly uri: string;
  readonly children: readonly Element[];
  readonly text: string;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const soapUri = 'http://schemas.xmlsoap.org/soap/envelope/';

/** The root of a well-formed document without DOCTYPE, or null. */
export function readXml(text: string): Element | null {
  const parser = new SaxesParser({ xmlns: true });
  const open: { local: string; uri: string; children: Element[]; text: string }[] = [];
  let root: Element | null = null;
  parser.on('doctype', () => {
    throw new Error('a DOCTYPE is refused');
  });
  parser.on('opentag', ({ local, uri }) => {
    const element = { local, uri, children: [], text: '' };
    root ??= element;
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  const add = (more: string): void => {
    const last = open.at(-1);
    if (last) last.text += more;
  };
  parser.on('text', add);
  parser.on('cdata', add);
  parser.on('closetag', () => void open.pop());
  try {
    parser.write(text).close();
    return root;
  } catch {
    return null;
  }
}

/** The first element at a path of local names. */
export function inside(element: Element | null | undefined, ...path: readonly string[]): Element | undefined {
  let here = element ?? undefined;
  for (const name of path) here = here?.children.find(({ local }) => local === name);
  return here;
}

/** Its text, trimmed; '' when there is none. */
export const textIn = (element: Element | null | undefined, ...path: readonly string[]): string =>
  inside(element, ...path)?.text.trim() ?? '';

/** All elements of that name right below. */
export const allIn = (element: Element | null | undefined, name: string): readonly Element[] =>
  element?.children.filter(({ local }) => local === name) ?? [];

export interface Envelope {
  readonly header: Element | undefined;
  /** What the body holds. */
  readonly payload: Element;
  /** The SOAPAction, without quotes. */
  readonly action: string;
}

/** A SOAP 1.1 request, or what is wrong with it. */
export function readEnvelope(request: CarrierRequest): Envelope | string {
  if (!/^text\/xml\b/i.test(request.headers['content-type'] ?? '')) return 'The content type must be text/xml';
  const root = readXml(request.body.toString('utf8'));
  if (!root) return 'The request is not well-formed XML';
  if (root.local !== 'Envelope' || root.uri !== soapUri) return 'The request is not a SOAP 1.1 envelope';
  const payload = inside(root, 'Body')?.children[0];
  if (!payload) return 'The SOAP body is empty';
  const action = request.headers['soapaction'];
  return { header: inside(root, 'Header'), payload, action: String(action ?? '').replace(/^"(.*)"$/, '$1') };
}

export type Content = string | number | boolean | null | undefined | readonly Content[] | { [name: string]: Content };

const escapeXml = (text: string): string => text.replace(/[&<>"]/g, (letter) => entities[letter] ?? letter);

/** Elements of a map in its order: a list repeats its element, `@name` is an attribute, null and undefined are left out. */
function writeXml(content: { [name: string]: Content }): string {
  return Object.entries(content)
    .flatMap(([name, value]) => (Array.isArray(value) ? value : [value]).map((one: Content) => writeElement(name, one)))
    .join('');
}

function writeElement(name: string, value: Content): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'object') {
    const text = escapeXml(String(value));
    return text === '' ? `<${name} />` : `<${name}>${text}</${name}>`;
  }
  const all = Object.entries(value as { [name: string]: Content });
  const attributes = all
    .filter(([key]) => key.startsWith('@'))
    .map(([key, own]) => ` ${key.slice(1)}="${typeof own === 'string' ? escapeXml(own) : ''}"`)
    .join('');
  const inner = writeXml(Object.fromEntries(all.filter(([key]) => !key.startsWith('@'))));
  return inner === '' ? `<${name}${attributes} />` : `<${name}${attributes}>${inner}</${name}>`;
}

export const xml = (status: number, content: { [name: string]: Content }, type = 'text/xml'): CarrierResponse => ({
  status,
  headers: { 'content-type': `${type}; charset=utf-8` },
  body: Buffer.from(`<?xml version="1.0" encoding="utf-8"?>\n${writeXml(content)}`),
});

/** A SOAP 1.1 answer. */
export const soap = (
  body: { [name: string]: Content },
  status = 200,
  header?: { [name: string]: Content },
): CarrierResponse =>
  xml(status, { 'soap:Envelope': { '@xmlns:soap': soapUri, 'soap:Header': header, 'soap:Body': body } });

/** A SOAP 1.1 fault; 500 as the protocol has it, unless said. */
export const soapFault = (
  code: string,
  message: string,
  detail?: { [name: string]: Content },
  status = 500,
): CarrierResponse => soap({ 'soap:Fault': { faultcode: `soap:${code}`, faultstring: message, detail } }, status);

/**
 * The elements of a sequence in their order. A name ends in `!` when the element must be there, in `*` when it may
 * repeat, in `+` for both.
 */
export interface Sequence {
  readonly [name: string]: Leaf | Sequence;
}

/** A kind of text. */
type Leaf = 'any' | 'text' | 'int' | 'decimal' | 'boolean' | RegExp;

const kinds: Readonly<Record<string, RegExp>> = {
  any: /^/,
  text: /\S/,
  int: /^-?\d+$/,
  decimal: /^-?\d+(\.\d+)?$/,
  boolean: /^(true|false|0|1)$/,
};

/** The first breach of a schema: an element that is missing, not expected here, or not of its type. */
export function findBreach(element: Element, sequence: Sequence, uri: string, path = element.local): string | null {
  const fields = Object.entries(sequence).map(([key, is]) => ({
    name: key.replace(/[!*+]$/, ''),
    isNeeded: /[!+]$/.test(key),
    isRepeated: /[*+]$/.test(key),
    is,
  }));
  let at = 0;
  for (const child of element.children) {
    const found = fields.findIndex(({ name }, index) => index >= at && name === child.local);
    const skipped = fields.slice(at, found).find(({ isNeeded }) => isNeeded);
    const field = fields[found];
    if (!field || skipped || child.uri !== uri)
      return `The element '${child.local}' in ${path} is not expected here${skipped ? `: '${skipped.name}' is` : ''}`;
    const breach = breachOf(child, field.is, uri, `${path}/${child.local}`);
    if (breach !== null) return breach;
    fields[found] = { ...field, isNeeded: false };
    at = field.isRepeated ? found : found + 1;
  }
  const missing = fields.slice(at).find(({ isNeeded }) => isNeeded);
  return missing ? `The element '${missing.name}' in ${path} is missing` : null;
}

function breachOf(child: Element, is: Leaf | Sequence, uri: string, path: string): string | null {
  if (typeof is === 'object' && !(is instanceof RegExp)) return findBreach(child, is, uri, path);
  if (child.children.length > 0) return `The element '${child.local}' in ${path} may hold text only`;
  const pattern = typeof is === 'string' ? (kinds[is] ?? /^/) : is;
  return pattern.test(child.text) ? null : `The value '${child.text}' of ${path} is not valid`;
}

/** A place by its city, without a zone of its own. */
export function placeOf(city: string, country: string): Place {
  const letters = city
    .normalize('NFD')
    .toUpperCase()
    .replace(/[^A-Z]/g, '');
  return { code: letters.slice(0, 3).padEnd(3, 'X'), city, country, zone: 'UTC', latitude: '', longitude: '' };
}
