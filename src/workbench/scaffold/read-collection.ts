/** Reads calls that a program has kept: a HAR of a browser or proxy (HTTP Archive 1.2), a collection of Postman (2.x). */
import { collectRepeats } from '../../engine/codecs/codec.ts';
import { encoderNamed } from '../../engine/codecs/codecs.ts';
import { isMap, valueAt } from '../../engine/value.ts';
import { harContent, harHeaders } from '../replay/recognise.ts';
import { formData, withVariables } from './read-http.ts';
import { type Answer, answerOf, bodyOf, type Call, lowerCased, type Headers, methodOf } from './sample.ts';

const listOf = (value: unknown): readonly Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter(isMap) : [];
const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';
const on = (one: Record<string, unknown>): boolean => one['disabled'] !== true;
const named = (value: unknown, name: string): [string, string][] =>
  listOf(value)
    .filter(on)
    .map((one) => [textOf(one[name]), textOf(one['value'])]);

export const isHar = (document: unknown): boolean => Array.isArray(valueAt(document, 'log', 'entries'));
export const isPostman = (document: unknown): boolean => isMap(document) && Array.isArray(document['item']);

/** Pages, scripts and pictures around the calls are left out. */
export const readHar = (document: unknown, from: string): Call[] =>
  listOf(valueAt(document, 'log', 'entries')).flatMap((entry, at): Call[] => {
    const { request, response } = entry;
    const [sent, content] = [valueAt(request, 'postData'), valueAt(response, 'content')];
    const [sentType, type] = [sent, content].map((one) => textOf(valueAt(one, 'mimeType')) || undefined);
    if (sent === undefined && /html|javascript|css|image\/|font/.test(type ?? '')) return [];
    const headers = {
      ...(sentType === undefined ? {} : { 'content-type': sentType }),
      ...harHeaders(valueAt(request, 'headers')),
    };
    const place = `${from}#${at + 1}`;
    return [
      {
        from: place,
        about: textOf(entry['comment']),
        method: methodOf(textOf(valueAt(request, 'method'))),
        url: textOf(valueAt(request, 'url')),
        headers,
        request: bodyOf(harContent(sent) ?? Buffer.alloc(0), headers, place),
        answers: [answerOf(Number(valueAt(response, 'status')) || 200, harContent(content) ?? Buffer.alloc(0), type)],
      },
    ];
  });

/** Folders are read through; what a folder says of authentication holds for all in it. */
export const readPostman = (document: unknown, from: string): Call[] => {
  const values = new Map(named(valueAt(document, 'variable'), 'key'));
  const filled: unknown = JSON.parse(JSON.stringify(document), (_, held: unknown) =>
    typeof held === 'string' ? withVariables(held, values) : held,
  );
  const walk = (items: unknown, about: string, auth: unknown): Call[] =>
    listOf(items).flatMap((item): Call[] => {
      const name = `${about} ${textOf(item['name'])}`.trim();
      const own = item['auth'] ?? valueAt(item, 'request', 'auth') ?? auth;
      if (item['item'] !== undefined) return walk(item['item'], name, own);
      return isMap(item['request'])
        ? [callOf(item['request'], own, name, `${from}#${name}`, listOf(item['response']))]
        : [];
    });
  return walk(valueAt(filled, 'item'), '', valueAt(filled, 'auth'));
};

const callOf = (
  request: Record<string, unknown>,
  auth: unknown,
  about: string,
  from: string,
  responses: readonly Record<string, unknown>[],
): Call => {
  const url = textOf(request['url']) || textOf(valueAt(request['url'], 'raw'));
  const body = request['body'];
  const mode = textOf(valueAt(body, 'mode'));
  const isXml = textOf(valueAt(body, 'options', 'raw', 'language')) === 'xml';
  const sent =
    mode === 'formdata'
      ? formData(listOf(valueAt(body, mode)).filter(on).map(partOf), () => undefined)
      : mode === 'urlencoded'
        ? encoderNamed('form').encode(collectRepeats(named(valueAt(body, mode), 'key')))
        : undefined;
  const headers = {
    ...(isXml ? { 'content-type': 'application/xml' } : {}),
    ...authHeaders(auth),
    ...lowerCased(named(request['header'], 'key')),
    ...(sent && { 'content-type': sent.contentType }),
  };
  const bytes = Buffer.from(sent?.bytes ?? textOf(valueAt(body, 'raw')));
  const answers = responses.map((one): Answer => {
    const kind = lowerCased(named(one['header'], 'key'))['content-type'];
    return answerOf(Number(one['code']) || 200, Buffer.from(textOf(one['body'])), kind);
  });
  return {
    from,
    about,
    method: methodOf(textOf(request['method'])),
    url,
    headers,
    request: bodyOf(bytes, headers, from),
    answers,
  };
};

const partOf = (field: Record<string, unknown>): [string, string] => {
  const type = textOf(field['contentType']);
  const value = field['type'] === 'file' ? `@${textOf(field['src']) || 'file'}` : textOf(field['value']);
  return [textOf(field['key']), type === '' ? value : `${value};type=${type}`];
};

const authHeaders = (auth: unknown): Headers => {
  const kind = textOf(valueAt(auth, 'type'));
  const of = Object.fromEntries(named(valueAt(auth, kind), 'key'));
  if (kind === 'basic')
    return {
      authorization: `Basic ${Buffer.from(`${of['username'] ?? ''}:${of['password'] ?? ''}`).toString('base64')}`,
    };
  if (kind === 'bearer' || kind === 'oauth2')
    return { authorization: `Bearer ${of['token'] ?? of['accessToken'] ?? 'example'}` };
  return kind === 'apikey' && of['in'] !== 'query'
    ? { [(of['key'] ?? 'x-api-key').toLowerCase()]: of['value'] ?? '' }
    : {};
};
