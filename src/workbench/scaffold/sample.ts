/** What somebody has of a carrier, whatever the format: calls, each with where it was found. */
import { codecOf, collectRepeats, DEFAULT_DECODE_LIMITS, parseMediaType } from '../../engine/codecs/codec.ts';
import { decoderNamed } from '../../engine/codecs/codecs.ts';
import { type BodyPart, splitMultipart } from '../../engine/codecs/multipart.ts';
import { isElement, isNamespaceDeclaration, ownText, readXml, type XmlElement } from '../../engine/codecs/xml.ts';
import { Failure, messageOf } from '../../engine/failure.ts';
import { type BodyShape, shapeOfSample } from './shape.ts';

export const BODY_FORMATS = ['json', 'xml', 'soap', 'form', 'multipart'] as const;
export type BodyFormat = (typeof BODY_FORMATS)[number];
export const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
export type Method = (typeof METHODS)[number];
export type Headers = Readonly<Record<string, string>>;

export interface Body {
  readonly format: BodyFormat;
  /** As the codec writes it; of SOAP the content of its Body. */
  readonly shape: BodyShape;
  /** Shown by a sample, not only described. */
  readonly isShown: boolean;
  readonly soap?: {
    readonly version?: '1.1' | '1.2';
    readonly action?: string | undefined;
    readonly namespaces: Headers;
    readonly header?: BodyShape | undefined;
  };
}

export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly bytes: Buffer;
  /** As a mapping sees it; undefined: it is in no format that is read. */
  readonly shape: BodyShape | undefined;
}

export interface Call {
  /** The file, and the line or name in it. */
  readonly from: string;
  /** Words that tell what it is for. */
  readonly about: string;
  /** Of a body alone: what its file is called. */
  readonly named?: string | undefined;
  readonly method?: Method | undefined;
  /** Whole, or from its first slash. */
  readonly url?: string | undefined;
  readonly headers: Headers;
  readonly request: Body | undefined;
  /** The root element of a good answer, as a document has it. */
  readonly answerRoot?: string | undefined;
  /** What a document says of the body that a sample shows. */
  readonly told?: Body | undefined;
  readonly answers: readonly Answer[];
}

export const unreadable = (from: string, why: string): Failure =>
  new Failure(`${from} cannot be read: ${why}`, {
    code: 'sample_unreadable',
    help: 'correct it there, or leave it out',
  });

