import { createHash, createHmac } from 'node:crypto';
import { decodeBase64 } from '../../codecs/text.ts';
import { isMap } from '../../value.ts';
import { readJson } from '../../codecs/json.ts';
import { parseXml, writeXml } from '../../codecs/xml.ts';
import { Failure } from '../../failure.ts';
import type { EvaluationContext } from '../mapping.ts';
import { define, misuse } from './function.ts';
import { anything, data, map, oneOf, optional, text } from './parameter.ts';

const MAX_DEPTH = 100;
const MAX_CHARACTERS = 20_000_000;

/** Says in the function's name what a codec throws. */
function named<T>(name: string, run: () => T): T {
  try {
    return run();
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown;
    throw misuse(`$${name}: ${thrown.message}`, thrown);
  }
}

const bounded = (name: string, given: string): string => {
  if (given.length > MAX_CHARACTERS) throw misuse(`$${name} takes no text of more than ${MAX_CHARACTERS} characters`);
  return given;
};

const json = define({
  name: 'json',
  doc: 'Parses JSON embedded as text in a response. An empty text yields nothing.',
  parameters: [text('text')],
  examples: [{ expression: '$json(body.payload).id', given: { body: { payload: '{"id": 7}' } }, result: 7 }],
  call: (given) => (given.trim() === '' ? undefined : named('json', () => readJson(bounded('json', given), MAX_DEPTH))),
});

const xml = define({
  name: 'xml',
  doc: 'Parses XML embedded as text in a response, in the same way as an XML body: attributes are `@name`, text next to them is `#text`. An empty text yields nothing.',
  parameters: [text('text')],
  examples: [
    { expression: `$xml('<reply><id kind="a">7</id></reply>').reply.id`, result: { '@kind': 'a', '#text': '7' } },
  ],
  call: (given) => (given.trim() === '' ? undefined : named('xml', () => parseXml(bounded('xml', given)))),
});

const toXml = define({
  name: 'toXml',
  doc: 'Writes a map with one root element as XML without a declaration, for a form field or a query. `namespaces` (prefix → URI) are declared on the root.',
  parameters: [anything('value'), optional(map('namespaces', 'a map of prefixes and URIs'))],
  gives: 'text',
  examples: [
    {
      expression: '$toXml({"data": {"@id": 1, "line": ["a", "b"]}})',
      result: '<data id="1"><line>a</line><line>b</line></data>',
    },
  ],
  call: (value, namespaces) => named('toXml', () => writeXml(value, namespaces as Readonly<Record<string, string>>)),
});

const JWT = /^[\w-]+\.([\w-]+)\.[\w-]*$/;

const jwt = define({
  name: 'jwt',
  doc: 'The claims of a JSON Web Token. The signature is not verified: use the claims as information, never to authenticate a sender.',
  parameters: [text('text')],
  examples: [
    {
      expression: '$jwt(token).depot',
      given: { token: 'eyJhbGciOiJub25lIn0.eyJkZXBvdCI6IjA1MzAifQ.' },
      result: '0530',
    },
  ],
  call(given) {
    const claims = JWT.exec(
      bounded('jwt', given)
        .trim()
        .replace(/^Bearer /i, ''),
    )?.[1];
    if (claims === undefined) throw misuse('$jwt: this is not a JSON Web Token');
    const value = named('jwt', () => readJson(Buffer.from(claims, 'base64url').toString('utf8'), MAX_DEPTH));
    if (!isMap(value)) throw misuse('$jwt: the claims of this token are not a map');
    return value;
  },
});

const base64 = define({
  name: 'base64',
  doc: 'A text (as UTF-8) or bytes, encoded in Base64.',
  parameters: [data('x')],
  gives: 'text',
  examples: [{ expression: "$base64('a:b')", result: 'YTpi' }],
  call: (x, context) => learnt(context, x, Buffer.from(x).toString('base64')),
});

const unbase64 = define({
  name: 'unbase64',
  doc: 'Decodes Base64 or its URL-safe form to a text (UTF-8). White space is ignored. Input that is not Base64, or does not decode to text, is an error.',
  parameters: [text('text')],
  gives: 'text',
  examples: [{ expression: "$unbase64('YTpi')", result: 'a:b' }],
  call(given) {
    const bytes = decodeBase64(bounded('unbase64', given));
    if (bytes === undefined) throw misuse('$unbase64: this is not Base64');
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    } catch {
      throw misuse('$unbase64: these bytes are not a text in UTF-8');
    }
  },
});

const ALGORITHMS = ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512', 'sha3-256', 'sha3-512'] as const;
const algorithm = (name: string) => oneOf(name, ALGORITHMS);
const encoding = (name: string) => optional(oneOf(name, ['hex', 'base64', 'base64url']));

const hash = define({
  name: 'hash',
  doc: `The hash of a text (as UTF-8) or bytes, in \`hex\`, \`base64\` or \`base64url\`. Algorithms: ${ALGORITHMS.join(', ')}.`,
  parameters: [algorithm('alg'), data('text'), encoding('enc')],
  gives: 'text',
  examples: [{ expression: "$hash('md5', 'x')", result: '9dd4e461268c8034f5c8564e155c67a6' }],
  call: (alg, given, enc = 'hex', context) => learnt(context, given, createHash(alg).update(given).digest(enc)),
});

const hmac = define({
  name: 'hmac',
  doc: 'The keyed hash (HMAC) of a text or bytes; algorithms and encodings are those of `$hash`.',
  parameters: [algorithm('alg'), data('key'), data('text'), encoding('enc')],
  gives: 'text',
  examples: [
    {
      expression: "$hmac('sha256', 'key', 'The quick brown fox jumps over the lazy dog')",
      result: 'f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8',
    },
  ],
  call(alg, key, given, enc = 'hex', context) {
    const made = createHmac(alg, key).update(given).digest(enc);
    return learnt(context, key, learnt(context, given, made));
  },
});

function learnt(context: EvaluationContext, input: string | Uint8Array, output: string): string {
  if (typeof input === 'string') context.derived?.(input, output);
  return output;
}

export const CODES = [json, xml, toXml, jwt, base64, unbase64, hash, hmac];
