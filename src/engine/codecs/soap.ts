import { decodeXmlText } from './text.ts';
import {
  decoderOf,
  notEncodable,
  notReadable,
  type Decoder,
  type Encoder,
  type SoapFault,
  parseMediaType,
} from './codec.ts';
import { isMap, kindOf } from '../value.ts';
import { splitMultipart, type BodyPart } from './multipart.ts';
import * as xml from './xml.ts';

const ENVELOPE_URIS = {
  '1.1': 'http://schemas.xmlsoap.org/soap/envelope/',
  '1.2': 'http://www.w3.org/2003/05/soap-envelope',
} as const;

/**
 * SOAP 1.1 and 1.2. Written from `{ header, body }`, each a map of elements; an `action` goes where the version wants
 * it. Read to the content of Body as XML is read; a fault is given beside it. Of a multipart answer (SOAP with
 * attachments, MTOM) the root part is read, and `Include` elements become their attachments in base64.
 */
export const soapCodec: Encoder & Decoder = {
  encode(value, { version = '1.1', action = '', namespaces = {} } = {}) {
    if (!isMap(value)) throw notEncodable(`SOAP is written from { header, body }, but this is ${kindOf(value)}`, []);
    if (/[^\x21\x23-\x7e]/.test(action))
      throw notEncodable('may hold no quotes, spaces or letters beyond ASCII', ['action']);
    const soap = envelopePrefix(namespaces, version);
    const declared = xml.declarations({ [soap]: ENVELOPE_URIS[version], ...namespaces });
    const prefixes = [soap, ...Object.keys(namespaces)];
    const header = xml.writeContent(value['header'], prefixes, 'header');
    const body = xml.writeContent(value['body'], prefixes, 'body');
    const content = `${header === '' ? '' : `<${soap}:Header>${header}</${soap}:Header>`}<${soap}:Body>${body}</${soap}:Body>`;
    const bytes = Buffer.from(`${xml.XML_DECLARATION}<${soap}:Envelope${declared}>${content}</${soap}:Envelope>`);
    if (version === '1.1')
      return { bytes, contentType: 'text/xml; charset=utf-8', headers: { SOAPAction: `"${action}"` } };
    const parameter = action === '' ? '' : `; action="${action}"`;
    return { bytes, contentType: `application/soap+xml; charset=utf-8${parameter}` };
  },
  ...decoderOf((bytes, { contentType, limits }) => {
    const { type, parameters } = parseMediaType(contentType);
    const parts = type.startsWith('multipart/') ? splitMultipart(bytes, contentType, limits) : [];
    const start = parameters.get('start');
    const rootPart = parts.find((part) => start !== undefined && part.id === withoutAngles(start)) ?? parts[0];
    const text = decodeXmlText(rootPart?.bytes ?? bytes, rootPart?.contentType ?? contentType);
    if (text.trim() === '') return { body: undefined };
    const body = bodyOf(xml.readXml(text, limits));
    const fault = faultOf(body);
    const content = xml.valueOf({ ...body, attributes: [] });
    const value = parts.length > 0 ? withAttachments(content, parts) : content;
    return fault === undefined ? { body: value } : { body: value, fault };
  }),
};

/** `soap`, unless the author has given that prefix to something else, or another one to the envelope. */
export function envelopePrefix(
  namespaces: Readonly<Record<string, string>>,
  version: keyof typeof ENVELOPE_URIS,
): string {
  const uri = ENVELOPE_URIS[version];
  const own = Object.entries(namespaces).find(([prefix, of]) => of === uri && prefix !== '')?.[0];
  if (own !== undefined) return own;
  for (let prefix = 'soap'; ; prefix = `${prefix}env`) if (!Object.hasOwn(namespaces, prefix)) return prefix;
}

function bodyOf(envelope: xml.XmlElement): xml.XmlElement {
  const body = envelope.local === 'Envelope' ? childOf(envelope, 'Body') : undefined;
  if (body === undefined) throw notReadable(`is XML but not a SOAP envelope: its root is '${envelope.local}'`);
  return body;
}

const childOf = (element: xml.XmlElement | undefined, local: string): xml.XmlElement | undefined =>
  element?.children.filter(xml.isElement).find((child) => child.local === local);

const textAt = (element: xml.XmlElement | undefined): string =>
  element === undefined ? '' : xml.ownText(element).trim();

function faultOf(body: xml.XmlElement): SoapFault | undefined {
  const fault = childOf(body, 'Fault');
  if (fault === undefined) return undefined;
  const code = childOf(fault, 'Code');
  const subcode = withoutPrefix(textAt(childOf(childOf(code, 'Subcode'), 'Value')));
  const detail = childOf(fault, 'detail') ?? childOf(fault, 'Detail');
  return {
    code: withoutPrefix(textAt(childOf(fault, 'faultcode') ?? childOf(code, 'Value'))),
    ...(subcode === '' ? {} : { subcode }),
    message: textAt(childOf(fault, 'faultstring') ?? childOf(childOf(fault, 'Reason'), 'Text')),
    ...(detail === undefined ? {} : { detail: xml.valueOf(detail) }),
  };
}

const withoutPrefix = (name: string): string => name.replace(/^[^\s:]+:(?=[^\s:]+$)/, '');

const withoutAngles = (id: string): string => id.trim().replace(/^<(.*)>$/, '$1');

function withAttachments(value: unknown, parts: readonly BodyPart[]): unknown {
  if (Array.isArray(value)) return value.map((one) => withAttachments(one, parts));
  if (!isMap(value)) return value;
  const include = value['Include'];
  const reference = isMap(include) && Object.keys(value).length === 1 ? include['@href'] : undefined;
  if (typeof reference === 'string' && reference.startsWith('cid:')) {
    const id = decodeURIComponent(reference.slice(4));
    const part = parts.find((one) => one.id === id);
    if (part === undefined) throw notReadable(`refers to an attachment '${id}' that did not come`);
    return part.bytes.toString('base64');
  }
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withAttachments(inner, parts)]));
}