/** Throws a `Failure` that names `from` when the body is not what its Content-Type, or its first letter, says. */
export const bodyOf = (bytes: Buffer, headers: Headers, from: string): Body | undefined => {
  const text = bytes.toString('utf8').trim();
  if (text === '') return undefined;
  const contentType = headers['content-type'];
  const { type } = parseMediaType(contentType);
  if (type.startsWith('multipart/')) {
    return { format: 'multipart', isShown: true, shape: shapeOfSample(partsOf(bytes, contentType, from)) };
  }
  if (text.startsWith('<')) return xmlBody(text, headers, from);
  const format = codecOf(contentType) === 'form' || !/^[[{"]/.test(text) ? 'form' : 'json';
  const decoded = decoderNamed(format).decode(Buffer.from(text));
  if (!decoded.ok) throw unreadable(from, decoded.reason.message);
  return { format, isShown: true, shape: shapeOfSample(decoded.body) };
};

/** A multipart body as the codec writes it. Throws as `bodyOf` does. */
export const partsOf = (bytes: Buffer, contentType: string | undefined, from: string): Record<string, unknown> =>
  collectRepeats(
    splitMultipart(bytes, contentType, DEFAULT_DECODE_LIMITS).map(
      (part, at) => [part.name ?? String(at), partOf(part, from)] as const,
    ),
  );

/** A part as the codec writes it: with its own type and file name, where it has them. */
const partOf = ({ bytes, contentType, filename }: BodyPart, from: string): unknown => {
  const codec = contentType === undefined ? 'text' : codecOf(contentType);
  const decoded = codec === 'json' ? decoderNamed('json').decode(bytes) : undefined;
  if (decoded?.ok === false) throw unreadable(from, decoded.reason.message);
  const isText = decoded !== undefined || Buffer.from(bytes.toString('utf8')).equals(bytes);
  const content = decoded?.body ?? (isText ? bytes.toString('utf8') : bytes.toString('base64'));
  if (contentType === undefined && filename === undefined) return content;
  return {
    content: codec === 'xml' ? writable(readXml(bytes.toString('utf8'), DEFAULT_DECODE_LIMITS)) : content,
    ...(filename === undefined ? {} : { filename }),
    ...(contentType === undefined ? {} : { contentType }),
    ...(isText ? {} : { contentEncoding: 'base64' }),
  };
};

const xmlBody = (text: string, headers: Headers, from: string): Body => {
  let root: XmlElement;
  try {
    root = readXml(text, DEFAULT_DECODE_LIMITS);
  } catch (thrown) {
    throw unreadable(from, messageOf(thrown));
  }
  const inner = (local: string) =>
    root.children.filter(isElement).find((child) => root.local === 'Envelope' && child.local === local);
  const body = inner('Body');
  if (body === undefined)
    return { format: 'xml', isShown: true, shape: shapeOfSample({ [nameOf(root)]: contentOf(root) }) };
  const declared = [...root.attributes, ...body.attributes].filter(([name]) => isNamespaceDeclaration(name));
  const namespaces = Object.fromEntries(
    declared.map(([name, uri]) => [name === 'xmlns' ? '' : name.slice('xmlns:'.length), uri]),
  );
  const version = declared.some(([, uri]) => uri === 'http://www.w3.org/2003/05/soap-envelope') ? '1.2' : '1.1';
  const typed = parseMediaType(headers['content-type']).parameters.get('action');
  const action = (headers['soapaction'] ?? typed ?? '').replaceAll('"', '');
  const header = inner('Header');
  const head = header === undefined ? {} : childrenOf(header);
  return {
    format: 'soap',
    isShown: true,
    shape: shapeOfSample(childrenOf(body)),
    soap: {
      namespaces,
      version,
      action: action || undefined,
      header: Object.keys(head).length === 0 ? undefined : shapeOfSample(head),
    },
  };
};

const nameOf = ({ prefix, local }: XmlElement): string => (prefix === '' ? local : `${prefix}:${local}`);
const childrenOf = (element: XmlElement): Record<string, unknown> =>
  collectRepeats(element.children.filter(isElement).map((child) => [nameOf(child), contentOf(child)]));

/** As the codec writes it again: prefixes, attributes and declarations are kept. */
const contentOf = (element: XmlElement): unknown => {
  const attributes = Object.fromEntries(element.attributes.map(([name, value]) => [`@${name}`, value]));
  const text = ownText(element);
  const children = childrenOf(element);
  if (Object.keys({ ...attributes, ...children }).length === 0) return text;
  return { ...attributes, ...(text === '' ? {} : { '#text': text }), ...children };
};
export const writable = (root: XmlElement): unknown => ({ [nameOf(root)]: contentOf(root) });

export const answerOf = (status: number, bytes: Buffer, contentType?: string): Answer => {
  const text = bytes.toString('utf8').trimStart();
  const sniffed = /^[[{]/.test(text) ? 'application/json' : text.startsWith('<') ? 'application/xml' : 'text/plain';
  const type = contentType ?? sniffed;
  const codec = codecOf(type);
  const isSoap = codec === 'xml' && /^<(?:\?[^>]*>\s*<)?[\w-]*:?Envelope\b/.test(text);
  const decoded = codec && decoderNamed(isSoap ? 'soap' : codec).decode(bytes, { contentType: type });
  const isRead = decoded?.ok === true && codec !== 'text' && codec !== 'binary';
  return { status, bytes, contentType: type, shape: isRead ? shapeOfSample(decoded.body) : undefined };
};

export const lowerCased = (headers: Iterable<readonly [string, string]>): Headers =>
  Object.fromEntries([...headers].map(([name, value]) => [name.trim().toLowerCase(), value.trim()]));

export const methodOf = (text: string | undefined): Method | undefined =>
  METHODS.find((method) => method === text?.toLowerCase());
